"""Estimating line items, packing runs and counting what fits, in the background."""

from apps.erp.actors.capacities import abandon_count, count_capacity
from apps.erp.actors.estimates import abandon_estimate, continue_estimates, estimate_line_item
from apps.erp.actors.packing import abandon_packing, pack_run, picture_packing

__all__ = [
    "abandon_count",
    "abandon_estimate",
    "abandon_packing",
    "continue_estimates",
    "count_capacity",
    "estimate_line_item",
    "pack_run",
    "picture_packing",
]
