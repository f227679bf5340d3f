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
from apps.erp.printing.models.cameras import FRAME, MAX_PICTURES, AttemptPicture, CameraPicture
from apps.erp.printing.services.timelapses import require_room
from apps.erp.printing.services.watching import watched_printers
from apps.erp.production.models.attempts import Attempt
from core.errors import Conflict, NotFound, RateLimited
from core.files import blobs
from core.web.rate_limits import check_request_rate

MIN_INTERVAL = timedelta(seconds=1.5)  # agents send one each 2 s, as well as they can
# Pictures in a second, of all cameras and of those of a bureau: one takes 0.14 s of a core. Live
# pictures and those of attempts have limits of their own.
RATE, BUREAU_RATE = 2, 1
QUALITY = 80
FRAME_SIDE = 960  # pixels of the longer side of a frame
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
    attempt : name of the attempt that paused or ended then, and its status, or that is printing,
              for its timelapse; None: people watch

    Raises NotFound for printers and attempts that are not of the agent's, NotWatched,
    TooManyPictures, RateLimited, UnreadablePicture; of frames what `require_room` raises.
    """
    row = Printer.objects.filter(agent=agent, pk=printer).first()
    if row is None:
        raise NotFound("The agent drives no such printer.")
    at = timezone.now() - timedelta(seconds=ago)
    pictured = _attempt(row, attempt) if attempt else None
    if pictured is None:
        _require_watched(agent, row, at)
    elif status == FRAME:
        require_room(pictured, at)
    elif pictured.pictures.exclude(status=FRAME).count() >= MAX_PICTURES:
        raise TooManyPictures(f"{attempt} has {MAX_PICTURES} pictures: send no more of it.")
    purpose = "pictures of attempts" if pictured else "live pictures"
    check_request_rate(f"{purpose} of {row.bureau_id}", BUREAU_RATE)
    check_request_rate(purpose, RATE)
    side = FRAME_SIDE if status == FRAME else SIZE
    drawn = _redrawn(content, account=row.uri, side=side)
    stored = _store_file(drawn) if pictured else None
    with transaction.atomic():
        if pictured and stored and status:
            AttemptPicture.objects.get_or_create(
                attempt=pictured,
                content_id=blobs.create_row(*stored),
                defaults={"status": status, "at": at},
            )
        newer = CameraPicture.objects.filter(printer=row, at__gte=at)
        # A frame would delay the next live picture by MIN_INTERVAL.
        if not newer.exists() and (pictured is None or row not in watched_printers(agent)):
            values = {"content": drawn, "at": at}
            CameraPicture.objects.update_or_create(printer=row, defaults=values)
    return at


def _attempt(printer: Printer, name: str) -> Attempt:
    attempt = Attempt.objects.filter(printer=printer, name=name).first()
    if attempt is None:
        raise NotFound(f"{name} is no attempt on this printer.")
    return attempt


def _require_watched(agent: Agent, printer: Printer, at: datetime) -> None:
    if printer not in watched_printers(agent):
        raise NotWatched("No person watches the printer: send pictures of those in `watched`.")
    last = CameraPicture.objects.filter(printer=printer).values_list("at", flat=True).first()
    if last is not None and abs(at - last) < MIN_INTERVAL:
        title = "A camera sends a picture each 2 s at most: wait for 2 s."
        raise RateLimited(title, limit="pictures", most=1, used=1, wait=2)


def _redrawn(content: bytes, *, account: str, side: int) -> bytes:
    """Return the picture as a JPEG of the platform, which holds nothing but its pixels."""
    title = "The picture cannot be read. Send a JPEG or PNG of at most 4096 x 4096 pixels."
    job = "apps.erp.printing.jobs.camera_pictures:decode_camera_picture"
    image = read_picture(job, content, mode="RGB", size=SIZE, account=account, title=title)
    image.thumbnail((side, side))
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
