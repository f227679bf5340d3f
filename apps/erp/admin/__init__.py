"""Admin: registers the admin pages of all subjects."""

from apps.erp.admin import orders, pages
from apps.erp.orders.admin import prices
from apps.erp.printing.admin import agents, attempts
from apps.erp.production.admin import runs

__all__ = ["agents", "attempts", "orders", "prices", "runs", "pages"]
