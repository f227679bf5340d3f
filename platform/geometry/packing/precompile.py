"""Compiles the kernels ahead of time (python -m geometry.packing.precompile).

They are compiled as their modules are imported, and kept in NUMBA_CACHE_DIR.
"""

from types import ModuleType

from geometry import preload
from geometry.mesh import aabb_kernels
from geometry.packing.compiled import (
    bitset_kernels,
    disassembly_kernels,
    mesh_distance,
    placed_mesh,
    placement_kernels,
    swept_collision,
    voxel_kernels,
)

COMPILED: tuple[ModuleType, ...] = (
    preload, placement_kernels, placed_mesh, swept_collision, mesh_distance, voxel_kernels,
    bitset_kernels, disassembly_kernels, aabb_kernels,
)  # fmt: skip
