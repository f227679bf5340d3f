"""Printability analysis: overhangs, wall thickness, gaps, shells, likely unit."""

import math
import os
import time
from typing import NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from geometry.formats.stl.reader import read_triangles
from geometry.mesh import TRIANGLES_A_BLOCK, area_vectors, triangle_areas
from geometry.mesh.half_edges import Shells, find_shells
from geometry.ray_casting import Rays
from geometry.wall_thickness import Found, Walls, measure_walls

PRINTABILITY_VERSION = 1

OVERHANG_ANGLE = 45.0  # degrees from the horizontal: a surface below that is less steep hangs over
SUPPORTED_OVERHANG = 0.05  # of the surface: beyond it a part is printed with supports
PLATE = 0.1  # mm above the lowest point: half a usual layer
DIRECTIONS = [(0.31, 0.54, 0.78), (-0.69, 0.21, 0.69), (0.11, -0.83, -0.55)]  # along no axis
STEP = 1e-5  # of the diagonal: how far off the surface a ray starts
MAX_TRIANGLES = 8_000_000  # for shells and rays, which take 250 bytes a triangle

# Along the longest side, mm. Nobody prints parts beyond these in one piece on a usual machine.
SMALLEST_PART, SMALLEST_IN_INCHES, LARGEST_PART = 3.0, 0.25, 5000.0


class ProbableUnit(TypedDict):
    """The unit that a model was probably made in: inch, metre or micrometre; `factor` to mm."""

    unit: str
    factor: float
    reason: str


class Printability(NamedTuple):
    """What was measured of a model as it stands. Lengths in mm; None where nothing was measured.

    version            : of this assessment
    overhang_area      : mm^2 that face down, less steep than 45 degrees, and not on the plate
    overhang_share     : the same as a part of the whole surface, 0..1
    contact_area       : mm^2 that face down on the plate, which is at the lowest point
    shells             : parts that share no corner with each other
    smallest_shell     : the longest side of the box of the smallest of them
    cavities           : shells that are inside out within another one
    inverted_shells    : shells that are inside out and lie in no other
    thinnest_wall      : the shortest way through the solid between two faces, found by rays
    thinnest_wall_at   : (x, y, z), on the surface
    thin_wall          : of a hundred rays that found a wall, one found it as thin or thinner
    thin_wall_at       : (x, y, z), on the surface
    narrowest_gap      : the shortest way through the air between two faces
    narrowest_gap_at   : (x, y, z), on the surface
    rays               : rays that were sent inward, and as many outward
    probable_unit      : None where millimetres are plausible
    """

    version: int
    overhang_area: float
    overhang_share: float
    contact_area: float
    shells: int | None
    smallest_shell: float | None
    cavities: int | None
    inverted_shells: int | None
    thinnest_wall: float | None
    thinnest_wall_at: tuple[float, float, float] | None
    thin_wall: float | None
    thin_wall_at: tuple[float, float, float] | None
    narrowest_gap: float | None
    narrowest_gap_at: tuple[float, float, float] | None
    rays: int
    probable_unit: ProbableUnit | None


def assess(path: str | os.PathLike, *, closed: bool, seconds: float = 60.0) -> Printability:
    """Measure a canonical STL file as it stands, its plate at its lowest point.

    Equal files give equal results, unless the time runs out.

    Parameters
    ----------
    closed : bool
        Whether the analysis found the mesh manifold. Of others no walls, gaps and cavities are
        measured: they have no inside.
    seconds : float
        After this time no further rays are sent, beyond the first 10,000.

    Raises InvalidMesh as `geometry.formats.stl.read_triangles` does.
    """
    deadline = time.monotonic() + seconds
    triangles = read_triangles(path)
    low, high = center_mesh(triangles)
    center, diagonal = (low + high) / 2, float(np.linalg.norm(high - low))

    shells = cavities = inverted = None
    found = Walls(None, None, None, 0)
    if len(triangles) <= MAX_TRIANGLES:
        shells = find_shells(triangles)
    if closed and shells is not None:
        rays = Rays(triangles, STEP * diagonal)
        cavities, inverted = turn_outward(rays, shells)
        found = measure_walls(rays, triangle_areas(triangles), deadline)

    surface, overhang, contact = _faces_down(triangles, low[2] - center[2] + PLATE)
    return Printability(
        version=PRINTABILITY_VERSION,
        overhang_area=overhang,
        overhang_share=overhang / surface if surface else 0.0,
        contact_area=contact,
        shells=len(shells.volumes) if shells else None,
        smallest_shell=float(shells.extents.min()) if shells else None,
        cavities=cavities,
        inverted_shells=inverted,
        thinnest_wall=_distance(found.thinnest),
        thinnest_wall_at=_place(found.thinnest, center),
        thin_wall=_distance(found.thin),
        thin_wall_at=_place(found.thin, center),
        narrowest_gap=_distance(found.gap),
        narrowest_gap_at=_place(found.gap, center),
        rays=found.rays,
        probable_unit=probable_unit(float((high - low).max())),
    )


def overhang_share(path: str | os.PathLike) -> float:
    """The share of a canonical STL file's surface that hangs over, as it stands, 0..1."""
    triangles = read_triangles(path)
    low, high = center_mesh(triangles)
    surface, overhang, _ = _faces_down(triangles, (low[2] - high[2]) / 2 + PLATE)
    return overhang / surface if surface else 0.0


def probable_unit(length: float) -> ProbableUnit | None:
    """Which unit a model was probably made in, if its longest side of `length` is not mm's."""
    if 0 < length < SMALLEST_IN_INCHES:
        unit, factor = "metre", 1000.0
    elif 0 < length < SMALLEST_PART:
        unit, factor = "inch", 25.4
    elif length > LARGEST_PART:
        unit, factor = "micrometre", 0.001
    else:
        return None
    reason = (
        f"The longest side is {length:.4g} mm, if the numbers are millimetres, and "
        f"{length * factor:.4g} mm, if they are in the unit {unit}."
    )
    return {"unit": unit, "factor": factor, "reason": reason}


def center_mesh(triangles: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Move the middle of the box to the origin, where float32 is finest; its corners before."""
    corners = triangles.reshape(-1, 3)
    low, high = (corners.min(axis=0).astype(np.float64), corners.max(axis=0).astype(np.float64))
    center = (low + high) / 2
    for start in range(0, len(triangles), TRIANGLES_A_BLOCK):
        block = triangles[start : start + TRIANGLES_A_BLOCK]
        block[:] = block - center
        block += np.float32(0.0)  # -0.0 becomes 0.0
    return low, high


def turn_outward(rays: Rays, shells: Shells) -> tuple[int, int]:
    """Turn the triangles of shells that are inside out; how many are cavities, and inside out.

    A shell with a negative volume is a cavity if it lies within another one.
    """
    triangles, volumes = rays.triangles, shells.volumes
    outward = volumes.sum() >= 0
    if not outward:  # then what is within another one is inside out with it
        triangles[:] = triangles[:, ::-1]
        volumes = -volumes
    negative = np.flatnonzero(volumes < 0)
    if not len(negative):
        return 0, 0 if outward else len(volumes)

    candidates = np.flatnonzero(np.isin(shells.of, negative))
    order = candidates[np.lexsort((triangle_areas(triangles[candidates]), shells.of[candidates]))]
    largest = order[np.flatnonzero(np.diff(shells.of[order], append=-1))]  # of each shell
    # The normals of a cavity point into it: behind its triangles is the solid around it.
    points = triangles[largest].astype(np.float64).mean(axis=1)
    points -= rays.step * rays.normals(largest)
    around = np.median([rays.windings(points, towards) for towards in DIRECTIONS], axis=0)
    wrong = negative[around < 1]
    turned = np.isin(shells.of, wrong)
    triangles[turned] = triangles[turned, ::-1]
    inverted = len(wrong) if outward else len(volumes) - len(wrong)
    return len(negative) - len(wrong), inverted


def _faces_down(triangles: NDArray[np.float32], plate: float) -> tuple[float, float, float]:
    """mm^2: the whole surface, what hangs over, and what lies below `plate`."""
    steepest = math.cos(math.radians(OVERHANG_ANGLE)) + 1e-6  # what is at 45 degrees holds
    surface = overhang = contact = 0.0
    for start in range(0, len(triangles), TRIANGLES_A_BLOCK):
        block = triangles[start : start + TRIANGLES_A_BLOCK]
        vectors = area_vectors(block.reshape(-1, 9).T.astype(np.float64))
        areas = np.sqrt((vectors * vectors).sum(axis=0)) / 2
        down = -vectors[2] / 2 > steepest * areas
        on_plate = block[:, :, 2].max(axis=1) <= plate
        surface += float(areas.sum())
        overhang += float(areas[down & ~on_plate].sum())
        contact += float(areas[down & on_plate].sum())
    return surface, overhang, contact


def _distance(found: Found | None) -> float | None:
    return found.distance if found else None


def _place(found: Found | None, center: NDArray) -> tuple[float, float, float] | None:
    if found is None:
        return None
    x, y, z = (found.point + center).tolist()
    return x, y, z
