"""Model files from one format to another."""

from apps.integrations.providers.conversion.convert import convert, formats

__all__ = ["convert", "formats"]
