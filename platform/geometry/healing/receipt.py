"""Healing receipt (contract): metrics of both meshes, steps, deviation, filled area."""

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from geometry.analysis import analyse
from geometry.healing.deviation import measure_deviation
from geometry.healing.working_mesh import KEPT, WorkingMesh, areas, cone_volumes
from geometry.mesh.half_edges import count_shells

FIGURES = (
    "triangles",
    "manifold",
    "open_edges",
    "nonmanifold_edges",
    "misoriented_edges",
    "holes",
    "degenerate",
    "duplicates",
    "surface_area",
    "volume",
    "bounds",
)


class Steps:
    """Runs the steps, and notes of those that changed something what they did."""

    def __init__(self) -> None:
        self.done: list[dict[str, object]] = []

    def run(
        self, name: str, step: Callable[[WorkingMesh], WorkingMesh], surface: WorkingMesh
    ) -> WorkingMesh:
        begun = time.perf_counter()
        result = step(surface)
        if result is not surface:
            self.note(name, surface, result, time.perf_counter() - begun)
        return result

    def note(self, name: str, before: WorkingMesh, after: WorkingMesh, seconds: float) -> None:
        if before.faces.shape == after.faces.shape and all(
            np.array_equal(before.vertices[one], after.vertices[other])
            for one, other in zip(before.faces.T, after.faces.T, strict=True)
        ):
            return
        edges = after.edges
        self.done.append(
            {
                "name": name,
                "triangles": len(after.faces),
                "open_edges": int(edges.open.sum()),
                "nonmanifold_edges": int(edges.nonmanifold.sum()),
                "misoriented_edges": int(edges.misoriented.sum()),
                "seconds": round(seconds, 3),
            }
        )


def figures(path: str, triangles: NDArray[np.float32]) -> dict[str, object]:
    """Those of an upload's analysis, and the number of shells."""
    found = analyse(path)._asdict()
    return {name: found[name] for name in FIGURES} | {"shells": count_shells(triangles)}


def volume(surface: WorkingMesh) -> float:
    """Of a closed surface, mm^3."""
    return float(cone_volumes(surface.triangles, surface.vertices.mean(axis=0)).sum())


def invented(surface: WorkingMesh) -> dict[str, float]:
    """How much of a closed surface fills holes, and how much volume that moved.

    The estimate puts a cone from the middle of each rim where the hole was filled: it does not
    depend on where the origin is, nor on how the facets were wound.
    """
    triangles = surface.triangles
    filled = surface.fill != KEPT
    whole = volume(surface)
    moved = float(cone_volumes(triangles[filled], surface.anchors[surface.fill[filled]]).sum())
    area = areas(triangles)
    return {
        "volume_estimate": whole - moved,
        "volume_change": moved / abs(whole),
        "filled_area_share": float(area[filled].sum() / area.sum()),
    }


def difference(
    before: NDArray[np.float32], after: NDArray[np.float32], filled: NDArray[np.bool_]
) -> dict[str, object]:
    """How many facets came through, and how far the surfaces lie from each other."""
    deviation = measure_deviation(before, after, filled)
    return {
        "facets_kept": deviation.facets_kept,
        "deviation": {
            "largest_mm": deviation.largest,
            "mean_mm": deviation.mean,
            "kept_mm": deviation.kept,
            "at": deviation.at,
        },
    }
