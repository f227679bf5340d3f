"""Operators' pages of the manufacturing system."""

from apps.erp.admin import attempts, orders, prices, production, rows

__all__ = ["attempts", "orders", "prices", "production", "rows"]
