"""Attributes an engine crash to the model or to custom G-code macros.

A plain cube is sliced with the same settings: where that fails in the same way, the model is not
the reason.
"""

import re
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np

from apps.slicing.engines.base import CRASHED, Engine, EngineLimits, SliceFailed
from geometry.formats.stl.writer import write_binary

SIDE = 10.0  # mm
TIMEOUT = 60.0  # s
DOUBTFUL = (CRASHED, "incomplete", "nothing-to-print")  # settings may be the reason
BOX_CORNERS = np.array(list(product((0, 1), repeat=3)))
# Two facets for each side, counter-clockwise seen from outside.
BOX_FACETS = np.array(
    [
        [(a, b, c), (a, c, d)]
        for a, b, c, d in [
            (0, 1, 3, 2),
            (4, 6, 7, 5),
            (0, 4, 5, 1),
            (2, 3, 7, 6),
            (0, 2, 6, 4),
            (1, 5, 7, 3),
        ]
    ]
).reshape(-1, 3)


def explained(
    failure: SliceFailed,
    engine: Engine,
    settings: Mapping[str, str],
    folder: Path,
    *,
    limits: EngineLimits,
) -> SliceFailed:
    """Return the failure to report: `failure`, or one that names macros or the config.

    Macros are the reason where the engine crashes on a plain cube with them, and not without.
    """
    limits = replace(limits, wall_seconds=min(limits.wall_seconds, TIMEOUT))

    def fails(chosen: Mapping[str, str]) -> bool:
        with tempfile.TemporaryDirectory(dir=folder) as place:
            cube, work = Path(place) / "cube.stl", Path(place) / "work"
            work.mkdir()
            write_cube(cube, SIDE)
            try:
                engine.slice(cube, chosen, work, limits=limits)
            except SliceFailed as again:
                return again.code == failure.code
            return False

    if failure.code not in DOUBTFUL or not fails(settings):
        return failure
    macros = [name for name, value in settings.items() if _is_macro(name, value)]
    if failure.code == CRASHED and macros and not fails({**settings, **dict.fromkeys(macros, "")}):
        title = (
            f"{engine.name} crashed on a macro of the config, whatever the model: simplify what "
            f"stands in braces or brackets in {', '.join(macros)}, and slice again."
        )
        return SliceFailed("macro-crashed", title, failure.log)
    title = (
        f"{engine.name} cannot slice with this config: a plain cube of {SIDE:g} mm fails in the "
        f"same way ({failure.code}). Change the config's settings, not the model."
    )
    return SliceFailed("config-not-usable", title, failure.log)


def write_cube(path: Path, side: float) -> None:
    """A cube of so many mm, as a binary STL file."""
    write_box(path, (side, side, side))


def write_box(path: Path, sides: tuple[float, float, float]) -> None:
    """A box with these sides, mm, as a binary STL file."""
    write_binary((BOX_CORNERS[BOX_FACETS] * sides).astype(np.float32), path)


def _is_macro(name: str, value: str) -> bool:
    """Whether the engine has something to work out in this piece of gcode."""
    return name.endswith("_gcode") and re.search(r"[{\[]", value) is not None
