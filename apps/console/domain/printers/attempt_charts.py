"""Chart of the readings of a print attempt: coordinates of its lines, and a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import duration

if TYPE_CHECKING:
    from manufacturing.generated.erp import Readings

Values = Sequence[float | None]

SIZE = 1000  # of the drawing, which is stretched to the page
STEP = 50  # °C, of the axis


class Series(NamedTuple):
    """A line of the chart, with its lowest, highest and last value as text.

    name   : class of its shapes: nozzle, bed or progress
    points : as SVG lists them
    """

    name: str
    label: str | Promise
    unit: str
    points: str
    low: str
    high: str
    last: str


class AttemptChart(NamedTuple):
    """Temperatures and progress during a print, and the labels of the axes."""

    series: list[Series]
    degrees: list[str]
    times: list[str]


def attempt_chart(readings: Readings) -> AttemptChart | None:
    """Return the chart of readings; None where there are less than two."""
    seconds = readings["seconds"]
    if len(seconds) < 2:
        return None
    end = max(seconds[-1], 1)
    heaters: dict[str, tuple[str | Promise, Values]] = {
        "nozzle": (_("Nozzle"), readings["nozzle"]),
        "bed": (_("Bed"), readings["bed"]),
    }
    highest = max((value or 0 for __, values in heaters.values() for value in values), default=0)
    top = max(-(-highest // STEP), 1) * STEP
    percent = [None if value is None else value * 100 for value in readings["progress"]]
    series = [_series("progress", _("Progress"), "%", seconds, percent, 100)]
    series += [
        _series(name, label, "°C", seconds, values, top)
        for name, (label, values) in heaters.items()
    ]
    return AttemptChart(
        [line for line in series if line.points],
        [number_format(top * part, 0) for part in (1, 0.5, 0)],
        ["0", duration(end / 2), duration(end)],
    )


def _series(
    name: str, label: str | Promise, unit: str, seconds: Sequence[int], values: Values, top: float
) -> Series:
    reported = [(at, value) for at, value in zip(seconds, values, strict=True) if value is not None]
    points = [
        (SIZE * at / max(seconds[-1], 1), SIZE * (1 - min(max(value / top, 0), 1)))
        for at, value in reported
    ]
    if points and name == "progress":  # an area
        points = [(points[0][0], SIZE), *points, (points[-1][0], SIZE)]
    only = [value for __, value in reported] or [0]
    return Series(
        name,
        label,
        unit,
        " ".join(f"{x:.0f},{y:.0f}" for x, y in points),
        *(number_format(round(value), 0) for value in (min(only), max(only), only[-1])),
    )
