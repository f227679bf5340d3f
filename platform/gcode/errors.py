"""InvalidGcode."""

from input_errors import InputError


class InvalidGcode(InputError):
    """A file that no printer could run."""
