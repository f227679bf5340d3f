"""Operators' pages of the manufacturing system."""

from apps.erp.admin import rows

__all__ = ["rows"]
