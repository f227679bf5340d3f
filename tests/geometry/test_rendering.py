import io

import numpy as np
import pytest
from PIL import Image

from geometry.rendering import view as rendering
from geometry.rendering.view import View


@pytest.mark.parametrize("size", [(1024, 768), (300, 900), (900, 300), (64, 64)])
@pytest.mark.parametrize("seed", range(5))
def test_camera_frames_the_whole_model_up_to_the_margin(size, seed):
    random = np.random.default_rng(seed)
    vertices = random.uniform(-0.6, 0.6, (200, 3)) * random.uniform(0.05, 1, 3)
    direction = tuple(random.normal(size=3))
    view = View(width=size[0], height=size[1], direction=direction)

    camera = rendering.place_camera(view, vertices.astype(np.float32), np.zeros(3), 1.0)
    clip = np.column_stack([vertices, np.ones(200)]) @ camera.projection(size[0] / size[1]).T
    across, upward = (clip[:, :2] / clip[:, 3:]).T

    edge = 1 / rendering.MARGIN
    assert np.abs([across, upward]).max() <= edge + 1e-4
    touched = [(side.min(), side.max()) for side in (across, upward)]
    assert any(np.allclose(pair, (-edge, edge), atol=1e-4) for pair in touched)
    assert (np.abs(clip[:, 2]) <= clip[:, 3]).all()


def test_camera_without_direction_looks_at_the_model_centre():
    view = View(eye=(10, 0, 5))

    camera = rendering.place_camera(view, np.zeros((1, 3)), np.array([10.0, 20.0, 5.0]), 4.0)

    assert camera.eye == pytest.approx((0, -5, 0))
    assert camera.forward == pytest.approx((0, 1, 0))
    assert camera.right == pytest.approx((1, 0, 0))
    assert camera.up == pytest.approx((0, 0, 1))


@pytest.mark.parametrize("length", [1e-300, 1e-12, 1, 1e300])
def test_length_of_the_view_direction_is_ignored(length):
    view = View(eye=(0, 0, 9), direction=(0, 0, -length))

    camera = rendering.place_camera(view, np.zeros((1, 3)), np.zeros(3), 1.0)

    assert camera.forward == pytest.approx((0, 0, -1))
    assert camera.up == pytest.approx((0, 1, 0))


def test_camera_at_the_model_centre_has_a_unit_view_direction():
    camera = rendering.place_camera(View(eye=(1, 2, 3)), np.zeros((1, 3)), np.arange(1.0, 4), 1.0)

    assert np.linalg.norm(camera.forward) == pytest.approx(1)


def test_more_samples_extend_the_lights_of_fewer():
    camera = rendering.place_camera(View(), np.eye(3, dtype=np.float32), np.zeros(3), 1.0)

    few, many = rendering.place_lights(camera, 7), rendering.place_lights(camera, 64)

    assert (few.keys == many.keys[:7]).all()
    assert (few.domes == many.domes[:7]).all()
    assert np.linalg.norm(many.domes, axis=1) == pytest.approx(np.ones(64))


def test_dome_lights_add_up_to_sky_and_bounce_light():
    camera = rendering.place_camera(View(), np.eye(3, dtype=np.float32), np.zeros(3), 1.0)

    lights = rendering.place_lights(camera, 5000)

    rise = lights.domes[:, 2]
    assert np.mean(lights.weights * np.maximum(rise, 0)) == pytest.approx(rendering.SKY, rel=0.02)
    assert np.mean(lights.weights * np.maximum(-rise, 0)) == pytest.approx(
        rendering.BOUNCE, rel=0.02
    )


def test_view_from_below_is_lit_from_above():
    view = View(direction=(0.1, 0.2, 1))

    camera = rendering.place_camera(view, np.eye(3, dtype=np.float32), np.zeros(3), 1.0)

    assert rendering.place_lights(camera, 1).key[2] > 0.4


def test_cut_height_is_just_below_the_top_of_the_layer():
    view = View(layer=4, slice_height=0.25)

    assert rendering.cut_height(view, 10, 20, 8) == pytest.approx(11.25 - 0.00025)
    assert rendering.cut_height(view, 10, 11.25, 8) == pytest.approx(11.25 - 0.00025)
    assert rendering.cut_height(view, 10, 11.2, 8) is None
    assert rendering.cut_height(View(), 10, 20, 8) is None
    assert rendering.cut_height(View(layer=0, slice_height=1e-9), 0, 20, 8) > 0
    assert rendering.cut_height(View(layer=0, slice_height=1e-9), 0, 0, 8) is None


@pytest.mark.parametrize(
    "fields",
    [
        {"width": 0},
        {"height": 0},
        {"samples": -1},
        {"color": "#4a7fd"},
        {"color": "blue"},
        {"color": "#4a7fd0\n"},
        {"layer": -1},
        {"slice_height": 0},
        {"slice_height": float("nan")},
        {"eye": (1, 2)},
        {"eye": (1, 2, float("inf"))},
        {"direction": (0, 0, 0)},
    ],
)
def test_invalid_view_is_rejected(fields):
    with pytest.raises(ValueError, match=r"^[A-Z].*\.$"):
        View(**fields)


def test_srgb_levels_survive_conversion_to_linear_and_back():
    levels = np.arange(256)

    assert (rendering.srgb(rendering.linear(levels)) == levels).all()
    assert rendering.linear_color("#ff0080") == pytest.approx((1, 0, 0.2158605))


def test_png_contains_only_the_pixels():
    pixels = np.random.default_rng(1).integers(0, 256, (5, 7, 3), np.uint8)

    file = rendering.png(pixels)

    assert (np.asarray(Image.open(io.BytesIO(file))) == pixels).all()
    assert [file[at : at + 4] for at in (12, 37)] == [b"IHDR", b"IDAT"]


def test_rendering_cost_grows_with_samples_pixels_and_triangles():
    small = View(width=320, height=240, samples=16)

    assert small.cost(1000) < small.cost(100_000) < small.cost(5_000_000)
    assert small.cost(1000) < View(samples=16).cost(1000) < View(samples=5000).cost(1000)
