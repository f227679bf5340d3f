"""Estimating line items, in the background."""

from apps.erp.actors.estimates import abandon_estimate, continue_estimates, estimate_line_item

__all__ = ["abandon_estimate", "continue_estimates", "estimate_line_item"]
