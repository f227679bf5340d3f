"""Beds of OrcaSlicer and Bambu Studio: the printable area without what is excluded."""

from collections.abc import Sequence

from apps.slicing.configs.slic3r import MAX_CORNERS, bed_outline, bounds_of
from geometry.bed_shape import is_box

Corner = tuple[float, float]


def bed_shape(area: Sequence[str], excluded: Sequence[str]) -> tuple[str, str]:
    """Return a bed as PrusaSlicer writes it, and a note where a part of the area is left out.

    area, excluded : corners such as 180x0, mm

    A rectangle that is excluded in a corner becomes a notch. Anything else takes the smallest strip
    along a side of the bed that contains it.
    """
    outline = _corners(area)
    if outline is None:
        return "", "Its printable area is no polygon."
    hole = _corners(excluded)
    if hole is None or not _meet(outline, hole):
        return _written(outline), ""
    left, front, right, back = bounds_of(outline)
    near, low, far, high = bounds_of(hole)
    width, depth = far - near, high - low
    note = f"{width:g} x {depth:g} mm of the bed are excluded."
    if is_box(outline) and is_box(hole):
        corners = _notched((left, front, right, back), (near, low, far, high))
        if corners:
            return _written(corners), note
    boxes = [(far, front, right, back), (left, front, near, back)]
    boxes += [(left, high, right, back), (left, front, right, low)]
    x, y, end_x, end_y = max(
        boxes, key=lambda box: max(box[2] - box[0], 0) * max(box[3] - box[1], 0)
    )
    return _written([(x, y), (end_x, y), (end_x, end_y), (x, end_y)]), note


def _corners(points: Sequence[str]) -> tuple[Corner, ...] | None:
    if not 3 <= len(points) <= MAX_CORNERS:
        return None
    return bed_outline(",".join(points))


def _meet(outline: Sequence[Corner], hole: Sequence[Corner]) -> bool:
    left, front, right, back = bounds_of(outline)
    near, low, far, high = bounds_of(hole)
    return near < far and low < high and near < right and far > left and low < back and high > front


def _notched(
    bed: tuple[float, float, float, float], hole: tuple[float, float, float, float]
) -> list[Corner] | None:
    """Return the corners of a bed without a rectangle in its corner; None for one elsewhere."""
    left, front, right, back = bed
    near, low, far, high = hole
    at_left, at_right = near <= left < far < right, left < near < right <= far
    in_front, behind = low <= front < high < back, front < low < back <= high
    if at_left and in_front:
        return [
            (far, front),
            (right, front),
            (right, back),
            (left, back),
            (left, high),
            (far, high),
        ]
    if at_right and in_front:
        return [
            (left, front),
            (near, front),
            (near, high),
            (right, high),
            (right, back),
            (left, back),
        ]
    if at_right and behind:
        return [
            (left, front),
            (right, front),
            (right, low),
            (near, low),
            (near, back),
            (left, back),
        ]
    if at_left and behind:
        return [(left, front), (right, front), (right, back), (far, back), (far, low), (left, low)]
    return None


def _written(corners: Sequence[Corner]) -> str:
    return ",".join(f"{x:g}x{y:g}" for x, y in corners)
