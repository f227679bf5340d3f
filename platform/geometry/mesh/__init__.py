"""Triangle meshes: data type, welding, half-edges, defects."""

from geometry.mesh.mesh import (
    TRIANGLES_A_BLOCK,
    InvalidMesh,
    Mesh,
    area_vectors,
    cones,
    mesh_volume,
    signed_volume,
    triangle_areas,
    welded_volume,
    winding_number,
)

__all__ = [
    "TRIANGLES_A_BLOCK",
    "InvalidMesh",
    "Mesh",
    "area_vectors",
    "cones",
    "mesh_volume",
    "signed_volume",
    "triangle_areas",
    "welded_volume",
    "winding_number",
]
