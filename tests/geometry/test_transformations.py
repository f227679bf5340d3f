"""Transformations that are told what to do: translate, rotate, scale, and lists of steps."""

import json

import numpy as np
import pytest

from geometry.analysis import analyse
from geometry.formats.stl import read_triangles, write_binary
from geometry.mesh import InvalidMesh
from geometry.transformations import (
    TYPES,
    AutoRotate,
    AutoScale,
    AutoTranslate,
    Bracket,
    CannotShape,
    Rotate,
    Scale,
    Translate,
    shape,
    steps_of,
)
from tests.geometry.shapes import ball, box

BUILD = (200.0, 200.0, 200.0)
TURNS = [(90, 0, 0), (0, 90, 0), (0, 0, 90), (90, 90, 0), (180, 0, 270), (-90, 450, 0)]


@pytest.fixture
def shaped(tmp_path):
    """Shape triangles; the triangles that come of it."""

    def shaped(triangles, *steps):
        write_binary(triangles, tmp_path / "source.stl")
        shape(tmp_path / "source.stl", steps, tmp_path / "out.stl")
        return read_triangles(tmp_path / "out.stl")

    return shaped


def reference(degrees):
    """Rz Ry Rx, written out."""
    x, y, z = np.radians(degrees)
    rx = [[1, 0, 0], [0, np.cos(x), -np.sin(x)], [0, np.sin(x), np.cos(x)]]
    ry = [[np.cos(y), 0, np.sin(y)], [0, 1, 0], [-np.sin(y), 0, np.cos(y)]]
    rz = [[np.cos(z), -np.sin(z), 0], [np.sin(z), np.cos(z), 0], [0, 0, 1]]
    return np.array(rz) @ np.array(ry) @ np.array(rx)


def test_translate_moves_every_vertex(shaped):
    part = box((0, 0, 0), (1, 2, 3))

    assert (shaped(part, Translate(10, -20.5, 0)) == part + (10, -20.5, 0)).all()


def test_scale_is_in_percent_about_the_origin(shaped):
    part = box((1, 1, 1), (2, 2, 2))

    assert (shaped(part, Scale(200, 50, 100)) == part * (2, 0.5, 1)).all()


@pytest.mark.parametrize("turns", TURNS)
def test_quarter_turns_are_exact(shaped, turns):
    part = box((0, 1, 2), (3, 5, 8))

    assert (shaped(part, Rotate(*turns)) == part @ np.round(reference(turns)).T).all()


def test_rotate_applies_x_then_y_then_z(shaped):
    part = box((1, 2, 3), (4, 6, 8))

    turned = shaped(part, Rotate(10, 20, 30))

    assert np.allclose(turned, part @ reference((10, 20, 30)).T, atol=1e-6)
    assert (turned != shaped(part, Rotate(0, 0, 30), Rotate(0, 20, 0), Rotate(10, 0, 0))).any()


def test_identity_step_leaves_the_file_byte_for_byte(tmp_path):
    write_binary(ball(20), tmp_path / "uploaded.stl")
    analyse(tmp_path / "uploaded.stl", tmp_path / "source.stl")

    for step in (Translate(0, 0, 0), Rotate(360, -720, 0), Scale(100, 100, 100)):
        shape(tmp_path / "source.stl", [step], tmp_path / "out.stl")

        assert (tmp_path / "out.stl").read_bytes() == (tmp_path / "source.stl").read_bytes()


def test_zeros_are_written_without_a_sign(tmp_path):
    write_binary(box((0, 0, 0), (1, 1, 1)), tmp_path / "source.stl")

    shape(tmp_path / "source.stl", [Rotate(180, 180, 0)], tmp_path / "out.stl")

    corners = np.fromfile(tmp_path / "out.stl", np.uint8)[84:].reshape(-1, 50)[:, 12:48]
    assert not (np.ascontiguousarray(corners).view("<u4") == 0x80000000).any()


def test_steps_are_applied_in_order(shaped):
    part = box((0, 0, 0), (1, 1, 1))

    turned_first = shaped(part, Rotate(0, 0, 90), Translate(10, 0, 0))
    moved_first = shaped(part, Translate(10, 0, 0), Rotate(0, 0, 90))

    assert (turned_first.min(axis=(0, 1)) == (9, 0, 0)).all()
    assert (moved_first.min(axis=(0, 1)) == (-1, 10, 0)).all()


def test_rotation_and_its_inverse_restore_the_part(shaped):
    part = ball(12) + np.float32(100)
    random = np.random.default_rng(1)

    for x, y, z in random.uniform(-180, 180, (20, 3)):
        inverse = [Rotate(0, 0, -z), Rotate(0, -y, 0), Rotate(-x, 0, 0)]
        restored = shaped(part, Rotate(x, y, z), *inverse)
        assert np.abs(restored - part).max() <= 4 * np.spacing(np.abs(part).max())


def test_chain_of_steps_is_rounded_once(shaped):
    part = ball(12) + np.float32(30)
    random = np.random.default_rng(2)

    for _ in range(10):
        degrees, percent, by = random.uniform(-180, 180, 3), random.uniform(20, 300, 3), [1, -7, 3]
        chain = shaped(part, Rotate(*degrees), Scale(*percent), Translate(*by))
        expected = part.astype(float) @ reference(degrees).T * (percent / 100) + by
        assert (chain == expected.astype(np.float32)).mean() >= 0.999


def test_volume_scales_with_the_product_of_the_percents(shaped, tmp_path):
    shaped(ball(20), Scale(100, 100, 100))
    before = analyse(tmp_path / "out.stl").volume
    for percents in np.random.default_rng(3).uniform(5, 900, (10, 3)):
        shaped(ball(20), Scale(*percents))

        after = analyse(tmp_path / "out.stl").volume

        assert after == pytest.approx(before * np.prod(percents / 100), rel=1e-6)


def test_watertight_part_stays_watertight(shaped, tmp_path):
    random = np.random.default_rng(4)

    for _ in range(10):
        degrees, percents = random.uniform(-180, 180, 3), random.uniform(50, 200, 3)
        shaped(ball(20), Rotate(*degrees), Scale(*percents), Rotate(*degrees), Translate(0.1, 7, 9))
        assert analyse(tmp_path / "out.stl").manifold


@pytest.mark.parametrize(
    "steps",
    [
        [Scale(1e30, 100, 100), Scale(1e30, 100, 100)],
        [Scale(1e300, 1e300, 1e300), Scale(1e300, 1e300, 1e300)],
        [Translate(1e39, 0, 0)],
        [Translate(3e38, 0, 0), Translate(3e38, 0, 0)],
        [Bracket(1e37, 3e38, 1), Scale(1e300, 1, 1), AutoTranslate()],
    ],
)
def test_non_finite_result_is_rejected_and_leaves_no_file(shaped, tmp_path, steps):
    with pytest.raises(CannotShape) as rejection:
        shaped(box((0, 0, 0), (10, 10, 10)), *steps)

    assert rejection.value.code == "not-finite"
    assert not (tmp_path / "out.stl").exists()


def test_source_that_is_not_stl_is_rejected(tmp_path):
    (tmp_path / "source.stl").write_bytes(b"%PDF-1.7")

    with pytest.raises(InvalidMesh) as rejection:
        shape(tmp_path / "source.stl", [Translate(1, 2, 3)], tmp_path / "out.stl")

    assert rejection.value.code == "not-stl"
    assert not (tmp_path / "out.stl").exists()


def test_step_results_are_json_serializable_with_a_summary(tmp_path):
    write_binary(box((0, 0, 0), (10, 20, 30)), tmp_path / "source.stl")
    chain = [
        Bracket(1, 2, 3),
        AutoRotate(BUILD),
        Rotate(0, 0, 90),
        AutoScale(BUILD),
        Scale(50, 50, 50),
        AutoTranslate(),
        Translate(1, 2, 3),
    ]

    told = shape(tmp_path / "source.stl", chain, tmp_path / "out.stl")

    assert [record["type"] for record in told] == list(TYPES)
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert all(record["summary"].endswith(".") for record in told)


def test_steps_are_parsed_from_json():
    steps = steps_of(
        [
            {"type": "bracket", "width": 5, "gap": 0, "thickness": 1.5},
            {"type": "auto-rotate", "build": [200, 200, 200]},
            {"type": "auto-translate"},
            {"type": "auto-translate", "build": [200, 200, 200]},
            {"type": "rotate", "x": 0, "y": 0, "z": 90},
        ]
    )

    assert steps == [
        Bracket(5, 0, 1.5),
        AutoRotate(BUILD),
        AutoTranslate(),
        AutoTranslate(BUILD),
        Rotate(0, 0, 90),
    ]


@pytest.mark.parametrize(
    ("item", "sentence"),
    [
        ({"type": "shear", "x": 1}, "'shear'; there are: bracket, auto-rotate, rotate"),
        ({"x": 1}, "has the type None"),
        ({"type": "rotate", "x": 1, "y": 2}, "takes x, y, z; it has x, y."),
        ({"type": "rotate", "x": 1, "y": 2, "z": 3, "w": 4}, "takes x, y, z; it has x, y, z, w."),
        ({"type": "auto-scale"}, "takes build; it has nothing."),
        ({"type": "translate", "x": True, "y": 0, "z": 0}, "x must be a number."),
        ({"type": "translate", "x": "1", "y": 0, "z": 0}, "x must be a number."),
        ({"type": "translate", "x": 10**400, "y": 0, "z": 0}, "x must be a finite number."),
        ({"type": "translate", "x": 0, "y": float("nan"), "z": 0}, "y must be a finite number."),
        ({"type": "scale", "x": 0, "y": 1, "z": 1}, "x must be greater than 0, not 0."),
        ({"type": "bracket", "width": 1, "gap": -1, "thickness": 1}, "gap must not be less than 0"),
        ({"type": "bracket", "width": 0, "gap": 0, "thickness": 1}, "width must be greater than 0"),
        ({"type": "auto-scale", "build": [1, 2]}, "build must be three lengths in mm"),
        ({"type": "auto-rotate", "build": [1, 2, -3]}, "build.z must be greater than 0, not -3."),
    ],
)
def test_invalid_step_is_rejected_with_its_index_and_reason(item, sentence):
    with pytest.raises(ValueError, match="Transformation 2") as rejection:
        steps_of([{"type": "auto-translate"}, item])

    assert sentence in str(rejection.value)
