"""Charts that the server draws as SVG: coordinates of their shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

WIDTH, HEIGHT = 380, 170  # of the drawing
LEFT, TOP, BOTTOM = 34, 12, 140
BAR = 18  # widest
STEPS = (1, 2, 5, 10)


class Bar(NamedTuple):
    """A bar; its label is empty where there is no room for it."""

    x: int
    y: int
    width: int
    height: int
    middle: int
    label: str
    title: str


class GridLine(NamedTuple):
    """A line of the grid, and what it stands for."""

    y: int
    label: str


class BarChart(NamedTuple):
    """A chart of bars from left to right."""

    bars: list[Bar]
    lines: list[GridLine]


def bar_chart(values: Sequence[float], labels: Sequence[str], titles: Sequence[str]) -> BarChart:
    """Return a chart of these values, none of them below 0; every second bar has its label."""
    top = _round_up(max(values, default=0) or 1)
    room = (WIDTH - LEFT) / max(len(values), 1)
    width = min(BAR, round(room * 0.7))
    bars = []
    for at, value in enumerate(values):
        middle = round(LEFT + room * (at + 0.5))
        height = round(value / top * (BOTTOM - TOP))
        label = labels[at] if (len(values) - at) % 2 else ""
        x, y = middle - width // 2, BOTTOM - height
        bars.append(Bar(x, y, width, height, middle, label, titles[at]))
    marks = (0, top / 2, top)
    lines = [GridLine(round(BOTTOM - mark / top * (BOTTOM - TOP)), _short(mark)) for mark in marks]
    return BarChart(bars, lines)


def _round_up(value: float) -> float:
    """Return the next value of 1, 2, 5, 10 times a power of ten."""
    power = 10.0 ** (len(str(int(value))) - 1)
    return next(step * power for step in STEPS if step * power >= value)


def _short(value: float) -> str:
    """Return a number as the scale of a chart shows it: 2k, 1.5M."""
    for size, sign in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{sign}"
    return f"{value:g}"
