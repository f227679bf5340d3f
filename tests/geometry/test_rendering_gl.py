import os
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from geometry.rendering import view as rendering
from geometry.rendering.render import driver, render
from geometry.rendering.render_mesh import RECORD
from geometry.rendering.view import BACKGROUND, NothingToShow, View, png
from geometry.sample_part import bracket
from tests.geometry.shapes import ball, box

pytestmark = pytest.mark.gl

CUBE = box((0, 0, 0), (20, 20, 20))
# A cup with a bottom of 4 and an open top.
CUP = np.concatenate([CUBE, box((5, 5, 4), (15, 15, 20))[:, ::-1]])
SMALL = {"width": 120, "height": 90}
CAP_GAIN = 1.14
FROM_ABOVE = {"width": 101, "height": 101, "direction": (0, 0, -1), "samples": 0}


def difference(one, other) -> float:
    """Root of the mean square, of 255."""
    return float(np.sqrt(np.mean((one.astype(float) - other) ** 2)))


@pytest.mark.parametrize("samples", [0, 1, 12])
def test_pixels_around_the_model_have_the_background_colour(samples):
    pixels = render(CUBE, View(**SMALL, samples=samples), closed=True)

    assert pixels.shape == (90, 120, 3)
    assert (pixels[0] == BACKGROUND).all()
    assert pixels[45, 60, 2] > pixels[45, 60, 0] + 60


@pytest.mark.parametrize("samples", [0, 8])
@pytest.mark.parametrize(("color", "expected"), [("#ff7f00", (255, 127, 0)), ("#202020", 32)])
def test_lit_top_face_has_nearly_the_requested_colour(samples, color, expected):
    view = View(**{**FROM_ABOVE, "samples": samples}, color=color)

    pixels = render(CUBE, view, closed=True)

    assert np.abs(pixels[50, 50].astype(int) - expected).max() <= 36


def test_ground_shadow_is_rendered_only_with_samples():
    def grey_pixels(samples):
        pixels = render(CUBE, View(**SMALL, samples=samples), closed=True).astype(int)
        return int(((np.ptp(pixels, axis=2) < 8) & (pixels[..., 0] < 225)).sum())

    assert grey_pixels(0) == 0
    assert grey_pixels(16) > 300


def test_ground_does_not_hide_the_model_seen_from_below():
    pixels = render(CUBE, View(**SMALL, samples=8, direction=(0.1, 0.2, 1)), closed=True)

    assert pixels[45, 60, 2] > pixels[45, 60, 0] + 30
    assert (pixels[[0, -1]] == BACKGROUND).all()


def test_rendering_error_falls_with_more_samples():
    truth = render(CUP, View(**SMALL, samples=512), closed=True)

    errors = [
        difference(render(CUP, View(**SMALL, samples=samples), closed=True), truth)
        for samples in (0, 1, 8, 64)
    ]

    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 3


def test_interleaved_lights_leave_no_dither_pattern():
    pixels = render(bracket(), View(width=161, height=121, samples=50), closed=True).astype(int)

    # Of a dither, each pixel differs from both neighbours the same way.
    middle, left, right = pixels[:, 1:-1], pixels[:, :-2], pixels[:, 2:]
    beyond = np.minimum(np.abs(middle - left), np.abs(middle - right))
    beyond[(middle - left) * (middle - right) < 0] = 0
    assert (beyond.max(axis=2) > 3).mean() < 0.01


def test_rendering_is_byte_identical_across_processes(tmp_path):
    records = np.zeros(len(CUP), RECORD)
    records["corners"] = CUP
    path = tmp_path / "cup.stl"
    path.write_bytes(bytes(80) + len(records).to_bytes(4, "little") + records.tobytes())
    view = View(samples=9, width=131, height=77)
    before = png(render(CUP, view, closed=True))
    render(CUBE, View(**SMALL, layer=20), closed=True)
    command = [sys.executable, "-m", "geometry.rendering.render", path, tmp_path / "cup.png"]
    options = ["--samples", "9", "--width", "131", "--height", "77"]
    environment = {**os.environ, "LP_NUM_THREADS": "0", "PYTHONPATH": os.pathsep.join(sys.path)}

    subprocess.run([*command, *options], check=True, env=environment)

    assert png(render(path, view, closed=True)) == before
    assert (tmp_path / "cup.png").read_bytes() == before


@pytest.mark.parametrize("size", [(1, 1), (317, 211), (1024, 1), (1, 768)])
@pytest.mark.parametrize("samples", [0, 1, 50])
def test_snapshot_has_the_requested_size(size, samples):
    view = View(width=size[0], height=size[1], samples=samples)

    pixels = render(CUBE, view, closed=True)

    assert pixels.shape == (size[1], size[0], 3)
    assert (pixels[size[1] // 2, size[0] // 2] != BACKGROUND).any()


@pytest.mark.parametrize("layer", [None, 40])
def test_crowded_model_is_rendered_without_shadows_in_the_requested_size(layer):
    lows = np.random.default_rng(5).uniform(-10, 0, (1000, 3))
    heap = np.concatenate([box(low, low + 10) for low in lows])
    told = []

    pixels = render(
        heap,
        View(**SMALL, samples=8, layer=layer),
        closed=False,
        progress=lambda *done: told.append(done),
    )

    assert pixels.shape == (90, 120, 3)
    assert pixels[45, 60, 2] > pixels[45, 60, 0] + 60
    assert (pixels[[0, 0, -1, -1], [0, -1, 0, -1]] == BACKGROUND).all()
    assert told == []  # no shadow map was drawn


@pytest.mark.parametrize("samples", [0, 8])
@pytest.mark.parametrize("closed", [True, False])
def test_layer_view_shows_the_cut_solid_and_the_inside_of_cavities(samples, closed):
    view = View(**{**FROM_ABOVE, "samples": samples}, layer=49)  # 10 mm

    pixels = render(CUP, view, closed=closed).astype(int)

    wall, floor = pixels[50, 20], pixels[50, 45]
    whole = render(CUP, View(**{**FROM_ABOVE, "samples": samples}), closed=closed)
    assert (wall > whole[50, 20]).all()  # nearly the same colour, but brighter
    assert floor[2] <= wall[2] - 10
    assert (pixels[5, 5] == BACKGROUND).all() or samples


def test_cap_covers_the_area_of_the_section():
    view = View(width=400, height=400, samples=0, layer=49, direction=(0, 0, -1), color="#ffffff")

    cut, whole = (
        render(CUP, View(**{**vars(view), "layer": layer}), closed=True) for layer in (49, None)
    )

    cap = (cut == cut[200, 60]).all(axis=2)
    assert (whole[200, 60] != cut[200, 60]).any()
    outline = np.flatnonzero(cap[:, 60])
    side = outline[-1] - outline[0] + 1
    hole = np.flatnonzero(~cap[200, 100:300])
    assert cap.sum() / side**2 == pytest.approx(0.75, abs=0.02)
    assert len(hole) / side == pytest.approx(0.5, abs=0.02)


def test_overlapping_shells_are_capped_as_solid():
    bodies = np.concatenate([CUBE, box((5, 5, 2), (15, 15, 8))])  # all of it below the cut
    view = View(**FROM_ABOVE, layer=49)

    pixels = render(bodies, view, closed=True)

    assert np.abs(pixels[50, 50].astype(int) - pixels[50, 20]).max() <= 2


@pytest.mark.parametrize("samples", [0, 8])
def test_geometry_above_the_cut_is_rendered_as_a_ghost(samples):
    view = View(width=101, height=101, samples=samples, layer=0, direction=(0, 1, -0.1))
    page = np.array(BACKGROUND)

    pixels = render(CUP, view, closed=True).astype(int)

    ghost = pixels[30, 50]
    assert 3 <= (page - ghost)[0] <= 20
    assert (page - ghost)[0] > (page - ghost)[2]  # it has the part's hue
    assert (pixels[0] == BACKGROUND).all()


@pytest.mark.parametrize("closed", [True, False])
def test_cap_is_brighter_than_a_lit_face_of_the_same_colour(closed):
    view = View(**{**FROM_ABOVE, "samples": 8})

    whole = rendering.linear(render(CUBE, view, closed=closed)[50, 50])
    cap = rendering.linear(render(CUBE, replace(view, layer=49), closed=closed)[50, 50])

    assert cap / whole == pytest.approx(np.full(3, CAP_GAIN), rel=0.06)


@pytest.mark.parametrize("turned", [False, True])
def test_culled_shadow_casters_do_not_change_the_snapshot(turned):
    body = CUP[:, ::-1] if turned else CUP
    view = View(**SMALL, samples=16)

    few_faces, all_faces = (render(body, view, closed=closed) for closed in (True, False))

    assert difference(few_faces, all_faces) < 0.2


def test_driver_reports_its_mesa_version():
    assert re.search(r"Mesa \d+\.\d+", driver())


@pytest.mark.parametrize("layers", range(3, 40, 4))
@pytest.mark.parametrize("closed", [True, False])
def test_overhang_that_begins_on_a_layer_top_is_shown_in_the_next_layer(layers, closed):
    height = layers * 0.2
    table = np.concatenate([box((8, 8, 0), (12, 12, height)), box((0, 0, height), (20, 20, 12))])
    below, above = (
        render(table, View(**FROM_ABOVE, layer=layer), closed=closed).astype(int)
        for layer in (layers - 1, layers)
    )

    assert below[50, 50, 2] > below[50, 50, 0] + 60  # the post
    assert below[30, 30, 2] < below[30, 30, 0] + 30  # only a ghost of the top
    assert above[30, 30, 2] > above[30, 30, 0] + 60


def test_layer_above_the_model_shows_all_of_it():
    all_of_it = render(CUBE, View(**SMALL, samples=2), closed=True)

    assert (render(CUBE, View(**SMALL, samples=2, layer=100), closed=True) == all_of_it).all()
    assert (render(CUBE, View(**SMALL, samples=2, layer=0), closed=True) != all_of_it).any()


def test_rendering_does_not_depend_on_facet_winding():
    view = View(**SMALL, samples=8)

    inverted = render(CUP[:, ::-1], view, closed=True)

    assert difference(inverted, render(CUP, view, closed=True)) < 1


def test_rendering_does_not_depend_on_position_or_scale():
    view = View(**SMALL, samples=8)
    near = render(CUP, view, closed=True)

    assert difference(render(CUP + np.float32(16384), view, closed=True), near) < 1
    assert difference(render(CUP * np.float32(1e-20), view, closed=True), near) < 1


@pytest.mark.parametrize(
    ("eye", "direction"),
    [
        ((10, 10, 10), None),  # from the centre
        ((10, 10, 10), (1, 0, 0)),  # from inside
        ((1e30, 0, 0), None),  # from afar
        ((40, 10, 10), (1, 0, 0)),  # away from the model
        ((10, 10, 20), (1, 0, 0)),  # along the top
    ],
)
@pytest.mark.parametrize("samples", [0, 1])
def test_camera_at_any_position_renders_a_snapshot(eye, direction, samples):
    view = View(**SMALL, samples=samples, eye=eye, direction=direction)

    assert render(CUBE, view, closed=True).shape == (90, 120, 3)


def test_flat_and_huge_models_are_rendered():
    flat = np.array([[(0, 0, 0), (30, 0, 0), (0, 30, 0)]], np.float32)

    for model in (flat, ball(330)):
        pixels = render(model, View(**SMALL, samples=1), closed=False)
        assert pixels[45, 60, 2] > pixels[45, 60, 0] + 60


def test_progress_callback_reports_samples_and_can_stop_rendering():
    told = []

    def stop(done, total):
        raise InterruptedError

    render(CUBE, View(**SMALL, samples=20), closed=True, progress=lambda *done: told.append(done))
    with pytest.raises(InterruptedError):
        render(CUBE, View(**SMALL, samples=20), closed=True, progress=stop)

    assert told == [(done, 20) for done in range(2, 21, 2)]
    again = render(CUBE, View(**SMALL, samples=0), closed=True)
    assert again[45, 60, 2] > again[45, 60, 0] + 60


def test_rendering_a_model_without_extent_raises_nothing_to_show():
    with pytest.raises(NothingToShow):
        render(np.zeros((4, 3, 3), np.float32), View(), closed=True)


def test_renderer_error_lists_packages_to_install_without_mesa(tmp_path):
    code = (
        "from geometry.rendering.render import render; from geometry.rendering.view import View; "
    )
    code += "import numpy; render(numpy.eye(3, dtype='f4')[None], View(), closed=True)"
    environment = {"PYTHONPATH": os.pathsep.join(sys.path)}
    environment["__EGL_VENDOR_LIBRARY_DIRS"] = str(tmp_path)

    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )

    assert "RendererUnavailable" in answer.stderr
    assert "apt install libegl1 libgl1 libgl1-mesa-dri" in answer.stderr
