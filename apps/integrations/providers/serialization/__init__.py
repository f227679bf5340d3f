"""Serial numbers and other short texts, cut into a part or raised on it."""

from apps.integrations.providers.serialization.serialize import serialize

__all__ = ["serialize"]
