"""Toolpaths of one layer."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gcode.layers import LayerIndex
from gcode.machine import State
from gcode.motion import Moves, follow
from gcode.reader import UPPER, Reader
from gcode.texts import unix_lines

MAX_BYTES = 1 << 20  # of a layer that are read, in a second at the very worst
MAX_POINTS = 200_000
DIGITS = 3  # after the point


class LaidPath(NamedTuple):
    """Consecutive lines of one feature.

    feature : the slicer's word in lower case, "" where it said none
    width   : mm, of the average line, as if its section were a rectangle
    points  : mm, x and y by turns; arcs have become straight lines
    """

    feature: str
    width: float
    points: list[float]


class Laid(NamedTuple):
    """What a layer lays down, path by path, in the order in which it is printed.

    features : (k,), the slicer's words, by their numbers in the index
    widths   : (k,) mm
    sizes    : (k,), how many points each path has
    points   : (2, p) mm, of all paths
    complete : whether these are all
    """

    features: NDArray[np.int64]
    widths: NDArray[np.float64]
    sizes: NDArray[np.int64]
    points: NDArray[np.float64]
    complete: bool


def laid_paths(text: bytes, index: LayerIndex, number: int) -> tuple[list[LaidPath], bool]:
    """The paths of a layer, and whether these are all: there are at most MAX_POINTS points.

    text : the layer's lines, the bytes `index.span(number)` of the file, or the first of them
    """
    layer = laid(text, index, number, most=MAX_POINTS)
    names = index.names
    flat = np.round(layer.points.T, DIGITS).ravel().tolist()
    ends = np.cumsum(layer.sizes).tolist()
    paths = [
        LaidPath(names[feature], width, flat[2 * (end - size) : 2 * end])
        for feature, width, end, size in zip(
            layer.features.tolist(),
            np.round(layer.widths, DIGITS).tolist(),
            ends,
            layer.sizes.tolist(),
            strict=True,
        )
    ]
    return paths, layer.complete


def laid(text: bytes, index: LayerIndex, number: int, *, most: int | None = None) -> Laid:
    """What a layer lays down, in at most so many points.

    text : as in `laid_paths`
    """
    start, end = index.span(number)
    whole = len(text) >= end - start
    text = unix_lines(text)
    text = text + b"\n" if whole else text[: text.rfind(b"\n") + 1]  # without a broken last line
    nothing = np.zeros(0, np.int64)
    if not text:
        return Laid(nothing, np.zeros(0), nothing, np.zeros((2, 0)), complete=False)
    state = State(position=index.position(number), features=index.features)
    state.settings |= index.settings(number)
    moves = follow(Reader().block(text.translate(UPPER)), state)
    rows = np.flatnonzero(moves.extruded > 0.0)
    if not len(rows):
        return Laid(nothing, np.zeros(0), nothing, np.zeros((2, 0)), complete=whole)
    counts = _line_counts(moves, rows)
    features = moves.features[rows]
    apart = (np.diff(rows, prepend=-2) != 1) | (np.diff(features, prepend=-1) != 0)
    room = len(rows)
    if most is not None:
        room = int(np.searchsorted(np.cumsum(counts + apart), most, side="right"))
    complete = whole and room >= len(rows)
    rows, counts, features, apart = rows[:room], counts[:room], features[:room], apart[:room]
    begins = np.flatnonzero(apart)
    return Laid(
        features=features[begins],
        widths=_widths(moves, rows, begins, index, number),
        sizes=np.add.reduceat(counts + apart, begins),
        points=_points(moves, rows, counts, apart),
        complete=complete,
    )


def _line_counts(moves: Moves, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """(k,): of how many straight lines each row consists."""
    counts = np.ones(len(moves.extruded), np.int64)
    counts[moves.arcs.rows] = moves.arcs.line_counts()
    return counts[rows]


def _points(
    moves: Moves,
    rows: NDArray[np.int64],
    counts: NDArray[np.int64],
    apart: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """(2, p) mm: the ends of all lines, and the start of each row that begins a path."""
    sizes = counts + apart
    owners = np.repeat(np.arange(len(rows)), sizes)  # (p,)
    step = np.arange(len(owners)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + ~apart[owners]
    chosen = rows[owners]
    points = np.where(step == 0, moves.starts[:2, chosen], moves.ends[:2, chosen])
    within = np.flatnonzero((step > 0) & (step < counts[owners]))  # only arcs have such points
    if len(within):
        arcs = np.searchsorted(moves.arcs.rows, chosen[within])
        share = step[within] / counts[owners[within]]
        starts, ends = moves.starts[:3, chosen[within]], moves.ends[:3, chosen[within]]
        places = starts + (ends - starts) * share
        places[moves.arcs.axes[:, arcs], np.arange(len(arcs))] = moves.arcs.points(arcs, share)
        points[:, within] = places[:2]
    return points


def _widths(
    moves: Moves,
    rows: NDArray[np.int64],
    begins: NDArray[np.int64],
    index: LayerIndex,
    number: int,
) -> NDArray[np.float64]:
    """(k,) mm: what is laid down, spread over its length and the layer's height."""
    lengths = np.hypot(*(moves.ends[:2, rows] - moves.starts[:2, rows]))
    at = np.searchsorted(rows, moves.arcs.rows).clip(max=len(rows) - 1)
    is_arc = rows[at] == moves.arcs.rows
    lengths[at[is_arc]] = moves.arcs.lengths()[is_arc]
    area = math.pi / 4.0 * index.filament_diameter**2
    section = area * np.add.reduceat(moves.extruded[rows], begins)
    length = np.maximum(np.add.reduceat(lengths, begins), 1e-9)
    stated = moves.modes["height"][rows[begins]]
    height = np.where(stated > 0.0, stated, index.layer(number).height).clip(1e-3)
    return np.minimum(section / length / height, 100.0)
