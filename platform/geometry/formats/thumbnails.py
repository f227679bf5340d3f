"""Embedded thumbnails, decoded and re-encoded."""

import io
import struct
import warnings
import zlib
from pathlib import Path
from typing import NamedTuple

from PIL import Image

LARGEST = 16 * 1024**2  # bytes of a picture that are read
MAX_PIXELS = 4096 * 4096
SIZE = (800, 600)  # of what is kept, at most; it is as wide to its height, as what is drawn here is
GROUND = (238, 240, 243, 255)
# What Pillow raises for what is damaged.
DAMAGE = (OSError, ValueError, SyntaxError, EOFError, IndexError, struct.error, zlib.error)


class Picture(NamedTuple):
    """Plain pixels, of which no reader can be misled.

    entry  : the picture that it was drawn from
    pixels : 8 bits for each of red, green and blue, row by row from above
    """

    entry: str
    width: int
    height: int
    pixels: bytes

    def as_ppm(self) -> bytes:
        """Netpbm's P6: three numbers, then the pixels."""
        return b"P6 %d %d 255\n" % (self.width, self.height) + self.pixels


def write_png(picture: Picture, path: Path) -> None:
    """Write plain pixels as a PNG of ours."""
    image = Image.frombytes("RGB", (picture.width, picture.height), picture.pixels)
    image.save(path, "PNG", optimize=True)


def redrawn(entry: str, content: bytes) -> Picture | None:
    """A PNG or JPEG on a ground of our pictures' shape; None of what cannot be read."""
    if len(content) > LARGEST:
        return None
    try:
        image = _decoded(content)
    except (*DAMAGE, Image.DecompressionBombError):
        return None
    if image is None:
        return None
    image.thumbnail(SIZE, Image.Resampling.LANCZOS)
    width = max(image.width, round(image.height * SIZE[0] / SIZE[1]))
    height = max(image.height, round(image.width * SIZE[1] / SIZE[0]))
    ground = Image.new("RGBA", (width, height), GROUND)
    ground.alpha_composite(image, ((width - image.width) // 2, (height - image.height) // 2))
    return Picture(entry, width, height, ground.convert("RGB").tobytes())


def _decoded(content: bytes) -> Image.Image | None:
    """None of more pixels than are read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is odd in it
        with Image.open(io.BytesIO(content), formats=["PNG", "JPEG"]) as found:
            if found.width * found.height > MAX_PIXELS:
                return None
            found.draft("RGB", SIZE)  # a JPEG can be read smaller
            return found.convert("RGBA")
