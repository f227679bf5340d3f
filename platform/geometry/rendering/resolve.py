"""Resolve pass: accumulated light to the final image."""

import itertools
import math
from collections.abc import Iterator
from contextlib import ExitStack
from typing import NamedTuple

import numpy as np
import OpenGL.GL as gl
from numpy.typing import NDArray

from geometry.rendering import view as rendering
from geometry.rendering.gl import Target, bind_textures, draw_screen
from geometry.rendering.shader_programs import program
from geometry.rendering.view import Camera, View

# What one sample more or less makes, of as many as there are: of the share of the key light, of
# the sky's and of the shadow on the ground. Differences of a few of these are smoothed away, those
# of an edge are not.
STEPS = 1.0, 3.0, 3.0


class Tiles(NamedTuple):
    """How sums are kept: pixels with the same lights side by side, in stride x stride tiles.

    Of each stride x stride block of pixels each has lights of its own (Keller and Heidrich,
    "Interleaved sampling", 2001). Side by side as in Segovia et al., "Non-interleaved deferred
    shading of interleaved sample patterns" (2006): neighbours on the screen are drawn at once.
    """

    stride: int
    width: int  # of a tile, pixels
    height: int

    @property
    def parts(self) -> int:
        return self.stride**2

    @property
    def size(self) -> tuple[int, int]:
        return self.width, self.height

    def shift(self, part: int) -> tuple[int, int]:
        """Of the pixels of a tile in each block."""
        return part % self.stride, part // self.stride

    def target(self) -> Target:
        return Target(self.stride * self.width, self.stride * self.height)


def tiles(view: View) -> Tiles:
    stride = 2 if view.interleaved else 1
    return Tiles(stride, -(-view.width // stride), -(-view.height // stride))


def resolved(
    view: View,
    camera: Camera,
    albedo: NDArray[np.float64],
    seen: Target,
    sums: Target,
    samples: float,
) -> NDArray[np.uint8]:
    """The picture, (h, w, 3); (h, w, 4) where it is transparent.

    seen, sums : what the last position of the camera sees, and the light of all
    samples : in each pixel, of which the others have other ones
    """
    kept = tiles(view)
    with ExitStack() as stack:
        gathered, *pair, picture = (
            stack.enter_context(Target(view.width, view.height)) for _ in range(4)
        )
        for target in (*[gathered] * 3, *pair):
            target.add_texture(gl.GL_RGBA16F)
        picture.add_buffer(gl.GL_RGBA8, gl.GL_COLOR_ATTACHMENT0)
        gl.glDisable(gl.GL_DEPTH_TEST)

        gathered.bind()
        bind_textures(*sums.textures, *seen.textures)
        program("screen.vert", "shading.glsl", "gather.frag", STRIDE=kept.stride).use(
            shades=0,
            reaches=1,
            rests=2,
            places=3,
            normals=4,
            eye=camera.eye,
            key=rendering.place_lights(camera, 0).key,
            pixel_size=2 * math.tan(rendering.FIELD_OF_VIEW / 2) / view.height,
            samples=samples,
            tile=kept.size,
        )
        draw_screen()

        values, exacts, rests = gathered.textures
        smooth = program("screen.vert", "smooth.frag")
        smooth.use(values=0, step_size=np.array(STEPS) / view.samples)
        for stride, target in zip(_strides(view), itertools.cycle(pair), strict=False):
            target.bind()
            bind_textures(values)
            smooth.use(stride=stride)
            draw_screen()
            values = target.textures[0]

        picture.bind()
        bind_textures(values, exacts, rests)
        program("screen.vert", "resolve.frag").use(
            values=0,
            exacts=1,
            rests=2,
            albedo=albedo,
            background=rendering.linear(np.array(rendering.BACKGROUND)),
            transparent=view.transparent,
        )
        draw_screen()
        return picture.read(alpha=view.transparent)


def _strides(view: View) -> Iterator[int]:
    """Of the passes that smooth, in pixels: together about a twentieth of the picture's size."""
    # What is interleaved is joined with its neighbours already.
    stride = 3 if view.interleaved else 1
    while stride * 60 < max(view.width, view.height):
        yield stride
        stride *= 3
