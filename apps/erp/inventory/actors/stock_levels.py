"""Job: stock levels of materials whose lots expire."""

import dramatiq

from apps.erp.inventory.domain.reorder_points import follow_levels


@dramatiq.actor(queue_name="default", max_retries=0)
def check_stock_levels() -> None:
    """Set the stock level of all materials with a reorder point; once an hour.

    A lot that expires is not moved, and of two transactions that take of a material at once neither
    sees what the other takes.
    """
    follow_levels()
