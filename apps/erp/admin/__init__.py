"""Operators' pages of the manufacturing system."""

from apps.erp.admin import orders, prices, production, rows

__all__ = ["orders", "prices", "production", "rows"]
