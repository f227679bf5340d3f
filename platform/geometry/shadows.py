"""Shadow maps: what each of a batch of lights sees of the model."""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
import OpenGL.GL as gl
from numpy.typing import NDArray

from geometry.rendering import Lights, jitters

BATCH = 8  # samples whose shadow maps are held at once
SHADOW_SIZES = 512, 768, 1024  # texels along the edge of a map
SHADOW_EXTENT = 1.02  # half its edge, in radii of the model


class ShadowMaps(NamedTuple):
    """A texture with a layer for each light of a batch, and a framebuffer for each layer."""

    size: int
    texture: int
    frames: list[int]


@cache
def shadow_maps(size: int) -> ShadowMaps:
    """The maps of a size, made once in the context of the process."""
    kind, texture = gl.GL_TEXTURE_2D_ARRAY, gl.glGenTextures(1)
    gl.glBindTexture(kind, texture)
    gl.glTexStorage3D(kind, 1, gl.GL_DEPTH_COMPONENT24, size, size, 2 * BATCH)
    for name, value in (
        (gl.GL_TEXTURE_MIN_FILTER, gl.GL_LINEAR),  # the mean of four comparisons
        (gl.GL_TEXTURE_MAG_FILTER, gl.GL_LINEAR),
        (gl.GL_TEXTURE_WRAP_S, gl.GL_CLAMP_TO_BORDER),
        (gl.GL_TEXTURE_WRAP_T, gl.GL_CLAMP_TO_BORDER),
        (gl.GL_TEXTURE_COMPARE_MODE, gl.GL_COMPARE_REF_TO_TEXTURE),
        (gl.GL_TEXTURE_COMPARE_FUNC, gl.GL_LEQUAL),
    ):
        gl.glTexParameteri(kind, name, value)
    gl.glTexParameterfv(kind, gl.GL_TEXTURE_BORDER_COLOR, np.ones(4, np.float32))

    frames = []
    for layer in range(2 * BATCH):
        frames.append(gl.glGenFramebuffers(1))
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, frames[-1])
        gl.glFramebufferTextureLayer(gl.GL_FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, texture, 0, layer)
        gl.glDrawBuffers(1, [gl.GL_NONE])
    return ShadowMaps(size, texture, frames)


def shadow_size(width: int, height: int) -> int:
    """The size of map whose texels are about as fine as the pixels of a picture."""
    return next((size for size in SHADOW_SIZES if size >= 0.96 * max(width, height)), 1024)


class Batch(NamedTuple):
    """Lights whose maps are drawn together: in each array first the key lights, then the domes.

    Each half has BATCH rows, of which `size` are used.
    """

    size: int
    stop: int  # samples done with this batch
    projections: NDArray[np.float64]  # (2 * BATCH, 4, 4), model to clip coordinates
    towards: NDArray[np.float64]  # (2 * BATCH, 3), unit vectors to the lights
    weights: NDArray[np.float64]  # (BATCH, 1), of the domes


def light_batches(lights: Lights, size: int, map_size: int) -> Iterator[Batch]:
    """All samples, `size` at a time."""
    samples = len(lights.keys)
    for start in range(0, samples, size):
        stop = min(start + size, samples)
        count = stop - start
        batch = Batch(
            count,
            stop,
            projections=np.zeros((2 * BATCH, 4, 4)),
            towards=np.zeros((2 * BATCH, 3)),
            weights=np.zeros((BATCH, 1)),
        )
        batch.weights[:count, 0] = lights.weights[start:stop]
        for first, directions in ((0, lights.keys), (BATCH, lights.domes)):
            rows = slice(first, first + count)
            batch.towards[rows] = directions[start:stop]
            batch.projections[rows] = _projections(directions[start:stop], start, map_size)
        yield batch


def _projections(directions: NDArray[np.float64], start: int, size: int) -> NDArray[np.float64]:
    """(k, 4, 4): orthographic, against each of the (k, 3) directions, the nearest first.

    Each map is moved by a part of a texel, so that the edges of texels average out.
    """
    steep = np.abs(directions[:, 2:]) > 0.9
    side = np.cross(directions, np.where(steep, (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    projections = np.zeros((len(directions), 4, 4))
    projections[:, 0, :3] = side / SHADOW_EXTENT
    projections[:, 1, :3] = np.cross(directions, side) / SHADOW_EXTENT
    projections[:, 2, :3] = -directions / SHADOW_EXTENT
    shifts = jitters(start + len(directions))[start:]
    projections[:, :2, 3] = shifts * 2 / size
    projections[:, 3, 3] = 1
    return projections


def to_texture(projections: NDArray[np.float64]) -> NDArray[np.float64]:
    """From clip coordinates, -1 to 1, to those of a texture and its depths, 0 to 1."""
    halved = np.array([(0.5, 0, 0, 0.5), (0, 0.5, 0, 0.5), (0, 0, 0.5, 0.5), (0, 0, 0, 1)])
    return halved @ projections
