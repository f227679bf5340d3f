"""Slices a test cube with a preset triple."""

import tempfile
from pathlib import Path

from apps.slicing.configs.base import RawConfigErrors
from apps.slicing.configs.extruders import for_extruder
from apps.slicing.configs.presets import flattened
from apps.slicing.domain.catalogue import Catalogue, Preset
from apps.slicing.domain.installed_engines import limits
from apps.slicing.engines.base import SliceFailed
from apps.slicing.engines.crash_diagnosis import write_cube

SIDE = 20.0  # mm


def slice_cube(
    read: Catalogue, printer: Preset, print_: Preset, filament: Preset, extruder: int = 1
) -> str:
    """Return why a cube cannot be sliced with these presets; empty where it can."""
    try:
        config = flattened(read.triple(printer, print_, filament), read.known)
        settings = for_extruder(config.settings, extruder)
        with tempfile.TemporaryDirectory() as place:
            stl, folder = Path(place) / "cube.stl", Path(place) / "work"
            folder.mkdir()
            write_cube(stl, SIDE)
            read.engine.slice(stl, settings, folder, limits=limits())
    except RawConfigErrors as refused:
        return f"{print_.name}, {filament.name}: {refused}"
    except SliceFailed as failure:
        return f"{print_.name}, {filament.name}: {failure.code}: {failure.title}"
    return ""
