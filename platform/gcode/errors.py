"""What is wrong with a file that is not gcode."""

from input_errors import Refusal


class InvalidGcode(Refusal):
    """A file that no printer could run."""
