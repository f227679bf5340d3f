"""Pictures with a transparent background."""

import numpy as np
import pytest

from geometry.rendering.render import render
from geometry.rendering.view import BACKGROUND, View
from tests.geometry.shapes import box

pytestmark = pytest.mark.gl

CUBE = box((0, 0, 0), (20, 20, 20))
SMALL = {"width": 120, "height": 90}


@pytest.mark.parametrize(("samples", "tolerance"), [(0, 8), (48, 2)])
def test_transparent_picture_over_the_background_is_the_opaque_one(samples, tolerance):
    opaque = render(CUBE, View(**SMALL, samples=samples), closed=True)

    clear = render(CUBE, View(**SMALL, samples=samples, transparent=True), closed=True)

    alpha = clear[..., 3:] / 255
    over = clear[..., :3] * alpha + np.array(BACKGROUND) * (1 - alpha)  # as browsers blend
    assert clear.shape == (90, 120, 4)
    assert (clear[0, :, 3] == 0).all()
    assert clear[45, 60, 3] == 255
    assert np.abs(over - opaque).max() <= tolerance


def test_shadow_of_a_transparent_picture_is_black_that_lets_the_page_through():
    clear = render(CUBE, View(**SMALL, samples=16, transparent=True), closed=True)

    shadow = (clear[..., 3] > 20) & (clear[..., 3] < 200) & (clear[..., :3].max(axis=2) < 16)
    assert shadow.sum() > 300
