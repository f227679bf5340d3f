"""Registers two meshes and measures their deviation."""

import math
import os
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.similarity.classification import (
    INVARIANTS_AGREE,
    TOLERANCES,
    Comparison,
    judge,
    percentage_of,
)
from geometry.similarity.deviation import ENOUGH, Mismatch, farthest, measure, points_of
from geometry.similarity.normalized_surface import NormalForm, read_surface
from geometry.similarity.registration import PosedForm, Poses, align, body_of, refined, residuals

COMPARISON_VERSION = 3  # rises where something else is said of a pair than before
ALIKE = 1e-4  # poses whose deviations, as shares of the diagonal, differ by less fit alike
SETTLED = 2e-4  # share of the diagonal; where the model itself fits so well, no image fits better
LARGEST_COUNTS = 0.1  # of two poses, against the mean
FEWEST_MEASURED = 3  # of poses that fit alike; small meshes have all of theirs measured
MIRROR_GAINS = 0.8  # of the model's own deviation: noise fits a symmetric part either way better
MIRROR_HOPES = 0.9  # the same of the mean at the probes, before the image is refined


class BestPose(NamedTuple):
    """The best pose in one hand.

    at_probes : mean deviation there, a share of the diagonal
    symmetric : another pose fits as well
    """

    pose: Poses
    deviation: Mismatch
    at_probes: float
    symmetric: bool


def compare(path_a: str | os.PathLike, path_b: str | os.PathLike) -> Comparison:
    """Align the mesh of a file, in either hand and at any scale, with that of another.

    Raises InvalidMesh as `describe` does.
    """
    return compare_surfaces(read_surface(path_a), read_surface(path_b))


def compare_surfaces(surface_a: NormalForm, surface_b: NormalForm) -> Comparison:
    """The same of surfaces that are already read."""
    a, b = body_of(surface_a), body_of(surface_b)
    length = surface_b.diagonal / surface_b.rms
    own = _best_fit(align(a, b, hand=1), a, b, length, hand=1)
    image = None
    if own.deviation.largest > SETTLED:
        image = _mirrored_fit(own, a, b, length)
    found, mirrored = image or own, image is not None

    mean, largest, resolution = found.deviation
    verdict = judge(
        largest_share=largest,
        mean_share=mean,
        same_invariants=not mirrored and _same_invariants(surface_a, surface_b),
    )
    distance = 100 * mean
    return Comparison(
        verdict=verdict,
        verified=True,
        percentage=100.0 if verdict == "identical" else percentage_of(distance),
        scale_factor=float(found.pose.scales[0]) * surface_b.rms / surface_a.rms,
        transform=_transform(found.pose, surface_a, surface_b).tolist(),
        mirrored=mirrored,
        symmetric=found.symmetric,
        largest=largest * surface_b.diagonal,
        mean=mean * surface_b.diagonal,
        largest_share=largest,
        mean_share=mean,
        distance=distance,
        resolution=resolution * surface_b.diagonal,
    )


def _mirrored_fit(own: BestPose, a: PosedForm, b: PosedForm, length: float) -> BestPose | None:
    """That of the mirror image, if it fits so clearly better that the model is called mirrored."""
    images = align(a, b, hand=-1)
    means, largest = (values / length for values in residuals(images, a, b))
    if means.min() > MIRROR_HOPES * own.at_probes and largest.min() > SETTLED:
        return None
    image = _best_fit(images, a, b, length, hand=-1)
    return image if _is_better(image.deviation, own.deviation) else None


def _best_fit(poses: Poses, a: PosedForm, b: PosedForm, length: float, *, hand: int) -> BestPose:
    """Of poses that fit alike the one that turns least in the files, so that answers stay."""
    means, largest = (values / length for values in residuals(poses, a, b))
    best = int((means + LARGEST_COUNTS * largest).argmin())
    alike = np.flatnonzero((means <= means[best] + ALIKE) & (largest <= largest[best] + ALIKE))
    turns = b.surface.axes @ poses.rotations[alike] @ a.surface.axes.T * hand
    order = alike[np.argsort(-np.trace(turns, axis1=1, axis2=2).round(6), kind="stable")]

    pose = refined(poses.take([_chosen(poses, order, a, b, length)]), a, b)
    return BestPose(
        pose,
        measure(pose, a, b, length=length),
        at_probes=float(residuals(pose, a, b)[0][0]) / length,
        symmetric=len(order) > 1,
    )


def _chosen(
    poses: Poses, order: NDArray[np.int64], a: PosedForm, b: PosedForm, length: float
) -> int:
    """The first that is identical, or else the nearest to it.

    Probes can miss a small feature that tells one of these poses from the others.
    """
    chosen, least = order[0], math.inf
    most = max(FEWEST_MEASURED, ENOUGH // (points_of(a) + points_of(b)))
    for index in order[:most] if len(order) > 1 else ():
        far = farthest(poses.take([index]), a, b, length=length, enough=least)
        if far < least:
            chosen, least = index, far
        if far <= TOLERANCES["identical"]:
            break
    return int(chosen)


def _is_better(image: Mismatch, own: Mismatch) -> bool:
    """Also in the mean, unless it lies everywhere: a mean does not know of a small mark."""
    return (
        image.largest + SETTLED < own.largest
        and image.largest < MIRROR_GAINS * own.largest
        and (image.largest <= SETTLED or image.mean < MIRROR_GAINS * own.mean)
    )


def _same_invariants(a: NormalForm, b: NormalForm) -> bool:
    """The same principal radii and the same area, up to scale."""
    ours, theirs = (np.append(surface.radii, surface.areas.sum()) for surface in (a, b))
    return bool((np.abs(ours - theirs) <= INVARIANTS_AGREE * theirs + 1e-6).all())


def _transform(pose: Poses, a: NormalForm, b: NormalForm) -> NDArray[np.float64]:
    """(4, 4): from the file of `a` to that of `b`."""
    scale = pose.scales[0] * b.rms / a.rms
    linear = scale * b.axes @ pose.rotations[0] @ a.axes.T
    matrix = np.eye(4)
    matrix[:3, :3] = linear
    matrix[:3, 3] = b.centre + b.rms * b.axes @ pose.moves[0] - linear @ a.centre
    return matrix
