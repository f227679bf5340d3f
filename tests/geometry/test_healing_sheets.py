"""Fins, inner walls and solids that lie on each other, as modelling programs leave them."""

import numpy as np
import pytest

from geometry.formats.stl import write_binary
from geometry.healing import heal, snap_rounding
from tests.geometry.shapes import box


def grid(start, along, across, columns, rows):
    """(2 columns rows, 3, 3): a flat sheet of equal rectangles."""
    start, along, across = (np.array(vector, dtype=float) for vector in (start, along, across))
    triangles = []
    for column in range(columns):
        for row in range(rows):
            a, b, c, d = (
                start + along * (column + i) / columns + across * (row + j) / rows
                for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))
            )
            triangles += [(a, b, c), (a, c, d)]
    return np.array(triangles, dtype=np.float32)


def block(low, high, size=5.0):
    """An upright box whose sides are divided into squares on one grid, so that blocks match."""
    low, high = np.array(low) * size, np.array(high) * size
    sides = []
    for axis in range(3):
        u, v = np.zeros(3), np.zeros(3)
        u[(axis + 1) % 3] = (high - low)[(axis + 1) % 3]
        v[(axis + 2) % 3] = (high - low)[(axis + 2) % 3]
        counts = [round(float(side.sum()) / size) for side in (u, v)]
        top = low.copy()
        top[axis] = high[axis]
        sides.append(grid(low, v, u, counts[1], counts[0]))
        sides.append(grid(top, u, v, *counts))
    return np.concatenate(sides)


CUBE = block((0, 0, 0), (4, 4, 4))  # of 20 mm


@pytest.fixture
def healed(tmp_path):
    """Heal triangles; the receipt."""

    def run(*parts, **limits):
        source = tmp_path / "in.stl"
        write_binary(np.concatenate(parts), source)
        return heal(str(source), str(tmp_path / "out.stl"), **limits)

    return run


FIN = grid((20, 0, 10), (10, 0, 0), (0, 20, 0), 2, 4)
WALL = grid((0, 0, 10), (20, 0, 0), (0, 20, 0), 4, 4)
SHEETS = {
    "fin at an edge of facets": FIN,
    "fin that faces the other way": FIN[:, ::-1],
    "fin larger than the part": grid((20, 0, 10), (120, 0, 0), (0, 20, 0), 24, 4),
    "fin in the middle of facets": grid((20, 1, 9), (10, 0, 0), (0, 17, 0), 2, 4),
    "wall from side to side": WALL,
    "wall with an open end": grid((0, 0, 10), (15, 0, 0), (0, 20, 0), 3, 4),
    "walls that cross": np.concatenate([WALL, grid((10, 0, 0), (0, 20, 0), (0, 0, 20), 4, 4)]),
    "loose wall inside": grid((3, 3, 9), (12, 0, 0), (0, 13, 0), 4, 4),
    "loose sheet outside": grid((30, 3, 9), (12, 0, 0), (0, 13, 0), 4, 4),
}


@pytest.mark.parametrize("sheet", SHEETS.values(), ids=SHEETS.keys())
def test_sheet_without_thickness_is_removed(healed, sheet):
    receipt = healed(CUBE, sheet)

    assert receipt["after"]["manifold"]
    assert (receipt["after"]["triangles"], receipt["after"]["shells"]) == (len(CUBE), 1)
    assert receipt["after"]["volume"] == pytest.approx(8000)
    assert receipt["steps"][-1]["name"] == "sheets"
    assert receipt["filled_area_share"] == 0


def test_hole_beside_a_fin_is_filled(healed):
    receipt = healed(CUBE[3:], FIN)

    assert receipt["after"]["manifold"]
    assert receipt["after"]["volume"] == pytest.approx(8000)


def test_boss_without_a_floor_is_joined_with_the_part_below(healed):
    boss = block((1, 1, 4), (3, 3, 6))
    floor = (boss[:, :, 2] == 20).all(axis=1)

    receipt = healed(CUBE, boss[~floor])

    assert receipt["after"]["manifold"]
    assert receipt["after"]["volume"] == pytest.approx(8000 + 1000)


def test_open_box_that_touches_another_at_an_edge_remains(healed):
    other = block((4, 4, 0), (8, 8, 4))
    lid = (other[:, :, 2] == 20).all(axis=1)

    receipt = healed(CUBE, other[~lid])

    assert receipt["after"]["manifold"]
    assert receipt["after"]["volume"] == pytest.approx(16000, rel=1e-4)


def test_thin_plate_without_a_side_remains(healed):
    plate = box((0, 0, 0), (30, 30, 0.2))
    missing = (plate[:, :, 2] > 0.1).all(axis=1)

    receipt = healed(plate[~missing], max_filled_area=0.6, max_volume_change=1)

    assert receipt["after"]["volume"] == pytest.approx(180)


@pytest.mark.parametrize("turned", [False, True])
def test_balanced_solids_with_common_facets_are_united(healed, turned):
    # The small block lies in a corner of the cube: three of its sides are on the cube's.
    inner = block((0, 0, 0), (2, 2, 2))
    facets = np.concatenate([CUBE, inner])

    receipt = healed(facets[:, ::-1] if turned else facets)

    assert receipt["before"]["nonmanifold_edges"] > 20
    assert receipt["before"]["open_edges"] == 0
    assert receipt["after"]["manifold"]
    assert receipt["after"]["volume"] == pytest.approx(8000, rel=1e-4)
    assert receipt["overlap_removed"] == pytest.approx(1000, rel=1e-4)
    assert receipt["filled_area_share"] == 0


@pytest.mark.parametrize("seed", range(8))
def test_balanced_solids_on_one_grid_are_united(healed, seed):
    rng = np.random.default_rng(seed)
    blocks, filled = [], np.zeros((6, 6, 6), dtype=bool)
    for _ in range(5):
        low = rng.integers(0, 5, 3)
        high = np.minimum(low + rng.integers(1, 4, 3), 6)
        blocks.append(block(low, high))
        filled[low[0] : high[0], low[1] : high[1], low[2] : high[2]] = True

    receipt = healed(*blocks)

    assert receipt["after"]["manifold"]
    assert receipt["after"]["volume"] == pytest.approx(125 * filled.sum(), rel=1e-4)


def test_touching_solids_that_stay_together_are_accepted_as_closed(healed, monkeypatch):
    monkeypatch.setattr(snap_rounding, "ROUNDS", 0)

    receipt = healed(CUBE, block((4, 4, 0), (8, 8, 4)))

    after = receipt["after"]
    assert (after["open_edges"], after["nonmanifold_edges"]) == (0, 4)
    assert after["volume"] == pytest.approx(16000)
