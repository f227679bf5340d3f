"""Rows of every kind that the operators' pages show."""

from tests.live.running import Platform


def fill(platform: Platform) -> None:
    """Nothing yet."""
