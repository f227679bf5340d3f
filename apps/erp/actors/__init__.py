"""Estimating line items and packing runs, in the background."""

from apps.erp.actors.estimates import abandon_estimate, continue_estimates, estimate_line_item
from apps.erp.actors.packing import abandon_packing, pack_run, picture_packing

__all__ = [
    "abandon_estimate",
    "abandon_packing",
    "continue_estimates",
    "estimate_line_item",
    "pack_run",
    "picture_packing",
]
