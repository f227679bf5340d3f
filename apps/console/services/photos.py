"""Photos of labels: their codes are read in a sandbox."""

from __future__ import annotations

import base64

from core.sandbox.sandbox import JobInputError, ResourceLimits, Sandbox

MAX_CODE = 500  # characters; longer ones are no codes of labels
LIMITS = ResourceLimits(seconds=10, memory=1024**3, file_size=0)


class UnreadablePhoto(Exception):
    """The file is no photo of a kind and size that is read."""


def codes_in(photo: bytes) -> list[str]:
    """Return the texts of the codes in a JPEG, PNG or WebP. Raises UnreadablePhoto."""
    sandbox = Sandbox("apps.console.jobs.photos", limits=LIMITS)
    try:
        codes = sandbox.run(
            "apps.console.jobs.photos:read_codes", content=base64.b64encode(photo).decode()
        )
    except JobInputError:
        raise UnreadablePhoto from None
    finally:
        sandbox.close()
    # The child may be in the hands of the photo: what it says is checked.
    if not isinstance(codes, list):
        raise UnreadablePhoto
    return [code for code in codes if isinstance(code, str) and 0 < len(code) <= MAX_CODE]
