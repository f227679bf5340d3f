"""Pictures of cameras as JSON, and back."""

import base64
import binascii
from datetime import datetime
from typing import Annotated, Literal, TypedDict

from django.core.validators import MaxValueValidator, MinValueValidator
from rest_framework import serializers

from apps.erp.organisation.models.equipment import Printer
from apps.erp.printing.models.cameras import FRAME, PICTURED, AttemptPicture, Timelapse
from apps.erp.printing.services.cameras import picture_key
from apps.erp.production.models.attempts import Attempt
from core.api.fields import Choice, Number, StrictSerializer, StrictText, ValidatedData
from core.api.openapi.response_types import ErrorAnswer, Uri
from core.files.signed_urls import download_url
from core.uris import base_url

MAX_BYTES = 200_000
MAX_AGO = 24 * 3600  # s


class SentPictureSerializer(StrictSerializer):
    """A picture of a camera; the value of its content is the bytes."""

    content = StrictText(
        max_length=2 * MAX_BYTES,
        help_text="JPEG or PNG in base64, at most 200,000 bytes and 4096 x 4096 pixels.",
    )
    ago = Number(
        required=False,
        default=0.0,
        validators=[MinValueValidator(0), MaxValueValidator(MAX_AGO)],
        help_text="Time since it was taken, s.",
    )
    attempt = StrictText(
        max_length=64,
        required=False,
        allow_null=True,
        default=None,
        help_text="Name of the attempt that paused or ended when it was taken, or is printing.",
    )
    status = Choice(
        choices=[(state.value, state.value) for state in (*PICTURED, FRAME)],
        required=False,
        allow_null=True,
        default=None,
        help_text="Status of that attempt; printing: a frame of its timelapse.",
    )

    def validate_content(self, content: str) -> bytes:
        try:
            picture = base64.b64decode(content, validate=True)
        except binascii.Error:
            raise serializers.ValidationError("Send base64.", code="not-allowed") from None
        if len(picture) > MAX_BYTES:
            title = (
                f"The picture has {len(picture)} bytes. Send at most {MAX_BYTES}: lower the "
                "resolution or the quality of the camera."
            )
            raise serializers.ValidationError(title, code="picture-too-large")
        return picture

    def validate(self, attrs: ValidatedData) -> ValidatedData:
        if (attrs["attempt"] is None) != (attrs["status"] is None):
            title = "Send both attempt and status, or neither."
            raise serializers.ValidationError({"status": title}, code="not-allowed")
        return attrs


class StoredPictureAnswer(TypedDict):
    """A picture that was stored."""

    at: Annotated[datetime, "Time at which it was taken."]


class CameraAnswer(TypedDict):
    """The newest picture of a printer's camera."""

    content: Annotated[
        Uri, "Signed URL of the picture, a JPEG, valid for one to two minutes; changes with it."
    ]
    at: Annotated[datetime, "Time at which it was taken."]


class AttemptPictureAnswer(TypedDict):
    """A picture that the camera took when an attempt paused or ended."""

    status: Annotated[
        str,
        Literal["paused", "done", "stopped", "failed", "unclear"],
        "Status of the attempt at that moment.",
    ]
    at: Annotated[datetime, "Time at which it was taken."]
    content: Annotated[Uri, "Signed URL of the picture, a JPEG."]


class TimelapseAnswer(TypedDict):
    """A video of the pictures of an attempt."""

    pictures: Annotated[int, "Number of pictures of the print."]
    status: Annotated[str | None, Timelapse.Status, "Status of the video; null: not requested."]
    errors: list[ErrorAnswer] | None
    media_type: Annotated[
        str | None, "video/mp4, or image/webp (animated) of a server without ffmpeg."
    ]
    content: Annotated[Uri | None, "Signed URL of the video; null until it is made."]


def timelapse_resource(attempt: Attempt, row: Timelapse | None) -> TimelapseAnswer:
    """Return the video of an attempt as JSON; `row` None: it was not requested."""
    content = None
    if row and row.content_id:
        name = f"{attempt.name.removesuffix('.gcode')}.{row.media_type.rpartition('/')[2]}"
        content = download_url(row.content_id, media_type=row.media_type, filename=name)
    return {
        "pictures": attempt.pictures.count(),
        "status": row.status if row else None,
        "errors": row.errors if row else None,
        "media_type": row.media_type or None if row else None,
        "content": content,
    }


def camera_resource(printer: Printer, at: datetime | None) -> CameraAnswer | None:
    """Return the newest picture of a printer, taken at that time; None: none."""
    if at is None:
        return None
    return {"content": f"{base_url('')}/camera/{picture_key(printer, at)}.jpg", "at": at}


def attempt_picture_resource(picture: AttemptPicture) -> AttemptPictureAnswer:
    """Return a picture of an attempt as JSON."""
    name = f"{picture.attempt_id}-{picture.status}.jpg"
    return {
        "status": picture.status,
        "at": picture.at,
        "content": download_url(picture.content_id, media_type="image/jpeg", filename=name),
    }
