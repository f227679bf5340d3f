"""Classification of a deviation: identical, very similar, similar."""

import math
from typing import NamedTuple

# Mean deviation of the two surfaces, as a share of the match's diagonal; "identical" is decided by
# the largest one, and by invariants that a stretch changes where it moves the surface too little.
TOLERANCES = {"identical": 0.0005, "very_similar": 0.003, "similar": 0.02}
INVARIANTS_AGREE = 1e-3  # relative; copies agree to 2e-5, parts stretched by 1 % differ by 3e-3
FADING = 0.02  # mean deviation, as a share of the diagonal, at which the percentage is 100 / e
UNPROVEN = 99.9  # the highest percentage without a proof

# L1 of two descriptors, and the median of 100 x mean deviation / diagonal of real pairs there.
ESTIMATES = [
    (0.02, 0.0), (0.15, 0.16), (0.3, 0.7), (0.55, 1.5),
    (0.85, 3.6), (1.25, 4.5), (1.75, 7.4), (2.5, 9.1),
]  # fmt: skip
UNITS = {25.4: "inch", 10.0: "cm", 1000.0: "metre"}
UNIT_AGREES = 1e-3


class Comparison(NamedTuple):
    """How the searched model, a, lies on the match, b. JSON-able by `_asdict()`.

    verdict       : identical, very_similar, similar or different
    verified      : True, as this was measured; an estimate of the caller's says False
    percentage    : 0 to 100; 100 only where the verdict is identical
    scale_factor  : scaling the searched model by it yields the match's size
    transform     : 4 x 4, row by row: searched model -> match, in the units of the files
    mirrored      : the mirror image fits, and the model itself does not
    symmetric     : a second pose fits as well as the one that is reported
    largest, mean : mm, in the match's size: how far the surfaces are apart, the worse way
    largest_share, mean_share : the same, relative to the diagonal of the match's box
    distance      : 100 x mean_share, comparable with what `estimate` tells
    resolution    : mm; about how far apart the measured points are, 0 where all were measured
    """

    verdict: str
    verified: bool
    percentage: float
    scale_factor: float
    transform: list[list[float]]
    mirrored: bool
    symmetric: bool
    largest: float
    mean: float
    largest_share: float
    mean_share: float
    distance: float
    resolution: float = 0.0


def judge(*, largest_share: float, mean_share: float, same_invariants: bool) -> str:
    """The verdict on a model in its own hand; a mirror image is never `identical`."""
    if same_invariants and largest_share <= TOLERANCES["identical"]:
        return "identical"
    for verdict in ("very_similar", "similar"):
        if mean_share <= TOLERANCES[verdict]:
            return verdict
    return "different"


def percentage_of(distance: float) -> float:
    """0 to 99.9, of a distance as `Comparison` and `estimate` tell it."""
    return min(UNPROVEN, 100 * math.exp(-distance / (100 * FADING)))


def estimate(l1: float) -> tuple[float, float]:
    """Distance and percentage, read from the L1 distance of two descriptors, unverified.

    Half or twice of it is as likely: it orders candidates, and proves nothing.
    """
    (low, distance), *rest = ESTIMATES
    for high, beyond in rest:
        slope = (beyond - distance) / (high - low)
        if l1 <= high or high == rest[-1][0]:
            distance += slope * max(l1 - low, 0.0)
            break
        low, distance = high, beyond
    return distance, percentage_of(distance)


def unit_hint(scale: float) -> str | None:
    """The unit that one of the two files was written in instead of mm, if `scale` looks so."""
    for factor, unit in UNITS.items():
        if any(abs(ratio / factor - 1) <= UNIT_AGREES for ratio in (scale, 1 / scale)):
            return unit
    return None
