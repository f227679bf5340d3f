"""Registration of two surfaces: pose hypotheses, then least-squares refinement (ICP)."""

import math
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from geometry.mesh.aabb_tree import AabbTree
from geometry.similarity.landmarks import landmark_rotations
from geometry.similarity.normalized_surface import NormalForm
from geometry.similarity.sampling import corner_points, probe_points
from geometry.similarity.spherical_harmonics import correlated_rotations, harmonics_of, well_apart

PROBES, CORNERS = 800, 400
# Hypotheses need no more of the field, which is 1e-7 at a distance of 1.
COARSE_SPHERES, COARSE_DIRECTIONS, COARSE_REACH = 16, 240, 1.0
PEAKS, PEAKS_APART = 24, 20.0  # of the correlation; degrees
TRIED, LANDED = 16, 48  # corners by which rotations by landmarks are chosen, and of these
KEPT, KEPT_APART = 24, 8.0
SAME_RADII = 0.06  # squares of principal radii nearer than this say little about their axes
SWEEP = 5.0  # degrees
CAP = 0.15  # normal frame; what is farther away is wrong, not more wrong
TIE = 0.002  # normal frame; a score so near the best may turn out to be the best
SECONDS = 2.0  # of the best score; of those within it a few are looked at closer
ALONG_NORMAL = np.cos(np.radians(45.0))
MAX_TURN, MAX_MOVE, MAX_GROWTH, MAX_SCALE = 0.2, 0.2, 0.05, 0.3
DAMPING = 1e-7  # a sphere may turn as it likes
CONVERGED = 1e-8


class PosedForm(NamedTuple):
    """A surface with what its comparison asks of it.

    harmonics : (8, 81), its field
    probes    : (PROBES, 3), points that tell its pose
    corners   : (CORNERS, 3), points that tell it from its like
    """

    surface: NormalForm
    tree: AabbTree
    harmonics: NDArray[np.float64]
    probes: NDArray[np.float64]
    corners: NDArray[np.float64]


@dataclass(frozen=True)
class Poses:
    """x -> scale * rotation @ x + move, from the normal frame of a body to that of another.

    scales    : (h,) float64
    rotations : (h, 3, 3) float64, orthogonal; of determinant -1 for a mirror image
    moves     : (h, 3) float64
    """

    scales: NDArray[np.float64]
    rotations: NDArray[np.float64]
    moves: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.scales)

    def take(self, chosen: NDArray[np.int64] | list[int]) -> Self:
        return type(self)(self.scales[chosen], self.rotations[chosen], self.moves[chosen])

    def forth(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """(h, n, 3) of (n, 3), or of (h, n, 3): each pose's own."""
        turned = points @ self.rotations.transpose(0, 2, 1)
        return self.scales[:, None, None] * turned + self.moves[:, None]

    def back(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """The inverse of `forth`."""
        return (points - self.moves[:, None]) @ self.rotations / self.scales[:, None, None]


class Offsets(NamedTuple):
    """How far surfaces are apart at probes of both, in the normal frame of the second body.

    points  : (h, n, 3), on the first body, or of the second's probes the nearest there
    offsets : (h, n, 3), from the second body to these
    normals : (h, n, 3), of the second body, or of the first at `points`
    """

    points: NDArray[np.float64]
    offsets: NDArray[np.float64]
    normals: NDArray[np.float64]


def body_of(surface: NormalForm) -> PosedForm:
    tree = AabbTree(surface.triangles)
    harmonics = harmonics_of(
        tree, spheres=COARSE_SPHERES, directions=COARSE_DIRECTIONS, below=COARSE_REACH
    )
    return PosedForm(
        surface,
        tree,
        harmonics,
        probe_points(surface, PROBES),
        corner_points(surface, CORNERS),
    )


def align(a: PosedForm, b: PosedForm, *, hand: int) -> Poses:
    """The poses of `a`, or for hand -1 of its mirror image, that are worth measuring.

    They are refined by iteratively reweighted least squares, point to plane, both ways (after
    Y. Chen and G. Medioni, 1992), of all hypotheses at once: first roughly, then those that
    promise something. None is within KEPT_APART degrees of another, and the one that is chosen of
    them is to be refined.
    """
    poses = _hypotheses(a, b, hand)
    poses = _best(poses, _scores(poses, a, b, 60))
    poses = _fit(poses, a, b, probes=60, steps=3)
    poses = _promising(poses, _scores(poses, a, b, 120), few=4)
    poses = _fit(poses, a, b, probes=200, steps=6)
    return _promising(poses, _scores(poses, a, b, 400), few=1)


def refined(poses: Poses, a: PosedForm, b: PosedForm) -> Poses:
    return _fit(poses, a, b, probes=500, steps=8)


def residuals(
    poses: Poses, a: PosedForm, b: PosedForm
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean distance at the probes of both, and the largest at corners too; (h,) each.

    In the normal frame of `b`.
    """
    at_probes = _distances(poses, a, b, a.probes, b.probes)
    at_corners = _distances(poses, a, b, a.corners, b.corners)
    largest = np.maximum(at_probes.max(axis=1), at_corners.max(axis=1))
    return at_probes.mean(axis=1), largest


def _hypotheses(a: PosedForm, b: PosedForm, hand: int) -> Poses:
    """Turned not at all in the files' frames, by principal axes, correlation and landmarks."""
    flips = np.array([np.diag([x, y, x * y]) for x in (1.0, -1.0) for y in (1.0, -1.0)])
    rotations = [
        (b.surface.axes.T @ a.surface.axes)[None] * hand,
        flips * hand,
        correlated_rotations(a.harmonics, b.harmonics, hand=hand, count=PEAKS, apart=PEAKS_APART),
        _landed(a, b, hand),
    ]
    axis = _odd_axis(b.surface.radii)
    if axis is not None:
        rotations.append(
            hand * (flips[[0, 1 if axis else 2], None] @ _about(axis)).reshape(-1, 3, 3)
        )
    every = np.concatenate(rotations)
    return Poses(np.ones(len(every)), every, np.zeros((len(every), 3)))


def _landed(a: PosedForm, b: PosedForm, hand: int) -> NDArray[np.float64]:
    """(k, 3, 3): of the rotations by landmarks those that lay a few other corners best."""
    rotations = landmark_rotations(a.surface.corners, b.surface.corners, hand=hand)
    led = a.corners[:TRIED] @ rotations.transpose(0, 2, 1)
    far = b.tree.distances(led.reshape(-1, 3), below=CAP).reshape(len(rotations), TRIED)
    return rotations[np.argsort(far.mean(axis=1), kind="stable")[:LANDED]]


def _odd_axis(radii: NDArray[np.float64]) -> int | None:
    """The principal axis about which a disc or a bar could be turned by any angle."""
    squares = radii**2
    alike = squares[1:] > (1 - SAME_RADII) * squares[:2]
    return {(True, False): 2, (False, True): 0}.get((bool(alike[0]), bool(alike[1])))


def _about(axis: int) -> NDArray[np.float64]:
    """(72, 3, 3): turns about a coordinate axis in steps of SWEEP."""
    angles = np.radians(np.arange(0.0, 360.0, SWEEP))
    turns = np.zeros((len(angles), 3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    turns[:, axis, axis] = 1
    turns[:, i, i] = turns[:, j, j] = np.cos(angles)
    turns[:, j, i], turns[:, i, j] = np.sin(angles), -np.sin(angles)
    return turns


def _best(poses: Poses, scores: NDArray[np.float64]) -> Poses:
    order = np.argsort(scores, kind="stable")
    return poses.take(well_apart(poses.rotations, order, count=KEPT, apart=KEPT_APART))


def _promising(poses: Poses, scores: NDArray[np.float64], *, few: int) -> Poses:
    """Those in a tie with the best, and a few that come near it."""
    ranks = np.argsort(np.argsort(scores, kind="stable"))
    tied = scores <= scores.min() + TIE
    near = (scores <= SECONDS * scores.min()) & (ranks < few)
    chosen = np.flatnonzero(tied | near)
    return _best(poses.take(chosen), scores[chosen])


def _scores(poses: Poses, a: PosedForm, b: PosedForm, probes: int) -> NDArray[np.float64]:
    """(h,): mean distance both ways, of which none counts beyond CAP."""
    return _distances(poses, a, b, a.probes[:probes], b.probes[:probes], below=CAP).mean(axis=1)


def _distances(
    poses: Poses,
    a: PosedForm,
    b: PosedForm,
    of_a: NDArray[np.float64],
    of_b: NDArray[np.float64],
    *,
    below: float = math.inf,
) -> NDArray[np.float64]:
    """(h, n): of points of each body, (n, 3), from the other, in the normal frame of `b`."""
    forth = b.tree.distances(poses.forth(of_a).reshape(-1, 3), below=below)
    back = a.tree.distances(
        poses.back(of_b).reshape(-1, 3), below=below / float(poses.scales.min())
    )
    back = back.reshape(len(poses), -1) * poses.scales[:, None]
    return np.concatenate([forth.reshape(len(poses), -1), np.minimum(back, below)], axis=1)


def _offsets(
    poses: Poses, a: PosedForm, b: PosedForm, of_a: NDArray[np.float64], of_b: NDArray[np.float64]
) -> Offsets:
    """At points of each body, (n, 3)."""
    forth = poses.forth(of_a)
    back = poses.back(of_b)
    on_b = b.tree.nearest(forth.reshape(-1, 3))
    on_a = a.tree.nearest(back.reshape(-1, 3))
    points_a = poses.forth(on_a.points.reshape(back.shape))
    normals_a = a.surface.normals[on_a.facets].reshape(back.shape)
    normals_b = b.surface.normals[on_b.facets].reshape(forth.shape)
    return Offsets(
        np.concatenate([forth, points_a], axis=1),
        np.concatenate([forth - on_b.points.reshape(forth.shape), points_a - of_b], axis=1),
        np.concatenate([normals_b, normals_a @ poses.rotations.transpose(0, 2, 1)], axis=1),
    )


def _fit(poses: Poses, a: PosedForm, b: PosedForm, *, probes: int, steps: int) -> Poses:
    for _ in range(steps):
        poses, largest = _step(poses, _offsets(poses, a, b, a.probes[:probes], b.probes[:probes]))
        if largest < CONVERGED:
            break
    return poses


def _step(poses: Poses, apart: Offsets) -> tuple[Poses, float]:
    """One step of Gauss and Newton, and how far it went; turn, move and growth are unknown."""
    points, offsets, normals = apart
    distances = np.linalg.norm(offsets, axis=2, keepdims=True)
    residuals = (normals * offsets).sum(axis=2, keepdims=True)
    # Beyond an edge the offset itself leads to the surface, not the facet's normal.
    beside = (np.abs(residuals) < ALONG_NORMAL * distances) & (distances > CONVERGED)
    normals = np.where(beside, offsets / np.maximum(distances, CONVERGED), normals)
    residuals = np.where(beside, distances, residuals)

    # A scale of the median: 0 on a plate, whose few telling points would pass for outliers.
    usual = 2 * np.quantile(distances, 0.8, axis=1, keepdims=True) + 1e-12
    weights = 1 / (1 + (distances / usual) ** 2)
    slopes = np.concatenate(
        [np.cross(points, normals), normals, (normals * points).sum(axis=2, keepdims=True)], axis=2
    )
    weighted = (weights * slopes).transpose(0, 2, 1)
    matrix = weighted @ slopes
    matrix += DAMPING * np.trace(matrix, axis1=1, axis2=2)[:, None, None] * np.eye(7)
    step = -np.linalg.solve(matrix, weighted @ residuals)[..., 0]

    turn = _at_most(step[:, :3], MAX_TURN)
    move = _at_most(step[:, 3:6], MAX_MOVE)
    growth = np.clip(step[:, 6], -MAX_GROWTH, MAX_GROWTH)
    growth = np.clip(growth, *(np.array([[-MAX_SCALE], [MAX_SCALE]]) - np.log(poses.scales)))
    turns = _rotations(turn)
    moved = (turns @ poses.moves[..., None])[..., 0] * np.exp(growth)[:, None] + move
    poses = Poses(poses.scales * np.exp(growth), turns @ poses.rotations, moved)
    return poses, float(np.abs(step).max())


def _at_most(vectors: NDArray[np.float64], length: float) -> NDArray[np.float64]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors * np.minimum(1.0, length / np.maximum(lengths, 1e-300))


def _rotations(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """(h, 3, 3) of rotation vectors, (h, 3), by Rodrigues' formula."""
    angle = np.linalg.norm(vectors, axis=1)[:, None, None]
    x, y, z = vectors.T
    zero = np.zeros(len(vectors))
    cross = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)
    return (
        np.eye(3)
        + np.sinc(angle / np.pi) * cross
        + 0.5 * np.sinc(angle / (2 * np.pi)) ** 2 * (cross @ cross)
    )
