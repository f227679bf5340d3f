"""Applies transformation steps from STL to STL."""

from collections.abc import Sequence
from os import PathLike

import numpy as np

from geometry.transformations.steps import NAMES, Step
from geometry.transformations.streamed_mesh import Body


def shape(
    source: str | PathLike, steps: Sequence[Step], out: str | PathLike
) -> list[dict[str, object]]:
    """Do `steps` in their order to the STL `source`, and write the canonical binary STL `out`.

    Each step works on what the ones before it made, brackets included. Affine steps are composed
    into one map, so that coordinates are rounded once, and the file is streamed: only `auto-rotate`
    and a bracket without a gap hold more of it than a few thousand facets.

    Returns
    -------
    One dict of plain JSON values a step: its `type`, what it chose, and a `summary` for people.

    Raises
    ------
    CannotShape: does-not-fit, not-finite, no-extent. InvalidMesh, if `source` is no STL.
    Either way nothing is left at `out`.
    """
    body = Body(source)
    with np.errstate(over="ignore", invalid="ignore"):  # the body refuses what overflows
        records = [{"type": NAMES[type(step)], **step.apply(body)} for step in steps]
        body.write(out)
    return records
