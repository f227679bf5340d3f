"""Obstacles to printing: why a run is not printed, or a machine cannot do what is requested."""

from typing import NamedTuple


class Obstacle(NamedTuple):
    """An obstacle: its code, and what it is and what to do."""

    code: str
    title: str
