"""Sandboxed decoding of pictures of cameras."""

from apps.erp.organisation.jobs.logos import Pixels, pixels_of

FORMATS = ["JPEG", "PNG"]
SIZE = 1280  # pixels of the longer side that are kept


def decode_camera_picture(content: str) -> Pixels | None:
    """Decode a picture in base64, at most 1280 pixels wide and high; None of what is none."""
    return pixels_of(content, formats=FORMATS, mode="RGB", size=SIZE)
