"""Renders a model to pixels (EGL, Mesa); command line for doctor."""

import argparse
import importlib
import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from geometry.rendering.render_mesh import Source, prepare
from geometry.rendering.view import (
    Progress,
    RendererUnavailable,
    View,
    Viewpoint,
    enlarged,
    grainy,
    png,
    viewpoint,
)

if TYPE_CHECKING:
    from pyrender.platforms.egl import EGLPlatform

    from geometry.rendering.passes import Painter

MESA = "Pictures need EGL and Mesa's software renderer: apt install libegl1 libgl1 libgl1-mesa-dri."


def render(
    source: Source, view: View, *, closed: bool, progress: Progress | None = None
) -> NDArray[np.uint8]:
    """The pixels of `photograph`."""
    return photograph(source, view, closed=closed, progress=progress)[0]


def photograph(
    source: Source, view: View, *, closed: bool, progress: Progress | None = None
) -> tuple[NDArray[np.uint8], Viewpoint]:
    """The picture of a model, and where it is taken from.

    The first call makes the context of this process, which lives as long as the process and
    belongs to the calling thread. A process must not be forked after it.

    Parameters
    ----------
    source : path of a canonical binary STL, or (m, 3, 3) float32, mm
    closed : bool
        Whether the faces bound a solid, which decides how a cut by a layer is filled.
    progress : called with the samples done and all samples, after each few; may raise to stop

    Returns
    -------
    (height, width, 3) uint8, sRGB, the upper row first: the same for the same arguments. With the
    opacity as a fourth level where the view is transparent.

    Raises
    ------
    NothingToShow, RendererUnavailable
    """
    painter = _painter()
    drawable = prepare(source, shadows=view.shadow_size, eye=view.eye)
    drawn = view if drawable.grain == 1 else grainy(view, drawable.grain)
    pixels = painter.paint(drawable, drawn, closed=closed, progress=progress)
    if drawn is not view:
        pixels = enlarged(pixels, view.width, view.height)
    taken = viewpoint(view, drawable.surface.vertices, drawable.center, drawable.radius)
    return pixels, taken


def driver() -> str:
    """What draws in this process, with its version: part of every cached picture's key."""
    _painter()
    from geometry.rendering.gl import version  # as in `_opened`

    return version()


def load() -> None:
    """Import what draws, once a process, before it is locked in: it runs programs to find libEGL.

    Where something is missing, the first picture says what.
    """
    with suppress(ImportError):
        importlib.import_module("geometry.rendering.passes")


def _painter() -> "Painter":
    process, platform, painter = _opened()
    if process != os.getpid():
        raise RendererUnavailable("Rendering began before this process was forked: start it anew.")
    platform.make_current()
    return painter


@cache
def _opened() -> "tuple[int, EGLPlatform, Painter]":
    if not __debug__:  # pyrender makes its context inside assert statements
        raise RendererUnavailable("Python drops the assertions that EGL needs: run without -O.")
    try:
        # Only here: the import opens libEGL and takes a second, and few processes draw.
        from geometry.rendering.gl import open_context
        from geometry.rendering.passes import Painter

        return os.getpid(), open_context(), Painter()
    except Exception as error:
        raise RendererUnavailable(f"{MESA} ({type(error).__name__}: {error})") from error


def main() -> None:
    parser = argparse.ArgumentParser(description="Draw a binary STL into a PNG.")
    parser.add_argument("model", type=Path)
    parser.add_argument("picture", type=Path)
    for field, kind in (("width", int), ("height", int), ("samples", int), ("color", str)):
        parser.add_argument(f"--{field}", type=kind, default=getattr(View, field))
    parser.add_argument("--layer", type=int)
    parser.add_argument("--open", action="store_true", help="the model is not closed")
    options = vars(parser.parse_args())
    model, picture, closed = options.pop("model"), options.pop("picture"), not options.pop("open")
    picture.write_bytes(png(render(model, View(**options), closed=closed)))


if __name__ == "__main__":
    main()
