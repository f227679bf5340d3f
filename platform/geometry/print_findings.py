"""Findings of a model that is to be printed: walls and gaps below limits, and where they are."""

import math
import os
import time
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.formats.stl.reader import read_triangles
from geometry.mesh import triangle_areas
from geometry.mesh.half_edges import find_shells
from geometry.mesh.near import group_near
from geometry.printability import MAX_TRIANGLES, STEP, center_mesh, turn_outward
from geometry.ray_casting import Rays
from geometry.rendering.view import View, place_camera, positions_in_picture
from geometry.wall_thickness import RAYS, WallSample, sample_walls

FINDINGS_VERSION = 1

FAULT, RISK, NOTE = "fault", "risk", "note"
MIN_SAMPLES = 3  # of a place that counts
MIN_LENGTH = 2.0  # mm, of a place that counts: what is shorter holds by what is around it
REACH = 2.0  # distances of the samples: within it two are of the same place
ALIKE_VALUE, ALIKE_LENGTH = 0.05, 1.25  # mm, and a ratio: places within both are one finding
MAX_FINDINGS = 30  # of a kind
MAX_PAIRS = 10_000_000  # of samples that are near each other: each has about 30
MAX_MARKED = 300  # samples of a place, of which one that can be seen is marked


class ThicknessLimits(NamedTuple):
    """Limits of a process, mm; 0 where there is none.

    wall_fault, wall_risk : below which a wall cannot be made, or may fail
    gap_risk              : below which a gap may fuse
    """

    wall_fault: float
    wall_risk: float
    gap_risk: float


class Finding(NamedTuple):
    """Places of a model that are alike and below a limit.

    kind     : wall or gap
    severity : fault, risk or note; a place of fewer than 3 samples or 2 mm is a note
    limit    : mm, that it is below
    value    : mm, the third smallest of a place that counts, since one sample may be a stray; of a
               note the smallest
    at       : (x, y, z), mm, of the surface, where it was measured
    length   : mm, longest side of the box around the largest place
    places   : how many are alike
    mark     : where `at` is in the picture of the view, as shares of its width and height from top
               left; None where it cannot be seen
    """

    kind: str
    severity: str
    limit: float
    value: float
    at: tuple[float, float, float]
    length: float
    places: int
    mark: tuple[float, float] | None = None


class Findings(NamedTuple):
    """What is below the limits, the gravest first.

    measured       : whether walls and gaps were measured, which only a closed mesh has
    shells         : parts of the mesh that share no corner; None where they were not counted
    smallest_shell : mm, longest side of the box around the smallest of them
    cavities       : shells that are inside out within another one; None where not measured
    """

    version: int
    findings: list[Finding]
    measured: bool
    shells: int | None
    smallest_shell: float | None
    cavities: int | None


def find_thin_places(
    path: str | os.PathLike,
    *,
    closed: bool,
    limits: ThicknessLimits,
    view: View,
    seconds: float = 60.0,
) -> Findings:
    """Find the walls and gaps of a canonical STL file that are below limits.

    Walls are sampled as by `geometry.wall_thickness.sample_walls`: equal files and limits give
    equal findings, unless the time runs out. Samples below a limit whose middles, halfway to the
    other side, are within twice the distance of samples of each other are one place. A distance
    equal to a limit, rounded to 0.01 mm, is not below it.

    closed  : whether the mesh is manifold; others have no walls
    view    : of the picture that findings are marked in, which frames the whole model
    seconds : after this time no further rays are sent, beyond the first 10,000

    Raises InvalidMesh as `geometry.formats.stl.read_triangles` does.
    """
    deadline = time.monotonic() + seconds
    triangles = read_triangles(path)
    if len(triangles) > MAX_TRIANGLES:
        return _nothing(None, None)
    low, high = center_mesh(triangles)
    shells = find_shells(triangles)
    count, smallest = len(shells.volumes), float(shells.extents.min())
    if not closed:
        return _nothing(count, smallest)
    rays = Rays(triangles, STEP * float(np.linalg.norm(high - low)))
    cavities, _ = turn_outward(rays, shells)
    areas = triangle_areas(triangles)
    sample = sample_walls(rays, areas, deadline)
    gravest = _find(sample, limits, REACH * math.sqrt(float(areas.sum()) / RAYS))
    marks = _marks(
        [points for _, points in gravest], rays, view, float(np.linalg.norm(high - low)) / 2
    )
    middle = (low + high) / 2
    findings = [
        finding._replace(at=_moved(finding.at, middle), mark=mark)
        for (finding, _), mark in zip(gravest, marks, strict=True)
    ]
    return Findings(
        FINDINGS_VERSION,
        findings,
        measured=True,
        shells=count,
        smallest_shell=smallest,
        cavities=cavities,
    )


def _find(
    sample: WallSample, limits: ThicknessLimits, reach: float
) -> list[tuple[Finding, NDArray[np.float64]]]:
    """Findings of walls and gaps with the points of their places, the gravest of each kind."""
    walls = places_below(
        sample.points,
        sample.points - _half(sample.walls) * sample.normals,
        sample.walls,
        reach,
        fault=limits.wall_fault,
        risk=limits.wall_risk,
    )
    gaps = places_below(
        sample.points,
        sample.points + _half(sample.gaps) * sample.normals,
        sample.gaps,
        reach,
        fault=0.0,
        risk=limits.gap_risk,
    )
    kinds = [_alike(places, kind) for kind, places in (("wall", walls), ("gap", gaps))]
    gravest = [finding for pairs in kinds for finding in pairs[:MAX_FINDINGS]]
    gravest.sort(key=lambda pair: (_SEVERITIES.index(pair[0].severity), pair[0].value))
    return gravest


def _nothing(shells: int | None, smallest: float | None) -> Findings:
    """Return the findings of a model whose walls and gaps were not measured."""
    return Findings(
        FINDINGS_VERSION,
        [],
        measured=False,
        shells=shells,
        smallest_shell=smallest,
        cavities=None,
    )


def _marks(
    places: list[NDArray[np.float64]], rays: Rays, view: View, radius: float
) -> list[tuple[float, float] | None]:
    """Where the first point of each place that can be seen is in the picture of a view.

    places : (n, 3) each, mm, of a model whose middle is the origin
    radius : mm, half the diagonal of its box
    """
    if not places:
        return []
    vertices = (rays.triangles.reshape(-1, 3) / np.float32(radius)).astype(np.float32)
    camera = place_camera(view, vertices, np.zeros(3), radius)
    points = np.concatenate(places)
    towards = radius * camera.eye - points
    distances = np.linalg.norm(towards, axis=1)
    towards /= distances[:, None]
    # A point whose face looks away from the camera meets its own part at once.
    far, facet = rays.first(points + 10 * rays.step * towards, towards)
    is_seen = np.split((facet < 0) | (far > distances), np.cumsum([*map(len, places)])[:-1])
    marks: list[tuple[float, float] | None] = []
    for place, seen in zip(places, is_seen, strict=True):
        first = place[np.flatnonzero(seen)[:1]]
        shares = positions_in_picture(view, camera, first / radius).tolist()
        marks.append(next(((x, y) for x, y in shares), None))
    return marks


def _moved(point: tuple[float, float, float], by: NDArray) -> tuple[float, float, float]:
    x, y, z = (np.array(point) + by).tolist()
    return x, y, z


class Place(NamedTuple):
    """A place below a limit; its fields as those of a finding.

    points : (n, 3) float64, mm, its samples that are nearest to `at`
    """

    severity: str
    limit: float
    value: float
    at: tuple[float, float, float]
    length: float
    points: NDArray[np.float64]


def places_below(
    points: NDArray[np.float64],
    middles: NDArray[np.float64],
    distances: NDArray[np.float64],
    reach: float,
    *,
    fault: float,
    risk: float,
) -> list[Place]:
    """Places of samples below the limit `risk`; of those below `fault`, faults.

    points    : (n, 3) float64, mm, on the surface
    middles   : (n, 3) float64, mm, halfway to the other side
    distances : (n,) float64, mm, to the other side
    reach     : mm; samples whose middles are as close as this are of the same place
    """
    rounded = np.round(distances, 2)
    places: list[Place] = []
    faults = _clusters(middles, np.flatnonzero(rounded < fault), reach) if fault else []
    grave = [cluster for cluster in faults if _counts(points[cluster])]
    places += [_place(points, distances, cluster, FAULT, fault) for cluster in grave]
    of_faults = set(np.concatenate(grave).tolist()) if grave else set()
    for cluster in _clusters(middles, np.flatnonzero(rounded < risk), reach) if risk else []:
        if of_faults.isdisjoint(cluster.tolist()):  # else it is around a fault
            severity = RISK if _counts(points[cluster]) else NOTE
            places.append(_place(points, distances, cluster, severity, risk))
    return places


_SEVERITIES = (FAULT, RISK, NOTE)


def _half(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, 1): half of the distances; 0 where there is none."""
    return np.where(np.isfinite(distances), distances, 0.0)[:, None] / 2


def _clusters(
    middles: NDArray[np.float64], below: NDArray[np.int64], reach: float
) -> list[NDArray[np.int64]]:
    """Indices of samples that are connected by steps of at most `reach`, by cluster."""
    labels = group_near(middles[below], reach, max_pairs=MAX_PAIRS)
    if labels is None:
        return [np.array([sample]) for sample in below]
    order = np.argsort(labels, kind="stable")
    return np.split(below[order], np.flatnonzero(np.diff(labels[order])) + 1)


def _length(points: NDArray[np.float64]) -> float:
    return float((points.max(axis=0) - points.min(axis=0)).max())


def _counts(points: NDArray[np.float64]) -> bool:
    return len(points) >= MIN_SAMPLES and _length(points) >= MIN_LENGTH


def _place(
    points: NDArray[np.float64],
    distances: NDArray[np.float64],
    cluster: NDArray[np.int64],
    severity: str,
    limit: float,
) -> Place:
    rank = 0 if severity == NOTE else MIN_SAMPLES - 1
    chosen = cluster[np.argsort(distances[cluster], kind="stable")[rank]]
    x, y, z = points[chosen].tolist()
    apart = np.linalg.norm(points[cluster] - points[chosen], axis=1)
    nearest = points[cluster[np.argsort(apart, kind="stable")[:MAX_MARKED]]]
    length = _length(points[cluster])
    return Place(severity, limit, float(distances[chosen]), (x, y, z), length, nearest)


def _alike(places: Iterable[Place], kind: str) -> list[tuple[Finding, NDArray[np.float64]]]:
    """One finding of places whose severity, value and length are alike, the gravest first.

    With the points of its first place.
    """
    groups: list[list[Place]] = []
    for place in sorted(
        places, key=lambda place: (_SEVERITIES.index(place.severity), place.value, place.at)
    ):
        group = next((group for group in groups if _is_alike(group[0], place)), None)
        if group is None:
            groups.append([place])
        else:
            group.append(place)
    return [
        (
            Finding(
                kind,
                group[0].severity,
                group[0].limit,
                group[0].value,
                group[0].at,
                max(place.length for place in group),
                len(group),
            ),
            group[0].points,
        )
        for group in groups
    ]


def _is_alike(first: Place, place: Place) -> bool:
    """Whether a place is one with another that is not less grave; notes may differ in length."""
    shorter, longer = sorted((first.length, place.length))
    return (
        first.severity == place.severity
        and place.value - first.value <= ALIKE_VALUE
        and (longer <= ALIKE_LENGTH * shorter or place.severity == NOTE)
    )
