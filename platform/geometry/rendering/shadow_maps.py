"""Shadow maps of batched lights."""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
import OpenGL.GL as gl
from numpy.typing import NDArray

from geometry.rendering.view import Lights, jitters

BATCH = 8  # samples whose shadow maps are held at once
# Of the camera in a pixel, at least, against jagged edges; and where samples are interleaved.
POSITIONS, POSITIONS_INTERLEAVED = 8, 6
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
    gl.glTexStorage3D(kind, 1, gl.GL_DEPTH_COMPONENT16, size, size, 2 * BATCH)
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


class Batch(NamedTuple):
    """Lights whose maps are drawn together: in each array first the key lights, then the domes."""

    first: int  # the layer of the first of its key lights, and BATCH more of its domes
    stop: int  # samples done with this batch
    projections: NDArray[np.float64]  # (2 * size, 4, 4), model to clip coordinates
    towards: NDArray[np.float64]  # (2 * size, 3), unit vectors to the lights
    weights: NDArray[np.float64]  # (size, 1), of the domes

    @property
    def size(self) -> int:
        return len(self.weights)

    def layers(self) -> list[int]:
        """Of the maps of its lights, in the order of the projections."""
        return [
            start + row for start in (self.first, self.first + BATCH) for row in range(self.size)
        ]

    def shares(self, parts: int) -> list["Batch"]:
        """The lights of each of so many pixels: all of them where they cannot be dealt out."""
        if self.size % parts:
            return [self] * parts
        shares = []
        for rows in np.split(np.arange(self.size), parts):
            both = np.concatenate([rows, self.size + rows])
            share = Batch(
                self.first + int(rows[0]),
                self.stop,
                self.projections[both],
                self.towards[both],
                self.weights[rows],
            )
            shares.append(share)
        return shares


def batch_size(samples: int, parts: int) -> int:
    """How many samples share a position of the camera; they can be dealt out to so many pixels."""
    if samples < POSITIONS:
        return samples
    if parts > 1:
        return min(samples // POSITIONS_INTERLEAVED, BATCH) // parts * parts
    return min(samples // POSITIONS, BATCH)


def light_batches(lights: Lights, size: int, map_size: int) -> Iterator[Batch]:
    """All samples, `size` at a time."""
    samples = len(lights.keys)
    for start in range(0, samples, size):
        stop = min(start + size, samples)
        both = [lights.keys[start:stop], lights.domes[start:stop]]
        projections = [_projections(directions, start, map_size) for directions in both]
        weights = lights.weights[start:stop, None]
        yield Batch(0, stop, np.concatenate(projections), np.concatenate(both), weights)


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
