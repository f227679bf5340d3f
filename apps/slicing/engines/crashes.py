"""Whose fault an engine's crash was: the model's, or that of a macro in the config."""

import re
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from apps.slicing.engines.base import CRASHED, Engine, Limits, SliceFailed
from geometry.formats.stl.writer import write_binary

SIDE = 10.0  # mm
PATIENCE = 60.0  # s


def explained(
    crash: SliceFailed,
    engine: Engine,
    settings: Mapping[str, str],
    folder: Path,
    *,
    limits: Limits,
) -> SliceFailed:
    """The failure to tell of: `crash`, or one that names the macros.

    Macros are at fault where the engine crashes on a plain cube with them, and not without.
    """
    macros = [name for name, value in settings.items() if _is_macro(name, value)]
    limits = replace(limits, wall_seconds=min(limits.wall_seconds, PATIENCE))

    def crashes(chosen: Mapping[str, str]) -> bool:
        with tempfile.TemporaryDirectory(dir=folder) as place:
            cube, work = Path(place) / "cube.stl", Path(place) / "work"
            work.mkdir()
            write_cube(cube, SIDE)
            try:
                engine.slice(cube, chosen, work, limits=limits)
            except SliceFailed as failure:
                return failure.code == CRASHED
            return False

    without = {**settings, **dict.fromkeys(macros, "")}
    if not macros or not crashes(settings) or crashes(without):
        return crash
    title = (
        f"{engine.name} crashed on a macro of the config, whatever the model: simplify what stands "
        f"in braces or brackets in {', '.join(macros)}, and slice again."
    )
    return SliceFailed("macro-crashed", title, crash.log)


def write_cube(path: Path, side: float) -> None:
    """A cube of so many mm, as a binary STL file."""
    from manifold3d import Manifold  # here, since every process imports the actors

    mesh = Manifold.cube([side] * 3).to_mesh()
    write_binary(mesh.vert_properties[mesh.tri_verts], path)


def _is_macro(name: str, value: str) -> bool:
    """Whether the engine has something to work out in this piece of gcode."""
    return name.endswith("_gcode") and re.search(r"[{\[]", value) is not None
