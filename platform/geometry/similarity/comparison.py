"""Lays one mesh on another and measures how far they are apart."""

import os

from geometry.similarity.verdict import Comparison


def compare(path_a: str | os.PathLike, path_b: str | os.PathLike) -> Comparison:
    """Align the mesh of a file, in either hand and at any scale, with that of another."""
    raise NotImplementedError
