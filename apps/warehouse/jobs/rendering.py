"""Sandboxed rendering jobs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from geometry.rendering import render
from geometry.rendering.view import View, png

render.load()


def draw_file(
    path: str, out: str, view: dict[str, Any], *, closed: bool, progress: Callable[[int, int], None]
) -> dict[str, tuple[float, float, float]]:
    """Draw the canonical STL at `path` into a PNG at `out`; where it is taken from."""
    pixels, taken = render.photograph(path, View(**view), closed=closed, progress=progress)
    Path(out).write_bytes(png(pixels))
    return taken._asdict()


draw_file.tells_progress = True  # type: ignore[attr-defined]


def draw_sample() -> None:
    """Draw a small picture, which creates the context and compiles the shaders in advance."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
    part = corners[[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]]
    render.render(part, View(width=64, height=48, samples=48), closed=True)


def driver() -> str:
    """The graphics library that pictures are drawn with."""
    return render.driver()
