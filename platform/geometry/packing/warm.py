"""Compile the loops of geometry, so that no job waits for it: python -m geometry.packing.warm

They are compiled as their modules are imported, and kept in NUMBA_CACHE_DIR.
"""

from types import ModuleType

from geometry import ready
from geometry.mesh import boxes
from geometry.packing import finding, moving, passing, proximity, raster, scanning, sweeping

COMPILED: tuple[ModuleType, ...] = (
    ready, finding, moving, passing, proximity, raster, scanning, sweeping, boxes,
)  # fmt: skip
