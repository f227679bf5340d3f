"""Pictures of printers' cameras: checked, drawn anew, stored."""

import hashlib
import io
from datetime import datetime, timedelta
from uuid import UUID

from django.core import signing
from django.db import transaction
from django.utils import timezone

from apps.erp.organisation.models.equipment import Printer
from apps.erp.organisation.services.pictures import read_picture
from apps.erp.printing.jobs.camera_pictures import SIZE
from apps.erp.printing.models.agents import Agent
from apps.erp.printing.models.cameras import MAX_PICTURES, AttemptPicture, CameraPicture
from apps.erp.printing.services.watching import watched_printers
from apps.erp.production.models.attempts import Attempt
from core.errors import Conflict, NotFound, RateLimited
from core.files import blobs
from core.web.rate_limits import check_request_rate

MIN_INTERVAL = timedelta(seconds=1.5)  # agents send one each 2 s, as well as they can
# Pictures in a second, of all cameras and of those of a bureau: one takes 0.14 s of a core.
RATE, BUREAU_RATE = 2, 1
QUALITY = 80
LOCATION_LIVES = 60  # s


class NotWatched(Conflict):
    """No person watches the printer."""

    code = "not-watched"


class TooManyPictures(Conflict):
    """The attempt has as many pictures as are kept."""

    code = "too-many-pictures"


def store(
    *,
    agent: Agent,
    printer: UUID,
    content: bytes,
    ago: float,
    attempt: str | None,
    status: str | None,
) -> datetime:
    """Store the newest picture of a printer's camera; return when it was taken.

    ago     : s since it was taken
    attempt : name of the attempt that paused or ended then, and its status; None: people watch

    Raises NotFound for printers and attempts that are not of the agent's, NotWatched,
    TooManyPictures, RateLimited, UnreadablePicture.
    """
    row = Printer.objects.filter(agent=agent, pk=printer).first()
    if row is None:
        raise NotFound("The agent drives no such printer.")
    at = timezone.now() - timedelta(seconds=ago)
    pictured = _attempt(row, attempt) if attempt else None
    if pictured is None:
        _require_watched(agent, row, at)
    check_request_rate(f"camera pictures of {row.bureau_id}", BUREAU_RATE)
    check_request_rate("camera pictures", RATE)
    drawn = _redrawn(content, account=row.uri)
    stored = _store_file(drawn) if pictured else None
    with transaction.atomic():
        if pictured and stored and status:
            AttemptPicture.objects.get_or_create(
                attempt=pictured,
                content_id=blobs.create_row(*stored),
                defaults={"status": status, "at": at},
            )
        newer = CameraPicture.objects.filter(printer=row, at__gte=at)
        if not newer.exists():
            values = {"content": drawn, "at": at}
            CameraPicture.objects.update_or_create(printer=row, defaults=values)
    return at


def _attempt(printer: Printer, name: str) -> Attempt:
    attempt = Attempt.objects.filter(printer=printer, name=name).first()
    if attempt is None:
        raise NotFound(f"{name} is no attempt on this printer.")
    if attempt.pictures.count() >= MAX_PICTURES:
        raise TooManyPictures(f"{name} has {MAX_PICTURES} pictures: send no more of it.")
    return attempt


def _require_watched(agent: Agent, printer: Printer, at: datetime) -> None:
    if printer not in watched_printers(agent):
        raise NotWatched("No person watches the printer: send pictures of those in `watched`.")
    last = CameraPicture.objects.filter(printer=printer).values_list("at", flat=True).first()
    if last is not None and abs(at - last) < MIN_INTERVAL:
        title = "A camera sends a picture each 2 s at most: wait for 2 s."
        raise RateLimited(title, limit="pictures", most=1, used=1, wait=2)


def _redrawn(content: bytes, *, account: str) -> bytes:
    """Return the picture as a JPEG of the platform, which holds nothing but its pixels."""
    title = "The picture cannot be read. Send a JPEG or PNG of at most 4096 x 4096 pixels."
    job = "apps.erp.printing.jobs.camera_pictures:decode_camera_picture"
    image = read_picture(job, content, mode="RGB", size=SIZE, account=account, title=title)
    file = io.BytesIO()
    image.save(file, "JPEG", quality=QUALITY)
    return file.getvalue()


def _store_file(content: bytes) -> tuple[str, int]:
    with blobs.scratch_dir() as folder:
        path = folder / f"{hashlib.sha256(content).hexdigest()}.jpg"
        path.write_bytes(content)
        return blobs.store_file(path)


def picture_key(printer: Printer, at: datetime) -> str:
    """Return the key that opens a printer's newest picture for one to two minutes."""
    now = int(timezone.now().timestamp())
    expires = (now // LOCATION_LIVES + 2) * LOCATION_LIVES  # equal for those who ask in a minute
    return signing.Signer(salt="camera picture").sign_object(
        [printer.pk.hex, at.timestamp(), expires]
    )


def picture_by_key(key: str) -> bytes | None:
    """Return the newest picture of the printer that a key is for; None if it opens nothing."""
    try:
        printer, _, expires = signing.Signer(salt="camera picture").unsign_object(key)
    except signing.BadSignature:
        return None
    if expires < timezone.now().timestamp():
        return None
    rows = CameraPicture.objects.filter(printer=printer)
    content = rows.values_list("content", flat=True).first()
    return None if content is None else bytes(content)
