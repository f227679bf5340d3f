"""Mesh analysis in one streaming pass: watertight, volume, area, bounding box, edge defects."""

import os
import secrets
from collections.abc import Iterator
from contextlib import nullcontext
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.formats.stl.detection import StlLayout, inspect
from geometry.formats.stl.reader import MAX_TRIANGLES, stream_facets
from geometry.formats.stl.writer import BinaryWriter
from geometry.mesh import InvalidMesh
from geometry.mesh.defects import (
    OpenSides,
    Weld,
    count_duplicates,
    count_holes,
    find_cracks,
    find_outline,
)
from geometry.mesh.half_edges import EdgeCounts, count_edges, has_three_corners
from geometry.mesh.welding import hash_corners

ANALYSIS_VERSION = 2
MAX_SIDE = 1e6  # mm; a model is larger than any printer long before
MAX_DISTANCE = 1e9  # mm from the origin; single precision holds no part of it beyond


class Analysis(NamedTuple):
    """What is known of a model. Lengths in mm; None where a figure has no meaning.

    version           : of this analysis, so that old results can be distinguished from new ones
    triangles         : facets in the file, degenerate ones among them
    manifold          : every edge joins two facets that run along it in opposite directions
    open_edges        : edges of one facet
    nonmanifold_edges : edges of three facets and more
    touching_edges    : those among them where as many facets run one way as the other
    misoriented_edges : edges of two facets that run along it in the same direction
    holes             : connected outlines of open edges
    degenerate        : facets with two equal corners; all other figures leave them out
    duplicates        : facets with the corners and the direction of one before them
    size, bounds      : (x, y, z); (lowest, highest) corner of the box
    surface_area      : mm^2
    volume            : mm^3, None unless the surface is closed and consistently oriented
    inverted          : the facets are inside out; None as for `volume`
    """

    version: int
    triangles: int
    manifold: bool
    open_edges: int
    nonmanifold_edges: int
    touching_edges: int
    misoriented_edges: int
    holes: int
    degenerate: int
    duplicates: int
    size: tuple[float, float, float]
    bounds: tuple[tuple[float, float, float], tuple[float, float, float]]
    surface_area: float
    volume: float | None
    inverted: bool | None


def analyse(
    path: str | os.PathLike,
    canonical: str | os.PathLike | None = None,
    *,
    max_triangles: int = MAX_TRIANGLES,
) -> Analysis:
    """Judge an STL file; with `canonical`, also write it there as canonical binary STL.

    An exact weld decides. If it leaves open edges, their vertices (and no others) are welded
    within 1e-6 of the diagonal, and the mesh is judged anew: many programs export cracks of float
    noise. The canonical file holds the mesh that was judged: without degenerate facets, welded
    where that was needed, oriented as uploaded.

    Raises InvalidMesh as `formats.stl.read_triangles` does; then no canonical file is left.
    """
    layout = inspect(path, max_triangles=max_triangles)
    salt = np.uint64(secrets.randbits(64))  # so that nobody can prepare colliding corners
    survey = _survey(layout, canonical, salt, None)
    outline, weld = _outline(layout, salt, survey, None), None
    if outline is not None:
        weld = find_cracks(outline, float(np.linalg.norm(survey.high - survey.low)))
        if weld is not None:
            survey = _survey(layout, canonical, salt, weld)
            outline = _outline(layout, salt, survey, weld)
    holes = count_holes(outline) if outline is not None else 0
    duplicates = 0
    if survey.edges.nonmanifold or survey.edges.misoriented:  # as the edges of any duplicate are
        duplicates = count_duplicates(_hashed(layout, salt, weld))
    return _result(survey, holes, duplicates)


def require_size(analysis: Analysis) -> None:
    """Refuse a mesh that is larger than any printer. Raises InvalidMesh: model-too-large."""
    x, y, z = analysis.size
    if max(x, y, z) > MAX_SIDE:
        raise InvalidMesh(
            "model-too-large",
            f"The model measures {x:.4g} x {y:.4g} x {z:.4g} mm: larger than any printer. A side "
            f"may have {MAX_SIDE / 1e6:g} km. Check the unit, and export the model again.",
        )
    distance = float(np.abs(analysis.bounds).max())
    if distance > MAX_DISTANCE:
        raise InvalidMesh(
            "model-too-large",
            f"The model lies {distance:.4g} mm from the origin; {MAX_DISTANCE / 1e6:g} km are the "
            "most. Move it to the origin, and export the model again.",
        )


class _Survey(NamedTuple):
    triangles: int
    degenerate: int
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    area: float
    volume: float
    edges: EdgeCounts


def _hashed(
    layout: StlLayout, salt: np.uint64, weld: Weld | None
) -> Iterator[tuple[NDArray[np.float32], NDArray[np.uint64]]]:
    """The facets of the file, welded, and the hashes (3, k) of their corners."""
    for facets in stream_facets(layout):
        hashes = hash_corners(facets, salt)
        yield (facets, hashes) if weld is None else weld.apply(facets, hashes)


def _survey(
    layout: StlLayout, canonical: str | os.PathLike | None, salt: np.uint64, weld: Weld | None
) -> _Survey:
    """All figures in one pass over the file."""
    from geometry.mesh.facet_kernels import tally  # not above: many only ask for the version

    keys = np.empty(3 * layout.at_most, dtype=np.uint64)
    kept = degenerate = 0
    sums = np.zeros(2)  # twice the area, and six times the volume
    box = np.array(2 * [[np.inf] * 3, [-np.inf] * 3], dtype=np.float32)
    origin: NDArray[np.float64] | None = None

    with BinaryWriter(canonical) if canonical is not None else nullcontext() as writer:
        for facets, hashes in _hashed(layout, salt, weld):
            if origin is None:  # near the mesh: digits are not spent on distance
                origin = facets[:3, 0].astype(np.float64)
            proper = tally(facets, hashes, origin, keys[3 * kept :], box, sums)
            kept += proper
            degenerate += facets.shape[1] - proper
            if writer is not None:
                if proper < facets.shape[1]:
                    facets = facets[:, has_three_corners(hashes.T)]
                writer.append(facets)

    keys = keys[: 3 * kept]
    keys.sort()
    low, high = box[:2] if kept else box[2:]
    area, volume = float(sums[0]) / 2, float(sums[1]) / 6
    edges = count_edges(keys)
    return _Survey(
        kept + degenerate, degenerate, low.astype(float), high.astype(float), area, volume, edges
    )


def _outline(
    layout: StlLayout, salt: np.uint64, survey: _Survey, weld: Weld | None
) -> OpenSides | None:
    """The open sides of the mesh; None if it has none."""
    if not len(survey.edges.open):
        return None
    return find_outline(_hashed(layout, salt, weld), survey.edges.open)


def _result(survey: _Survey, holes: int, duplicates: int) -> Analysis:
    edges = survey.edges
    sound = survey.degenerate < survey.triangles
    closed = sound and edges.balanced
    x, y, z = (survey.high - survey.low).tolist()
    low, high = survey.low.tolist(), survey.high.tolist()
    return Analysis(
        version=ANALYSIS_VERSION,
        triangles=survey.triangles,
        manifold=closed and not edges.nonmanifold,
        open_edges=len(edges.open),
        nonmanifold_edges=edges.nonmanifold,
        touching_edges=edges.touching,
        misoriented_edges=edges.misoriented,
        holes=holes,
        degenerate=survey.degenerate,
        duplicates=duplicates,
        size=(x, y, z),
        bounds=((low[0], low[1], low[2]), (high[0], high[1], high[2])),
        surface_area=survey.area,
        volume=abs(survey.volume) if closed else None,
        inverted=survey.volume < 0 if closed else None,
    )
