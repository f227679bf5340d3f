"""View parameters of a rendering: camera, lights, samples, section plane; cost estimate."""

import io
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from input_errors import InputError

# Part of every cached picture's key: raise it with any change of what a picture looks like.
RENDERER_VERSION = 4

BACKGROUND = (238, 240, 243)
FIELD_OF_VIEW = math.radians(30)  # vertical
MARGIN = 1.14  # less would cut the shadow at the edge of the picture
DEFAULT_DIRECTION = (0.55, 0.75, -0.52)  # from the front, the left and above

# Irradiances: key light, sky above, light returned from the ground, light beside the camera.
KEY, SKY, BOUNCE, FILL = 0.62, 0.50, 0.22, 0.12
SPECULAR = 0.10
KEY_RADIUS = math.tan(math.radians(8))  # of the disc it shines from, a distance of 1 away
SKY_SHARE = 0.75  # of the directions of the dome, those above the horizon
PLASTIC = (0.7548776662466927, 0.5698402909980532)  # 1/p and 1/p^2, p the plastic number
DARKEST = 0.018  # linear albedo: a part in pure black would be a hole in the picture

SHADOW_SIZES = 512, 768, 1024  # texels along the edge of a shadow map
# With so many samples each pixel has a quarter of them, and its neighbours the others: fewer would
# be seen, and of many each pixel can have its own.
INTERLEAVED = range(32, 512)

Progress = Callable[[int, int], None]


class NothingToShow(InputError):
    """The model has no extent that could be drawn."""

    def __init__(self, title: str):
        super().__init__("nothing-to-show", title)


class RendererUnavailable(RuntimeError):
    """This process cannot draw; the text says what would mend it."""


@dataclass(frozen=True)
class View:
    """What to draw and from where; together with the model's content it decides every pixel.

    eye is in the model's own millimetres. direction, of any length, is where the camera looks.
    Without eye the whole model is framed; with eye alone the camera looks at its centre.
    layer counts from 0 and shows the layers up to and including it, each slice_height mm high.
    A transparent picture has no background: what is not covered shows the page, through the shadow.
    """

    width: int = 1024
    height: int = 768
    samples: int = 64
    color: str = "#4a7fd0"
    layer: int | None = None
    slice_height: float = 0.2
    eye: tuple[float, float, float] | None = None
    direction: tuple[float, float, float] | None = None
    transparent: bool = False

    def __post_init__(self) -> None:
        if self.width < 1 or self.height < 1:
            raise ValueError("A picture is at least one pixel wide and high.")
        if self.samples < 0:
            raise ValueError("The number of samples is 0 or more.")
        if not re.fullmatch(r"#[0-9a-fA-F]{6}", self.color):
            raise ValueError("A color is written #RRGGBB, such as #4a7fd0.")
        if self.layer is not None and self.layer < 0:
            raise ValueError("Layers count from 0.")
        if not (math.isfinite(self.slice_height) and self.slice_height > 0):
            raise ValueError("The height of a layer is more than 0 mm.")
        for name in ("eye", "direction"):
            triple = getattr(self, name)
            if triple is not None and not (len(triple) == 3 and all(map(math.isfinite, triple))):
                raise ValueError(f"The camera's {name} is three finite numbers.")
        if self.direction is not None and not any(self.direction):
            raise ValueError("The camera's direction is not zero.")

    @property
    def interleaved(self) -> bool:
        return self.samples in INTERLEAVED

    @property
    def shadow_size(self) -> int:
        """Texels along the edge of a shadow map, about as large as the part's pixels; 0: none."""
        if not self.samples:
            return 0
        wanted = 0.64 * max(self.width, self.height)
        return next((size for size in SHADOW_SIZES if size >= wanted), SHADOW_SIZES[-1])

    def cost(self, triangles: int) -> float:
        """CPU seconds that the picture will take, within about a factor of two."""
        pixels = self.width * self.height
        drawn = min(triangles, 400_000)
        casters = triangles if triangles <= 10_000 else min(max(triangles // 4, 10_000), 250_000)
        positions = min(self.samples, 1) * max(8, self.samples / 8)  # of the camera
        return (
            0.1
            + 6e-7 * triangles
            + min(self.samples, 1) * 3e-7 * pixels
            + positions * (0.002 + 2e-8 * pixels + 2e-7 * drawn)
            + self.samples
            * (0.003 + 1.5e-7 * casters + (1e-8 if self.interleaved else 2.5e-8) * pixels)
        )


def grainy(view: View, grain: float) -> View:
    """The same view in fewer pixels, so many times larger, and without shadows."""
    width, height = (max(1, round(size / grain)) for size in (view.width, view.height))
    return replace(view, width=width, height=height, samples=0)


class Camera(NamedTuple):
    """Where the picture is taken from, in units of the model's radius about its centre."""

    eye: NDArray[np.float64]  # (3,)
    right: NDArray[np.float64]
    up: NDArray[np.float64]
    forward: NDArray[np.float64]

    def projection(self, aspect: float, shift: tuple[float, float] = (0.0, 0.0)) -> NDArray:
        """(4, 4) float64: model to clip coordinates, moved by `shift` (in -1..1 of the picture).

        The far plane lies behind the whole model and its ground: the winding rule of a cut
        counts every surface behind it.
        """
        distance = float(np.linalg.norm(self.eye))
        near, far = max(distance - 1.05, distance / 1000, 0.001), distance + 6.05
        tangent = math.tan(FIELD_OF_VIEW / 2)

        towards = np.eye(4)
        towards[:3, :3] = self.right, self.up, -self.forward
        towards[:3, 3] = -towards[:3, :3] @ self.eye
        flat = np.zeros((4, 4))
        flat[0, 0], flat[1, 1] = 1 / (tangent * aspect), 1 / tangent
        flat[0, 2], flat[1, 2] = -shift[0], -shift[1]
        flat[2, 2:] = -(far + near) / (far - near), -2 * far * near / (far - near)
        flat[3, 2] = -1
        return flat @ towards


def place_camera(
    view: View,
    vertices: NDArray[np.float32],
    center: NDArray[np.float64],
    radius: float,
) -> Camera:
    """The camera of a view.

    Parameters
    ----------
    vertices : (n, 3) float32
        The model in units of its radius about its centre.
    center, radius : (3,) float64 and float, mm
        The middle and half the diagonal of the model's bounding box.
    """
    if view.eye is None:
        axes = _axes(np.array(view.direction or DEFAULT_DIRECTION, np.float64))
        return Camera(_fitted_eye(axes, vertices, view.width / view.height), *axes)

    eye = (np.array(view.eye, np.float64) - center) / radius
    distance = _length(eye)
    direction = np.array(view.direction, np.float64) if view.direction else -eye
    if not direction.any():  # from the very centre, at the centre
        direction = np.array(DEFAULT_DIRECTION)
    # Beyond this distance the model is less than a pixel, and single precision would overflow.
    return Camera(eye * min(1.0, 1e6 / max(distance, 1.0)), *_axes(direction))


def positions_in_picture(
    view: View, camera: Camera, points: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(n, 2): where points are in the picture, as shares of its width and height from top left.

    points : (n, 3), in units of the model's radius about its centre, before the camera
    """
    corners = np.column_stack([points, np.ones(len(points))])
    clip = corners @ camera.projection(view.width / view.height).T
    return np.asarray(0.5 + np.array([0.5, -0.5]) * clip[:, :2] / clip[:, 3:])


class Viewpoint(NamedTuple):
    """What a view says of its camera, with what it left to us: mm, and any length."""

    eye: tuple[float, float, float]
    direction: tuple[float, float, float]


def viewpoint(
    view: View, vertices: NDArray[np.float32], center: NDArray[np.float64], radius: float
) -> Viewpoint:
    """Where the picture of a view is taken from, and where its camera looks; as `place_camera`."""
    camera = place_camera(view, vertices, center, radius)
    x, y, z = (center + radius * camera.eye).tolist()
    u, v, w = camera.forward.tolist()
    return Viewpoint(view.eye or (x, y, z), view.direction or (u, v, w))


def _axes(direction: NDArray[np.float64]) -> tuple[NDArray, NDArray, NDArray]:
    """Unit vectors to the right, up and forward of a camera that looks along `direction`."""
    forward = direction / np.abs(direction).max()  # first, or the square of a tiny one is zero
    forward = forward / _length(forward)
    pole = (0.0, 1.0, 0.0) if abs(forward[2]) > 0.9999 else (0.0, 0.0, 1.0)
    right = np.cross(forward, pole)
    right = right / _length(right)
    return right, np.cross(right, forward), forward


def _length(vector: NDArray[np.float64]) -> float:
    return float(math.hypot(*vector))


def _fitted_eye(axes: tuple, vertices: NDArray[np.float32], aspect: float) -> NDArray[np.float64]:
    """(3,): where the model just fills the picture, but for the margin.

    The four sides of the picture are planes through the eye. Seen along each pair, the model
    leaves the eye one nearest place; the pair that leaves it further away decides.
    """
    right, up, forward = axes
    x, y, z = (vertices @ np.stack(axes).T.astype(np.float32)).astype(np.float64).T
    slope_y = math.tan(FIELD_OF_VIEW / 2) / MARGIN
    slope_x = slope_y * aspect
    left, low = (-x - slope_x * z).max(), (-y - slope_y * z).max()
    far_right, high = (x - slope_x * z).max(), (y - slope_y * z).max()
    distance = max((far_right + left) / (2 * slope_x), (high + low) / (2 * slope_y), 0.05 - z.min())
    return -distance * forward + (far_right - left) / 2 * right + (high - low) / 2 * up


class Lights(NamedTuple):
    """The lights of `n` samples: one direction of the key light and one of the sky in each."""

    key: NDArray[np.float64]  # (3,): the middle of the key light
    keys: NDArray[np.float64]  # (n, 3), unit vectors towards the light
    domes: NDArray[np.float64]  # (n, 3), unit vectors
    weights: NDArray[np.float64]  # (n,), of the directions of the dome


def place_lights(camera: Camera, samples: int) -> Lights:
    """Lights that go with the camera, so that no view is a silhouette.

    The directions follow the additive recurrence of the plastic number (M. Roberts, "The
    unreasonable effectiveness of quasirandom sequences", 2018): the lights of n + 1 samples are
    those of n samples and one more.
    """
    key = -0.30 * camera.forward + 0.70 * camera.up - 0.85 * camera.right
    key = key / _length(key)
    if key[2] < 0.45:  # also a view from below is lit from above
        key[2] += 0.45 - key[2]
        key = key / _length(key)

    number = np.arange(samples)
    first, second = _plane_sequence(samples)
    side = np.cross(key, (0.0, 1.0, 0.0) if abs(key[2]) > 0.9 else (0.0, 0.0, 1.0))
    side = side / _length(side)
    offset = KEY_RADIUS * np.sqrt(number * 0.6180339887498949 % 1)
    angle = 2 * np.pi * (number * PLASTIC[0] % 1)
    disc = np.outer(np.cos(angle), side) + np.outer(np.sin(angle), np.cross(key, side))
    keys = key + offset[:, None] * disc
    keys = keys / np.linalg.norm(keys, axis=1, keepdims=True)

    above = first < SKY_SHARE
    rise = np.where(above, 1 - 0.985 * first / SKY_SHARE, (SKY_SHARE - first) / (1 - SKY_SHARE))
    flat = np.sqrt(1 - rise**2)
    azimuth = 2 * np.pi * second
    domes = np.stack([flat * np.cos(azimuth), flat * np.sin(azimuth), rise], axis=1)
    weights = np.where(above, 2 * SKY / SKY_SHARE, 2 * BOUNCE / (1 - SKY_SHARE))
    return Lights(key, keys, domes, weights)


def _plane_sequence(count: int) -> tuple[NDArray, NDArray]:
    """Two (count,) arrays: points that fill the unit square ever more evenly."""
    number = np.arange(count)
    return (0.5 + number * PLASTIC[0]) % 1, (0.5 + number * PLASTIC[1]) % 1


def jitters(count: int) -> NDArray[np.float64]:
    """(count, 2): positions inside a pixel, from -0.5 to 0.5."""
    return np.stack(_plane_sequence(count), axis=1) - 0.5


def cut_height(view: View, low: float, high: float, radius: float) -> float | None:
    """Where a view of a layer cuts a model that reaches from `low` to `high`, in mm.

    None where the whole model is seen. The cut is a little under the top of its layer, since
    parts are full of horizontal faces that lie exactly on it.
    """
    if view.layer is None:
        return None
    step = view.slice_height
    height = low + (view.layer + 1) * step - max(step / 1000, min(2e-6 * radius, step / 2))
    return height if height < high else None


def linear_color(color: str) -> NDArray[np.float64]:
    """(3,) linear intensities of an sRGB colour #RRGGBB."""
    return linear(np.array(list(bytes.fromhex(color.removeprefix("#")))))


def linear(levels: NDArray) -> NDArray[np.float64]:
    """Linear intensities, 0 to 1, of sRGB levels from 0 to 255 (IEC 61966-2-1)."""
    value = np.asarray(levels, np.float64) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def srgb(intensities: NDArray[np.float64]) -> NDArray[np.uint8]:
    """sRGB levels from 0 to 255 of linear intensities (IEC 61966-2-1)."""
    value = np.clip(intensities, 0, 1)
    value = np.where(value <= 0.0031308, value * 12.92, 1.055 * value ** (1 / 2.4) - 0.055)
    return np.rint(value * 255).astype(np.uint8)


def png(pixels: NDArray[np.uint8]) -> bytes:
    """The PNG file of an (h, w, 3 or 4) picture, without metadata: equal pixels, equal bytes."""
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG", compress_level=4)
    return file.getvalue()


def enlarged(pixels: NDArray[np.uint8], width: int, height: int) -> NDArray[np.uint8]:
    """(height, width, 3 or 4): a smaller picture in this size."""
    return np.array(Image.fromarray(pixels).resize((width, height), Image.Resampling.BILINEAR))


def shrink(picture: Path, out: Path, size: tuple[int, int]) -> None:
    """Write a smaller PNG of a picture; `size` is its width and height in pixels."""
    with Image.open(picture) as drawn:
        drawn.resize(size, Image.Resampling.LANCZOS).save(out, "PNG", optimize=True)
