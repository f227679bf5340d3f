"""Compile the packer's loops, so that no job waits for it: python -m geometry.packing.warm

They are compiled as their modules are imported, and kept in NUMBA_CACHE_DIR.
"""

from types import ModuleType

from geometry.packing import passing, proximity, raster, scanning, sweeping

COMPILED: tuple[ModuleType, ...] = (passing, proximity, raster, scanning, sweeping)
