"""Estimate of print time and material before slicing.

A part is a shell and what fills it: `S` = min(volume, 0.9 mm x steep surface + 0.8 mm x flat
surface), `I` = infill x (volume - S). Time is a S + b I + c layers + d, material e S + f I + g.
The numbers belong to a config and an engine's version, and are learnt from its slices by least
relative squares; before there are enough of them, they are what printers of this kind do.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

STEEP, FLAT = 0.9, 0.8  # mm of material on a wall, and on a floor or ceiling
ENOUGH = 20  # slices
SURE = 90  # per cent of parts that lie within
MIN_WITHIN, UNLEARNT = 15.0, 50.0  # per cent
HIGHEST_WITHIN = 100.0


class Part(NamedTuple):
    """What is known of a part: volume in mm³, surface in mm², height and layers in mm."""

    volume: float
    steep: float
    flat: float
    z: float
    layer: float
    infill: float

    @property
    def shell(self) -> float:
        """cm³."""
        return min(self.volume, STEEP * self.steep + FLAT * self.flat) / 1000

    @property
    def filled(self) -> float:
        """cm³."""
        return self.infill * (self.volume / 1000 - self.shell)

    @property
    def layers(self) -> int:
        return max(1, round(self.z / self.layer))


class Sliced(NamedTuple):
    """A part, and what its slice came to: s and cm³."""

    part: Part
    seconds: float
    cc: float


class Speed(NamedTuple):
    """What a config comes to; `within` is per cent, for time and material alike."""

    time: tuple[float, float, float, float]
    volume: tuple[float, float, float]
    within: float
    learnt_from: int = 0


# 0.45 x 0.2 mm at 40 and 80 mm/s, a second and a half a layer, two minutes to begin; a skirt.
START = Speed((278.0, 139.0, 1.5, 120.0), (1.0, 1.0, 0.2), UNLEARNT)


class Quick(NamedTuple):
    """What a part probably takes: s, cm³."""

    seconds: float
    cc: float
    layers: int
    within: float


def estimate(part: Part, speed: Speed = START) -> Quick:
    """What a part probably takes."""
    return Quick(
        float(np.dot(_time_row(part), speed.time)),
        float(np.dot(_volume_row(part), speed.volume)),
        part.layers,
        speed.within,
    )


def learn(slices: Sequence[Sliced]) -> Speed:
    """What these slices of one config say; START where there are too few of them."""
    if len(slices) < ENOUGH:
        return START._replace(learnt_from=len(slices))
    times = np.array([_time_row(each.part) for each in slices])  # (n, 4)
    volumes = np.array([_volume_row(each.part) for each in slices])  # (n, 3)
    seconds = np.array([each.seconds for each in slices])  # (n,)
    cc = np.array([each.cc for each in slices])  # (n,)
    off = np.maximum(_left_out(times, seconds), _left_out(volumes, cc))
    within = float(np.percentile(off, SURE, method="higher")) * 100
    return Speed(
        tuple(_fit(times, seconds)),
        tuple(_fit(volumes, cc)),
        round(min(max(within, MIN_WITHIN), HIGHEST_WITHIN), 1),
        len(slices),
    )


def _time_row(part: Part) -> tuple[float, ...]:
    return part.shell, part.filled, float(part.layers), 1.0


def _volume_row(part: Part) -> tuple[float, ...]:
    return part.shell, part.filled, 1.0


def _fit(rows: NDArray[np.float64], found: NDArray[np.float64]) -> NDArray[np.float64]:
    """Coefficients of 0 or more by least relative squares (Lawson and Hanson's NNLS)."""
    from scipy.optimize import nnls  # here, since every process imports the actors

    return nnls(rows / found[:, None], np.ones(len(found)))[0]


def _left_out(rows: NDArray[np.float64], found: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far off each is, judged by the others: a part of 1."""
    keep = ~np.eye(len(found), dtype=bool)
    guessed = np.array(
        [rows[at] @ _fit(rows[keep[at]], found[keep[at]]) for at in range(len(found))]
    )
    return np.abs(guessed / found - 1)
