"""Limit on the work of pricing, counted in parts of formulas: the same on every machine."""

TERM_STEPS = 20  # that a term takes beside its formula's parts


class TooManySteps(Exception):  # noqa: N818
    """More work than the limit allows."""


class WorkLimit:
    """Counts steps: one for each part of a formula that is computed, and TERM_STEPS for a term.

    A step takes 0.2 to 0.5 microseconds.
    """

    def __init__(self, steps: int):
        self.steps = steps
        self.spent = 0

    def spend(self, steps: int) -> None:
        """Count so many more. Raises TooManySteps."""
        self.spent += steps
        if self.spent > self.steps:
            raise TooManySteps
