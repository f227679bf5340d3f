"""Operators' pages of the manufacturing system."""

from apps.erp.admin import orders, production, rows

__all__ = ["orders", "production", "rows"]
