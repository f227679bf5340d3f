"""The bracket: a frame round the part, beside it or joined to it."""

import numpy as np
import pytest

from geometry.analysis import analyse
from geometry.formats.stl import write_binary
from geometry.transformations import (
    AutoTranslate,
    Bracket,
    CannotShape,
    Rotate,
    Scale,
    Translate,
    shape,
)
from tests.geometry.shapes import ball, box

PART = box((1, 2, 3), (11, 22, 33))


@pytest.fixture
def shaped(tmp_path):
    """Shape triangles; the analysis of what comes of it, and what the last step told."""

    def shaped(triangles, *steps):
        write_binary(triangles, tmp_path / "source.stl")
        told = shape(tmp_path / "source.stl", steps, tmp_path / "out.stl")
        return analyse(tmp_path / "out.stl"), told[-1]

    return shaped


def frame_volume(x, y, width, gap, thickness):
    inner = (x + 2 * gap) * (y + 2 * gap)
    return thickness * ((x + 2 * gap + 2 * width) * (y + 2 * gap + 2 * width) - inner)


def test_bracket_is_a_watertight_frame_around_the_box(shaped):
    framed, told = shaped(PART, Bracket(width=4, gap=2, thickness=1.5))

    assert (framed.manifold, framed.triangles) == (True, 12 + 32)
    assert framed.volume == 10 * 20 * 30 + frame_volume(10, 20, 4, 2, 1.5)
    assert framed.bounds == ((-5, -4, 3), (17, 28, 33))
    assert told == {
        "type": "bracket",
        "inner": [[-1, 0], [13, 24]],
        "outer": [[-5, -4], [17, 28]],
        "bottom": 3,
        "top": 4.5,
        "joined": False,
        "summary": "A frame of 22 x 32 x 1.5 mm was put round the model.",
    }


def test_bracket_volume_matches_the_closed_form(shaped):
    before = analyse_of(ball(12), shaped)

    for width, gap, thickness in np.random.default_rng(1).uniform(0.5, 30, (10, 3)):
        framed, _ = shaped(ball(12), Bracket(width, gap, thickness))
        x, y, _ = before.size
        expected = before.volume + frame_volume(x, y, width, gap, thickness)
        assert framed.manifold
        assert framed.volume == pytest.approx(expected, rel=1e-6)


def analyse_of(triangles, shaped):
    analysis, _ = shaped(triangles, Translate(0, 0, 0))
    return analysis


def test_bracket_leaves_the_facets_of_the_part_byte_for_byte(tmp_path):
    write_binary(ball(12), tmp_path / "uploaded.stl")
    analyse(tmp_path / "uploaded.stl", tmp_path / "source.stl")

    shape(tmp_path / "source.stl", [Bracket(4, 2, 1.5)], tmp_path / "out.stl")

    source, out = ((tmp_path / name).read_bytes()[84:] for name in ("source.stl", "out.stl"))
    assert out.startswith(source)
    assert len(out) == len(source) + 32 * 50


def test_bracket_can_be_higher_than_the_part(shaped):
    framed, _ = shaped(PART, Bracket(4, 2, 50))

    assert framed.bounds == ((-5, -4, 3), (17, 28, 53))


def test_steps_after_a_bracket_apply_to_part_and_bracket(shaped):
    steps = [Bracket(4, 2, 1.5), Scale(200, 200, 200), Rotate(0, 90, 0), Translate(0, 0, 7)]

    framed, _ = shaped(PART, *steps)

    assert framed.manifold
    assert framed.volume == 8 * (10 * 20 * 30 + frame_volume(10, 20, 4, 2, 1.5))
    assert framed.bounds == ((6, -8, -27), (66, 56, 17))


def test_second_bracket_surrounds_the_first(shaped):
    framed, told = shaped(PART, Bracket(4, 2, 1.5), AutoTranslate(), Bracket(1, 1, 1))

    assert (framed.manifold, framed.triangles) == (True, 12 + 2 * 32)
    assert told["inner"] == [[-1, -1], [23, 33]]


def test_bracket_without_gap_is_joined_with_the_part(shaped):
    joined, told = shaped(PART, Bracket(4, 0, 1.5))

    assert told["joined"] is True
    assert joined.manifold
    assert joined.volume == pytest.approx(10 * 20 * 30 + frame_volume(10, 20, 4, 0, 1.5), rel=1e-6)
    assert joined.bounds == ((-3, -2, 3), (15, 26, 33))


@pytest.mark.parametrize(
    "part",
    [ball(12), PART[:, ::-1], box((0, 0, 0), (9, 9, 1)), box((0, 0, 0), (0.01, 0.01, 0.01))],
    ids=["ball", "inside out", "as high as the frame", "smaller than the overlap"],
)
def test_bracket_without_gap_keeps_the_part_watertight(shaped, part):
    joined, told = shaped(part, Rotate(0, 0, 33), Bracket(4, 0, 1), Rotate(50, 60, 70))

    assert told["type"] == "rotate"
    assert (joined.manifold, joined.inverted) == (True, False)


def test_bracket_without_gap_is_not_joined_with_an_open_part(shaped):
    framed, told = shaped(PART[1:], Bracket(4, 0, 1.5))

    assert told["joined"] is False
    assert framed.triangles == 11 + 32


@pytest.mark.parametrize("bracket", [Bracket(1e-9, 1, 1), Bracket(1, 1, 1e-9)])
def test_bracket_too_small_for_float32_is_rejected(shaped, bracket):
    with pytest.raises(CannotShape, match="too small beside the model's coordinates") as rejection:
        shaped(PART, bracket)

    assert rejection.value.code == "no-extent"
