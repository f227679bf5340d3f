"""The plate of a build from above."""

import pytest

from apps.console.domain.plate import COLORS, colors, top_view

BED = {"x": 200.0, "y": 180.0, "z": 200.0}


def place(piece: str, low: tuple[float, float], high: tuple[float, float]) -> dict:
    box = {
        "low": {"x": low[0], "y": low[1], "z": 0.0},
        "high": {"x": high[0], "y": high[1], "z": 9.0},
    }
    return {"piece": piece, "box": box, "bed_offset": {"x": 0.0, "y": 0.0}}


def test_outline_is_the_box_of_its_piece_with_y_downward():
    view = top_view(BED, [place("a", (10, 20), (40, 60))], {"a": "#123456"})

    (outline,) = view.outlines
    assert (outline.x, outline.y, outline.width, outline.height) == (10, 120, 30, 40)
    assert (outline.cx, outline.cy) == (25, 140)
    assert (outline.number, outline.color) == (1, "#123456")


def test_outline_is_moved_by_the_place_of_the_build_on_the_bed():
    piece = place("a", (10, 20), (40, 60)) | {"bed_offset": {"x": 7.5, "y": 4.0}}

    (outline,) = top_view(BED, [piece], {}).outlines

    assert (outline.x, outline.y, outline.width, outline.height) == (17.5, 116, 30, 40)


def test_piece_without_a_place_keeps_its_number():
    view = top_view(
        BED,
        [{"piece": "a", "box": None, "bed_offset": None}, place("b", (0, 0), (1, 1))],
        dict.fromkeys("ab", "red"),
    )

    assert [outline.number for outline in view.outlines] == [2]


def test_pieces_of_an_order_share_a_colour_and_orders_differ():
    colored = colors(["one", "two", "one", "three"])

    assert colored == {"one": COLORS[0], "two": COLORS[1], "three": COLORS[2]}


@pytest.mark.parametrize("width", [90.5, 220.0, 400.0])
def test_view_shows_all_of_the_bed(width):
    view = top_view({"x": width, "y": 100.0}, [], {})

    left, top, wide, high = map(float, view.view.split())
    assert left <= 0
    assert top <= 0
    assert left + wide >= width
    assert top + high >= 100
