"""A cube, sliced with a triple of presets: whether the installed engine can do with it."""

import tempfile
from pathlib import Path

from apps.slicing.configs.base import RawConfigErrors
from apps.slicing.configs.presets import flattened
from apps.slicing.domain.catalogue import Catalogue, Preset
from apps.slicing.domain.engine_room import limits
from apps.slicing.engines.base import SliceFailed
from apps.slicing.engines.crashes import write_cube

SIDE = 20.0  # mm


def slice_cube(read: Catalogue, printer: Preset, print_: Preset, filament: Preset) -> str:
    """Why a cube of 20 mm cannot be sliced with these presets; empty where it can."""
    try:
        config = flattened(read.triple(printer, print_, filament), read.defaults)
        with tempfile.TemporaryDirectory() as place:
            stl, folder = Path(place) / "cube.stl", Path(place) / "work"
            folder.mkdir()
            write_cube(stl, SIDE)
            read.engine.slice(stl, config.settings, folder, limits=limits())
    except RawConfigErrors as refused:
        return f"{print_.name}, {filament.name}: {refused}"
    except SliceFailed as failure:
        return f"{print_.name}, {filament.name}: {failure.code}: {failure.title}"
    return ""
