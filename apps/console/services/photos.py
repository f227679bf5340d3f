"""Photos of labels: their codes are read in a sandbox."""

from __future__ import annotations

from core.sandbox.sandbox import JobInputError
from core.web.pictures import decode_picture

MAX_CODE = 500  # characters; longer ones are no codes of labels


class UnreadablePhoto(Exception):
    """The file is no photo of a kind and size that is read."""


def codes_in(photo: bytes, *, account: str) -> list[str]:
    """Return the texts of the codes in a JPEG, PNG or WebP.

    account : URI of who sends it

    Raises UnreadablePhoto, RateLimited.
    """
    try:
        codes = decode_picture("apps.console.jobs.photos", "read_codes", photo, account=account)
    except JobInputError:
        raise UnreadablePhoto from None
    if not isinstance(codes, list):
        raise UnreadablePhoto
    return [code for code in codes if isinstance(code, str) and 0 < len(code) <= MAX_CODE]
