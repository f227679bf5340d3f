"""Plate thumbnails embedded in the G-code."""

import base64
import io
import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

SIZE = re.compile(r"(\d{1,4})x(\d{1,4})")
LARGEST = 1000  # pixels a side
MAX_THUMBNAILS = 8  # pictures
MAX_FACES = 100_000  # drawn: of finer meshes the largest
LINE = 78  # characters of base64 in a comment
SUPERSAMPLED = 3
MARGIN = 0.06  # of a picture's side
COLOUR = (250, 130, 40)
LIGHT = np.array([0.35, -0.5, 0.8])
# From a corner, 35 degrees above the plate: rows are what goes right, up, and towards the eye.
VIEW = np.array(
    [
        [0.7071, 0.7071, 0.0],
        [-0.4056, 0.4056, 0.8192],
        [0.5792, -0.5792, 0.5736],
    ]
)


def comments(sizes: Iterable[str], triangles: Sequence[NDArray[np.float32]]) -> list[str]:
    """Return gcode lines with a picture of each size, such as 220x124; invalid sizes are skipped.

    triangles : (n, 3, 3) mm, of each object in place
    """
    asked = [match for size in sizes if (match := SIZE.fullmatch(size.strip()))]
    wanted = [(int(one[1]), int(one[2])) for one in asked[:MAX_THUMBNAILS]]
    wanted = [size for size in wanted if 0 < min(size) and max(size) <= LARGEST]
    lines: list[str] = []
    if not wanted or not triangles:
        return lines
    seen, shades = _seen(triangles)
    for width, height in wanted:
        data = base64.b64encode(_png(seen, shades, width, height)).decode()
        lines += [";", f"; thumbnail begin {width}x{height} {len(data)}"]
        lines += [f"; {data[at : at + LINE]}" for at in range(0, len(data), LINE)]
        lines += ["; thumbnail end", ";"]
    return lines


def _seen(
    triangles: Sequence[NDArray[np.float32]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(n, 3, 2) of what faces the eye, the farthest first, and how light each is, 0..1."""
    every = np.concatenate(triangles).astype(np.float64)
    normals = np.cross(every[:, 1] - every[:, 0], every[:, 2] - every[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    facing = np.flatnonzero((np.einsum("nj,j->n", normals, VIEW[2]) > 0) & (areas > 0))
    if len(facing) > MAX_FACES:
        facing = facing[np.argsort(-areas[facing], kind="stable")[:MAX_FACES]]
    turned = np.einsum("ij,nkj->nki", VIEW, every[facing])
    light = np.einsum("nj,j->n", normals[facing], LIGHT / np.linalg.norm(LIGHT)) / areas[facing]
    order = np.argsort(turned[:, :, 2].mean(axis=1), kind="stable")
    return turned[order][:, :, :2], 0.35 + 0.65 * np.clip(light[order], 0.0, 1.0)


def _png(seen: NDArray[np.float64], shades: NDArray[np.float64], width: int, height: int) -> bytes:
    from PIL import Image, ImageDraw  # here, since every process imports the actors

    size = np.array([width, height]) * SUPERSAMPLED
    low, high = seen.min(axis=(0, 1)), seen.max(axis=(0, 1))
    scale = ((1 - 2 * MARGIN) * size / np.maximum(high - low, 1e-6)).min()
    at = (seen - (low + high) / 2) * [scale, -scale] + size / 2
    picture = Image.new("RGBA", tuple(size.tolist()))
    draw = ImageDraw.Draw(picture)
    for corners, shade in zip(at.reshape(-1, 6).tolist(), shades.tolist(), strict=True):
        red, green, blue = (round(part * shade) for part in COLOUR)
        draw.polygon(corners, fill=(red, green, blue, 255))
    file = io.BytesIO()
    picture.resize((width, height), Image.Resampling.LANCZOS).save(file, "PNG")
    return file.getvalue()
