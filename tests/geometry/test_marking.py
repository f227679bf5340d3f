"""Serial numbers: where they are put, what they take away or add, and what is refused."""

import numpy as np
import pytest
from fontTools.pens.areaPen import AreaPen
from fontTools.ttLib import TTFont
from manifold3d import Manifold

from geometry.analysis import analyse
from geometry.formats.stl import read_triangles, write_binary
from geometry.marking import mark
from geometry.marking.glyph_outlines import FILE, line
from geometry.sample_part import bracket
from input_errors import InputError

TEXT = "SN-0042 A8"


def triangles(solid):
    mesh = solid.to_mesh64()
    return np.asarray(mesh.vert_properties)[:, :3][np.asarray(mesh.tri_verts).astype(int)]


def block(*size, at=(0.0, 0.0, 0.0)):
    return Manifold.cube(size).translate(at)


@pytest.fixture
def marked(tmp_path):
    """Puts text on a part; the receipt, and the triangles of the result."""

    def run(part, **options):
        source, out = tmp_path / "part.stl", tmp_path / "marked.stl"
        out.unlink(missing_ok=True)
        write_binary(triangles(part) if isinstance(part, Manifold) else part, source)
        receipt = mark(str(source), str(out), **{"text": TEXT, **options})
        return receipt, read_triangles(out)

    return run


@pytest.fixture
def rejection(marked, tmp_path):
    """The error that text on a part ends in."""

    def run(part, **options):
        with pytest.raises(InputError) as refused:
            marked(part, **options)
        assert not (tmp_path / "marked.stl").exists()
        assert refused.value.title.endswith(".")
        return refused.value

    return run


def ink(text, size):
    """mm^2, by the font's own curves: of letters that do not overlap."""
    font = TTFont(FILE)
    glyphs, names = font.getGlyphSet(), font.getBestCmap()
    area = 0.0
    for character in text:
        pen = AreaPen(glyphs)
        glyphs[names[ord(character)]].draw(pen)
        area += abs(pen.value)
    return area * (size / font["OS/2"].sCapHeight) ** 2


@pytest.mark.parametrize(("mode", "sign"), [("engrave", -1), ("emboss", 1)])
def test_volume_changes_by_glyph_area_times_depth(marked, tmp_path, mode, sign):
    receipt, _ = marked(bracket(), mode=mode, depth=0.5)

    before, after = analyse(tmp_path / "part.stl"), analyse(tmp_path / "marked.stl")
    assert after.manifold
    assert after.triangles == receipt["triangles"]["after"]
    assert after.volume - before.volume == pytest.approx(receipt["volume_change"], rel=1e-3)
    expected = sign * ink(TEXT, receipt["size"]) * 0.5
    assert receipt["volume_change"] == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize("mode", ["engrave", "emboss"])
@pytest.mark.parametrize(
    "normal",
    [(0, 0, 1), (0, 0, -1), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0.6, 0.8)],
)
def test_text_reads_from_left_to_right_on_every_side(marked, mode, normal):
    part = block(40, 40, 40, at=(5, -70, 300))
    if normal == (0, 0.6, 0.8):
        part = part.rotate((-np.degrees(np.arctan2(0.6, 0.8)), 0, 0))

    receipt, result = marked(part, text="L", mode=mode, normal=normal, size=10.0, depth=0.6)

    x, z = np.array(receipt["direction"]), np.array(receipt["normal"])
    assert z == pytest.approx(normal, abs=1e-6)
    heights = (result - receipt["position"]) @ z
    level = -0.6 if mode == "engrave" else 0.6
    letter = result[(np.abs(heights - level) < 1e-3).all(axis=1)] - receipt["position"]
    areas = np.linalg.norm(
        np.cross(letter[:, 1] - letter[:, 0], letter[:, 2] - letter[:, 0]), axis=1
    )
    middle = (areas[:, None] * letter.mean(axis=1)).sum(axis=0) / areas.sum()
    # An L has its ink left and below of the middle of its box.
    assert areas.sum() / 2 == pytest.approx(ink("L", 10.0), rel=1e-4)
    assert middle @ x < -0.5
    assert middle @ np.cross(z, x) < -0.5


def test_wall_is_preferred_and_the_text_is_upright(marked):
    receipt, _ = marked(block(80, 80, 80))

    assert (receipt["face"], receipt["size"], receipt["depth"]) == ("wall", 5.0, 0.6)
    assert np.cross(receipt["normal"], receipt["direction"]) == pytest.approx([0, 0, 1])
    x, y, z = receipt["position"]
    assert z == pytest.approx(40, abs=0.3)
    assert min(x, y, 80 - x, 80 - y) == pytest.approx(0, abs=1e-9)


def test_top_face_is_used_when_the_walls_are_too_low(marked):
    receipt, _ = marked(block(80, 80, 4))

    assert (receipt["face"], receipt["normal"]) == ("top", [0.0, 0.0, 1.0])


def test_text_is_rotated_with_a_slanted_part(marked):
    slanted = block(60, 9, 4).rotate((0, 0, 33))

    receipt, _ = marked(slanted)

    angle = np.radians(33)
    assert receipt["size"] == 5.0
    assert receipt["direction"] == pytest.approx([np.cos(angle), np.sin(angle), 0], abs=1e-6)


def test_text_shrinks_to_the_face_but_not_below_the_printable_size(marked, rejection):
    receipt, _ = marked(block(30, 6, 4))
    tight = rejection(block(20, 6, 4))

    assert receipt["size"] == pytest.approx((30 - 2 * 0.8) / line(TEXT).width, rel=0.02)
    assert receipt["stroke"] >= 0.4
    assert tight.code == "no-place"
    assert "18." in tight.title  # mm, of the 20 less the margins


def test_text_is_placed_at_the_requested_position(marked):
    receipt, _ = marked(block(80, 80, 80), position=[30.0, 52.0, 80.4])

    assert receipt["face"] == "top"
    assert receipt["position"] == pytest.approx([30.0, 52.0, 80.0], abs=0.3)


def test_position_without_a_planar_face_is_rejected(rejection):
    cube = block(80, 80, 80)

    assert rejection(cube, position=[40.0, 40.0, 83.0]).code == "no-flat-face"
    assert rejection(cube, position=[90.0, 40.0, 80.0]).code == "no-flat-face"
    assert rejection(cube, normal=[1.0, 1.0, 0.0]).code == "no-flat-face"
    assert (
        rejection(cube, position=[40.0, 40.0, 80.0], normal=[1.0, 0.0, 0.0]).code == "no-flat-face"
    )


def test_sphere_has_no_text_placement(rejection):
    assert rejection(Manifold.sphere(40, 128)).code == "no-place"


def test_placement_avoids_obstacles_in_front_and_cavities_behind(marked):
    plate = block(60, 40, 6) - block(60, 12, 5, at=(-1, 15, 0.5))  # hollow below the middle
    plate += block(60, 13, 1, at=(0, 0, 7)) + block(1, 13, 2, at=(0, 0, 5.5))  # a lid in front

    receipt, _ = marked(plate, normal=[0, 0, 1], position=[30, 20, 6])

    _, y, z = receipt["position"]
    half = receipt["height"] / 2
    assert z == pytest.approx(6.0, abs=1e-6)
    assert 27 <= y - half
    assert y + half <= 40 - 0.8


def test_engraving_into_a_thin_wall_is_rejected_with_its_thickness(rejection, marked):
    sheet = block(80, 80, 1.2)

    error = rejection(sheet, normal=[0, 0, 1])
    receipt, _ = marked(sheet, normal=[0, 0, 1], mode="emboss")

    assert error.code == "text-too-deep"
    assert error.details == {"wall": pytest.approx(1.2), "depth": pytest.approx(0.6), "least": 0.8}
    assert receipt["volume_change"] > 0


def test_text_too_fine_for_the_nozzle_is_rejected_with_the_least_size(rejection, marked):
    cube = block(80, 80, 80)

    error = rejection(cube, size=1.5)
    least = error.details["least_size"]
    receipt, _ = marked(cube, size=least)

    assert error.code == "text-too-fine"
    assert f"at least {least:g} mm" in error.title
    assert receipt["stroke"] >= 0.4
    assert rejection(cube, size=least - 0.02).code == "text-too-fine"
    assert rejection(cube, size=least, nozzle=0.6).code == "text-too-fine"


def test_font_stroke_and_gap_widths_are_measured():
    capitals = line("HILT")

    assert capitals.stroke == pytest.approx(0.18, abs=0.02)
    assert line("SN-0042 A8").gap == pytest.approx(0.16, abs=0.01)


@pytest.mark.parametrize(
    ("asked", "layer", "cut"),
    [(0.5, 0.2, 0.4), (0.6, 0.25, 0.5), (None, 0.28, 0.56), (1.0, 0.2, 1)],
)
def test_text_depth_on_a_horizontal_face_is_rounded_to_whole_layers(marked, asked, layer, cut):
    receipt, _ = marked(block(80, 80, 80), normal=[0, 0, 1], depth=asked, layer_height=layer)

    assert receipt["depth"] == pytest.approx(cut)


def test_depth_outside_its_limits_is_rejected(rejection):
    cube = block(80, 80, 80)

    assert rejection(cube, depth=0.3).code == "text-too-shallow"
    assert rejection(cube, depth=5.1).code == "text-too-deep"


def test_text_with_missing_glyphs_or_invalid_length_is_rejected(rejection):
    cube = block(80, 80, 80)

    missing = rejection(cube, text="N\u20ac7")
    assert (missing.code, missing.details) == ("glyph-missing", {"characters": ["€"]})
    assert rejection(cube, text="\u05d0").code == "glyph-missing"
    assert rejection(cube, text="A\u0301B\u0489").code == "glyph-missing"
    for text in ("", "   ", "7" * 33):
        assert rejection(cube, text=text).code == "invalid-text"


def test_invalid_marking_parameters_are_rejected(rejection):
    cube = block(80, 80, 80)

    for wrong in (
        {"mode": "paint"},
        {"size": float("nan")},
        {"depth": -1.0},
        {"nozzle": 0.0},
        {"layer_height": float("inf")},
        {"position": [1.0, 2.0]},
        {"normal": [0.0, 0.0, 0.0]},
        {"position": [float("nan"), 0.0, 0.0]},
    ):
        assert rejection(cube, **wrong).code == "invalid-parameter", wrong


def test_open_or_inverted_part_is_rejected(rejection):
    closed = triangles(block(80, 80, 80))

    assert rejection(closed[1:]).code == "not-manifold"
    assert rejection(closed[:, ::-1]).code == "not-manifold"


def test_cracks_from_float_noise_are_welded(marked, tmp_path):
    noisy = triangles(block(80, 80, 80)).astype(np.float32)
    noisy[0, 0] += 8e-6

    receipt, _ = marked(noisy)

    assert receipt["manifold"]
    assert analyse(tmp_path / "marked.stl").manifold


def test_file_that_is_not_stl_is_rejected(tmp_path):
    (tmp_path / "part.stl").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))

    with pytest.raises(InputError) as refused:
        mark(str(tmp_path / "part.stl"), str(tmp_path / "out.stl"), text="A")

    assert refused.value.code == "not-stl"


def test_text_volume_is_exact_far_from_the_origin(marked):
    receipt, _ = marked(block(80, 80, 80, at=(3000, -2000, 900)))

    expected = -ink(TEXT, 5.0) * receipt["depth"]
    assert receipt["volume_change"] == pytest.approx(expected, rel=5e-3)
    assert receipt["manifold"]
