"""Operators' pages of the manufacturing system."""

from apps.erp.admin import agents, attempts, orders, prices, production, rows

__all__ = ["agents", "attempts", "orders", "prices", "production", "rows"]
