"""Sandboxed reading of codes in photos."""

import base64
import io
import struct
import warnings
import zlib

import zxingcpp
from PIL import Image

FORMATS = ["JPEG", "PNG", "WEBP"]
MAX_PIXELS = 50_000_000  # as the largest cameras of phones have
SIDE = 2400  # pixels of the longer side that are searched
MAX_CODES = 10
# What Pillow raises for what is damaged.
DAMAGE = (OSError, ValueError, SyntaxError, EOFError, IndexError, struct.error, zlib.error)
CODES = zxingcpp.barcode_formats_from_str("QRCode,DataMatrix,Code128")


def read_codes(content: str) -> list[str] | None:
    """Return the texts of the codes in a photo in base64, at most 10; None of what is no photo."""
    Image.MAX_IMAGE_PIXELS = MAX_PIXELS
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(base64.b64decode(content)), formats=FORMATS) as photo:
                photo.draft("L", (SIDE, SIDE))  # a JPEG is decoded at a part of its size
                grey = _grey(photo)
    except (*DAMAGE, Image.DecompressionBombError, Image.DecompressionBombWarning):
        return None
    grey.thumbnail((SIDE, SIDE), Image.Resampling.BILINEAR)
    return [code.text for code in zxingcpp.read_barcodes(grey, formats=CODES)][:MAX_CODES]


def _grey(photo: Image.Image) -> Image.Image:
    """Return it in shades of grey; what is transparent is white."""
    if photo.mode not in ("RGBA", "LA", "PA") and "transparency" not in photo.info:
        return photo.convert("L")
    solid = photo.convert("RGBA")
    paper = Image.new("RGBA", solid.size, "white")
    paper.alpha_composite(solid)
    return paper.convert("L")
