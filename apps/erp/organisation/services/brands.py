"""Logos of bureaus: decoded in a sandbox, drawn anew, stored in the database."""

import hashlib
import io

from django.db import transaction

from apps.erp.base.models.bureaus import Bureau, Logo
from apps.erp.organisation.services.pictures import read_picture
from core.auth_user import Person

SIZE = 512  # pixels of the longer side, at most


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
    title = "The logo cannot be read. Send a PNG, JPEG or WebP of at most 4096 x 4096 pixels."
    job = "apps.erp.organisation.jobs.logos:decode_logo"
    image = read_picture(job, content, mode="RGBA", size=SIZE, account=account, title=title)
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()
