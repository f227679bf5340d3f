"""Logos of bureaus: decoded in a sandbox, drawn anew, stored in the database."""

import base64
import hashlib
import io

from django.db import transaction
from PIL import Image

from apps.erp.base.models.bureaus import Bureau, Logo
from core.auth_user import Person
from core.errors import ServiceError
from core.sandbox.sandbox import JobInputError
from core.web.pictures import decode_picture

SIZE = 512  # pixels of the longer side, at most


class UnreadablePicture(ServiceError):
    """The content is no picture of a kind that is read."""

    code = "unreadable-picture"


def set_logo(*, actor: Person, row: Bureau, content: bytes) -> None:
    """Store a picture as the logo of a bureau. Raises UnreadablePicture, RateLimited."""
    drawn = _redrawn(content, account=actor.uri)
    with transaction.atomic():
        Logo.objects.update_or_create(bureau=row, defaults={"content": drawn})
        row.logo_sha256 = hashlib.sha256(drawn).hexdigest()
        row.save(update_fields=["logo_sha256", "updated"])


@transaction.atomic
def delete_logo(*, row: Bureau) -> None:
    """Delete the logo of a bureau, if it has one."""
    Logo.objects.filter(bureau=row).delete()
    row.logo_sha256 = ""
    row.save(update_fields=["logo_sha256", "updated"])


def _redrawn(content: bytes, *, account: str) -> bytes:
    """Return the picture as a PNG of the platform, which holds nothing but its pixels."""
    try:
        pixels = decode_picture(
            "apps.erp.organisation.jobs.logos", "decode_logo", content, account=account
        )
        if pixels is None:
            raise ValueError
        size = int(pixels["width"]), int(pixels["height"])
        if not all(0 < side <= SIZE for side in size):
            raise ValueError
        image = Image.frombytes("RGBA", size, base64.b64decode(pixels["rgba"], validate=True))
    except (JobInputError, ValueError, KeyError, TypeError):
        raise UnreadablePicture(
            "The logo cannot be read. Send a PNG, JPEG or WebP of at most 4096 x 4096 pixels.",
            field="content",
        ) from None
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()
