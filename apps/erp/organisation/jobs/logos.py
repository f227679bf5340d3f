"""Sandboxed decoding of logos, and of other pictures that requests send."""

import base64
import io
import struct
import warnings
import zlib
from typing import TypedDict

from PIL import Image

FORMATS = ["PNG", "JPEG", "WEBP"]
MAX_PIXELS = 4096 * 4096
SIZE = 512  # pixels of the longer side that are kept
# What Pillow raises for what is damaged.
DAMAGE = (OSError, ValueError, SyntaxError, EOFError, IndexError, struct.error, zlib.error)


class Pixels(TypedDict):
    """A decoded picture: base64 of 8 bits for each channel of its mode, by rows."""

    width: int
    height: int
    channels: str


def decode_logo(content: str) -> Pixels | None:
    """Decode a picture in base64, at most 512 pixels wide and high; None of what is none."""
    return pixels_of(content, formats=FORMATS, mode="RGBA", size=SIZE)


def pixels_of(content: str, *, formats: list[str], mode: str, size: int) -> Pixels | None:
    """Return a picture in base64, at most `size` pixels wide and high; None of what is none."""
    Image.MAX_IMAGE_PIXELS = MAX_PIXELS
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(base64.b64decode(content)), formats=formats) as picture:
                image = picture.convert(mode)
    except (*DAMAGE, Image.DecompressionBombError, Image.DecompressionBombWarning):
        return None
    image.thumbnail((size, size), Image.Resampling.LANCZOS)
    return {
        "width": image.width,
        "height": image.height,
        "channels": base64.b64encode(image.tobytes()).decode(),
    }
