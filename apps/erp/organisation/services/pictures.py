"""Pictures that requests send: decoded in a sandbox, and drawn anew from their pixels."""

import base64

from PIL import Image

from core.errors import ServiceError
from core.sandbox.sandbox import JobInputError
from core.web.pictures import decode_picture


class UnreadablePicture(ServiceError):
    """The content is no picture of a kind that is read."""

    code = "unreadable-picture"


def read_picture(
    job: str, content: bytes, *, mode: str, size: int, account: str, title: str
) -> Image.Image:
    """Return the pixels of a picture, which is decoded by a sandboxed job.

    job     : "module:function", which returns organisation.jobs.logos.Pixels
    mode    : of Pillow, such as RGB
    size    : pixels of the longer side, at most
    account : URI of who sends it
    title   : of the refusal

    Raises UnreadablePicture, RateLimited.
    """
    module, _, function = job.partition(":")
    try:
        pixels = decode_picture(module, function, content, account=account)
        if pixels is None:
            raise ValueError
        sides = int(pixels["width"]), int(pixels["height"])
        if not all(0 < side <= size for side in sides):
            raise ValueError
        return Image.frombytes(mode, sides, base64.b64decode(pixels["channels"], validate=True))
    except (JobInputError, ValueError, KeyError, TypeError):
        raise UnreadablePicture(title, field="content") from None
