"""What runs in the jail: files in, files and plain values out. No Django here."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from geometry.analysis import analyse
from geometry.rendering import View, png


def analyse_file(path: str, canonical: str) -> dict[str, Any]:
    """Judge the file at `path` and write it to `canonical` as the STL that all else reads."""
    return analyse(path, canonical)._asdict()


def draw_file(
    path: str, out: str, view: dict[str, Any], *, closed: bool, progress: Callable[[int, int], None]
) -> None:
    """Draw the canonical STL at `path` into a PNG at `out`."""
    from geometry.rendering_gl import render  # opens the graphics library: only where it is drawn

    pixels = render(path, View(**view), closed=closed, progress=progress)
    Path(out).write_bytes(png(pixels))


draw_file.tells_progress = True  # type: ignore[attr-defined]
