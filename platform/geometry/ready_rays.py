"""Load what rays are cast by, before the first job does: Embree, or the loops in its place."""

try:
    from embreex import mesh_construction as caster
except ImportError:  # there is no wheel for this machine, as for arm64
    from geometry.mesh import aabb_kernels as caster

__all__ = ["caster"]
