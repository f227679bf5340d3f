"""Auto-orientation: candidate directions scored for printing.

A part can lie on each face of its hull; its own large faces and the axes are worth a look too. Each
candidate is judged by what overhangs, what lies on the bed and how much support it would take, all
computed from facets that are grouped by direction. The best that fits the build volume is taken.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.transformations.box_fit import (
    Fit,
    along,
    extremes,
    fill,
    rotated,
    turn_about_z,
    turn_freely,
)
from geometry.transformations.facet_groups import Facets, survey
from geometry.transformations.rotations import IDENTITY, product, turning_down
from geometry.transformations.streamed_mesh import Body, CannotShape, flipped

HULL_FACES, OWN_FACES = 48, 24  # candidates at most: of the hull, and of the part itself
SAME = np.cos(np.radians(1.0))  # candidates nearer to each other than this are one
DOWN = np.array([0.0, 0.0, -1.0])
OTHER_AXES = np.array([[0, 0, 1], [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]], dtype=float)

STEEP = np.cos(np.radians(45.0))  # what leans out further than 45 degrees needs support
LEANING = 0.1  # cosine; what leans out less (6 degrees) prints as a wall does
LEVEL = np.cos(np.radians(2.0))  # facets that lie on the bed are as level as this
FIRST_LAYER = 0.05  # mm; facets within it of the lowest point lie on the bed
NOISE = 1e-5  # of the diagonal: the same in a model so large that float32 blurs its planes
LITTLE = 0.003  # a share of the surface, or of the box, that counts as next to nothing
BETTER = 0.98  # of the score as it stands: whoever turns a part must gain something


class Figures(NamedTuple):
    """How a part would print one way up.

    score    : without a unit, less is better
    overhang : mm^2, of facets that lean out by more than 45 degrees and are not on the bed
    contact  : mm^2, of facets on the bed
    support  : mm^3, of the columns between overhangs and the bed
    """

    score: float
    overhang: float
    contact: float
    support: float


class Orientation(NamedTuple):
    """The rotation that was chosen, (3, 3); why; the size then, mm; and figures of both.

    reason : as-it-stands, better, to-fit or diagonal
    """

    matrix: NDArray[np.float64]
    reason: str
    size: NDArray[np.float64]
    before: Figures
    after: Figures


def choose(body: Body, build: NDArray[np.float64]) -> Orientation:
    """How to turn a body so that it prints well and fits the (3,) `build`, in mm.

    It stays as it stands if that fits and nothing is better by 2 %. If it fits in no way in which
    it would lie on something, random rotations are searched, always the same ones.

    Raises CannotShape (does-not-fit), which tells the scale at which it would fit.
    """
    surface = survey(body.facets())
    if surface.inside_out:
        surface = survey(flipped(facets) for facets in body.facets())
    hull, judged = surface.hull, extremes(surface.hull)
    directions = _candidates(surface)
    figures = [_judge(surface, direction) for direction in directions]
    scores = np.array([each.score for each in figures])
    scores[0] *= BETTER
    for index in np.argsort(scores, kind="stable"):
        down = turning_down(directions[index])
        turn = turn_about_z(rotated(hull, down), rotated(judged, down), build)
        found = _fit(hull, product(turn, down), build)
        if found.fits:
            break
    else:
        found = _fit(hull, turn_freely(judged, build), build)
        if not found.fits:
            raise _does_not_fit(found.ratio, build)
        figures.append(_judge(surface, found.matrix.T @ DOWN))
        index = -1

    reason = "better" if _fit(hull, IDENTITY, build).fits else "to-fit"
    if index == -1:
        reason = "diagonal"
    elif (found.matrix == IDENTITY).all():
        reason = "as-it-stands"
    size = np.ptp(rotated(hull, found.matrix), axis=0)
    return Orientation(found.matrix, reason, size, figures[0], figures[index])


def _candidates(surface: Facets) -> NDArray[np.float64]:
    """(m, 3): directions that may point down; the first is that which does now."""
    hull = surface.hull_facets.largest_first(HULL_FACES)
    own = surface.facets.largest_first(OWN_FACES)
    kept: list[NDArray[np.float64]] = []
    for direction in np.concatenate([hull, own, OTHER_AXES]):
        if all(float(direction @ other) < SAME for other in kept):
            kept.append(direction)
    return np.array([DOWN, *kept])


def _judge(surface: Facets, down: NDArray[np.float64]) -> Figures:
    facets = surface.facets
    area = float(facets.areas.sum()) or 1.0
    diagonal = float(np.linalg.norm(np.ptp(surface.hull, axis=0))) or 1.0
    lowest = along(surface.hull.T, down).max()
    cosine = along(facets.normals, down)  # 1: looks straight down

    lies = lowest - along(facets.outer_centroids, down) < max(FIRST_LAYER, NOISE * diagonal)
    on_bed = np.where(lies & (cosine > LEVEL), facets.outer_areas, 0.0)
    hanging = np.maximum(facets.areas - on_bed, 0.0)
    steep = np.where(cosine > STEEP, hanging, 0.0)
    height = lowest - along(facets.centroids, down)
    contact, support = float(on_bed.sum()), float((steep * cosine * height).sum())
    # The steeper, the worse: the same overhang is easier on a slope than level in the air.
    leaning = float((hanging * np.maximum(cosine - LEANING, 0.0) ** 2).sum())

    score = (leaning / area + LITTLE) / (contact / area + LITTLE)
    score *= (support / (area * diagonal) + LITTLE) ** 0.5
    return Figures(score, float(steep.sum()), contact, support)


def _fit(hull: NDArray[np.float64], matrix: NDArray[np.float64], build: NDArray[np.float64]) -> Fit:
    return Fit(matrix, fill(rotated(hull, matrix), build))


def _does_not_fit(ratio: float, build: NDArray[np.float64]) -> CannotShape:
    x, y, z = build
    return CannotShape(
        "does-not-fit",
        f"The model does not fit into {x:g} x {y:g} x {z:g} mm however it is turned: it is "
        f"{ratio:.4g} times too large at best. Scale it to {99.9 / ratio:.4g} % before, or choose "
        "a larger build volume.",
    )
