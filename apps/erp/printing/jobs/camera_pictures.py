"""Sandboxed decoding of pictures of cameras."""

import base64
from typing import TypedDict

from apps.erp.organisation.jobs.logos import decoded

FORMATS = ["JPEG", "PNG"]
SIZE = 1280  # pixels of the longer side that are kept


class CameraPixels(TypedDict):
    """A decoded picture: base64 of 8 bits each of red, green and blue, by rows."""

    width: int
    height: int
    rgb: str


def decode_camera_picture(content: str) -> CameraPixels | None:
    """Decode a picture in base64, at most 1280 pixels wide and high; None of what is none."""
    image = decoded(content, formats=FORMATS, mode="RGB", size=SIZE)
    if image is None:
        return None
    return {
        "width": image.width,
        "height": image.height,
        "rgb": base64.b64encode(image.tobytes()).decode(),
    }
