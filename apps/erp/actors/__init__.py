"""Estimating line items, packing runs and counting what fits, in the background."""

from apps.erp.actors.capacities import count_capacity
from apps.erp.actors.estimates import continue_estimates, estimate_line_item
from apps.erp.actors.packing import continue_runs, pack_run, picture_packing

__all__ = [
    "continue_estimates",
    "continue_runs",
    "count_capacity",
    "estimate_line_item",
    "pack_run",
    "picture_packing",
]
