"""InvalidGcode."""

from input_errors import Refusal


class InvalidGcode(Refusal):
    """A file that no printer could run."""
