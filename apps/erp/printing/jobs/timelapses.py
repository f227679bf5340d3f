"""Sandboxed drawing of animations from pictures of a print."""

from collections.abc import Sequence
from pathlib import Path

from PIL import Image

SIDE = 640  # pixels of the longer side, at most
QUALITY = 50


def write_animation(pictures: Sequence[str], output: str, interval: int) -> None:
    """Write an animated WebP that shows each picture for `interval` ms, endlessly."""
    first = _opened(pictures[0])
    first.thumbnail((SIDE, SIDE))
    first.save(
        Path(output),
        "WEBP",
        save_all=True,
        append_images=(_opened(path).resize(first.size) for path in pictures[1:]),
        duration=interval,
        loop=0,
        quality=QUALITY,
        method=2,
    )


def _opened(path: str) -> Image.Image:
    with Image.open(path, formats=["JPEG"]) as image:
        image.draft("RGB", (SIDE, SIDE))  # decoded at a part of its size where that is enough
        return image.convert("RGB")
