"""Slicer keys, and files that slicers send with them: G-code and models."""

import secrets
from collections.abc import Callable
from datetime import timedelta
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple, TypedDict
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from apps.erp.base.models.access import share_gcode, share_model
from apps.erp.base.services import resources
from apps.erp.printing.domain.slicer_keys import is_valid_key
from apps.erp.printing.models.slicer_uploads import ReceivedFile, SlicerKey, hashed
from apps.slicing import interface as slicing
from apps.warehouse import interface as warehouse
from core import uris
from core.auth_user import Person
from core.errors import Forbidden, ServiceError
from core.files import blobs
from core.queue import quotas
from core.web import throttling

MAX_KEYS = 100  # of a bureau
SECRET_BYTES = 24
USED_EVERY = timedelta(minutes=1)  # of `last_used`: Cura asks for the state every few seconds
FAILURES, FAILURES_IN = 60, 900  # unknown keys of a network, in so many seconds
FREE_BY = "deleting models, gcode or slices"
# By the ending of a file's name; what is none of these is a model, if it is one.
GCODE_ENDINGS = (".gcode.3mf", ".bgcode", ".gcode", ".gco", ".g")
MODEL_ENDINGS = {f".{name}": name for name in warehouse.TYPES} | {".stp": "step"}


class UnknownSlicerKey(ServiceError):
    """No slicer key has this secret."""

    status = HTTPStatus.UNAUTHORIZED
    code = "invalid-credentials"


class UnknownFileType(ServiceError):
    """A file that is neither G-code nor a model."""

    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    code = "unsupported-media-type"


class TooManyKeys(ServiceError):
    """The bureau has as many keys as it may."""

    code = "limit-exceeded"


class Stored(TypedDict):
    """A complete file; `place` puts it into storage."""

    sha256: str
    size: int
    place: Callable[[], None]


class Sender(NamedTuple):
    """A slicer's key as uploads need it.

    account : key of the user whose files they become
    """

    key: UUID
    account: UUID
    bureau_name: str


# ---------------------------------------------------------------- keys


@transaction.atomic
def create(*, actor: Person, **values: object) -> SlicerKey:
    """A key without a secret."""
    row: SlicerKey = resources.create(actor=actor, kind=SlicerKey, **values)
    if SlicerKey.objects.filter(bureau=row.bureau_id).count() > MAX_KEYS:
        raise TooManyKeys(f"A bureau has at most {MAX_KEYS} slicer keys: delete one first.")
    return row


def change(*, actor: Person, row: SlicerKey, **values: object) -> None:
    """Change what was given."""
    resources.change(actor=actor, row=row, **values)


def delete(*, row: SlicerKey) -> None:
    """Delete a key, so that nothing is received with it any more."""
    resources.delete(row=row)


def new_secret(*, actor: Person, row: SlicerKey) -> str:
    """A new secret of a key, whose last one ends. Only its creator, whose files are received."""
    if row.creator_id != actor.pk:
        raise Forbidden(
            f"Files sent with {row.uri} become those of {row.creator.uri}, who alone creates its "
            "secret: create a slicer key of your own.",
            details={"object": row.uri},
        )
    secret = secrets.token_urlsafe(SECRET_BYTES)
    row.set_secret(secret)
    row.save(update_fields=["secret_sha256", "sealed_secret", "updated"])
    return secret


def sender_of(secret: str, *, network: str) -> Sender:
    """The sender with this secret. Raises UnknownSlicerKey, RateLimited.

    network : the prefix of the client's address, whose failures are counted
    """
    limits = {f"slicer_keys {network}": FAILURES}
    with throttling.limit_failures(limits, FAILURES_IN, of=UnknownSlicerKey):
        rows = SlicerKey.objects.select_related("creator", "bureau")
        row = require_valid(rows.filter(secret_sha256=hashed(secret)).first() if secret else None)
    return sender_with(row)


def require_valid(row: SlicerKey | None) -> SlicerKey:
    """Return a key by which files are received. Raises UnknownSlicerKey."""
    if row is None or not is_valid_key(row):
        raise UnknownSlicerKey(
            "The API key is not valid: create one in the console at Settings, Send from your "
            "slicer, and enter it in the slicer."
        )
    return row


def sender_with(row: SlicerKey) -> Sender:
    """The sender with a valid key, whose use is noted."""
    now = timezone.now()
    if row.last_used is None or now - row.last_used > USED_EVERY:
        SlicerKey.objects.filter(pk=row.pk).update(last_used=now)
    return Sender(row.pk, row.creator_id, row.bureau.name)


# ---------------------------------------------------------------- files


def require_receivable(sender: Sender, name: str) -> None:
    """Raise UnknownFileType, QuotaExceeded or RateLimited for a file that is not received."""
    _kind_of(name)
    owner = SlicerKey.objects.select_related("creator").get(pk=sender.key).creator
    quotas.require_quota("bytes", owner, more=1, what="bytes", free_by=FREE_BY)
    quotas.require_queue_quota("meshes", owner)


def receive_file(
    sender: Sender,
    *,
    name: str,
    path: Path,
    sha256: str,
    size: int,
    print_requested: bool,
    slicer: str,
) -> ReceivedFile:
    """Store a complete local file, as G-code or as a model, and have it analysed.

    slicer : the program that sent it, in its own words
    """
    kind = _kind_of(name)
    place = blobs.upload_blob(path, sha256, size)
    with transaction.atomic():
        key = SlicerKey.objects.select_related("creator", "bureau").get(pk=sender.key)
        row = ReceivedFile(
            bureau=key.bureau,
            name=name[-200:],
            slicer_key=key,
            slicer=slicer[:200],
            creator=key.creator,
        )
        stored: Stored = {"sha256": sha256, "size": size, "place": place}
        if kind == "gcode":
            row.print_requested = print_requested
            uuid = slicing.create_gcode(owner=key.creator, name=name[-255:])
            row.gcode_uri = uris.resource_uri("slicing", "gcode", uuid=uuid)
            share_gcode(row.gcode_uri, bureau=key.bureau, user=key.creator)
            row.save()
            slicing.store_gcode(uuid=uuid, **stored)
        else:
            uuid = warehouse.create_model(owner=key.creator, name=name[-200:], type=kind)
            row.model_uri = uris.resource_uri("models", "model", uuid=uuid)
            share_model(row.model_uri, bureau=key.bureau, user=key.creator)
            row.save()
            row.move(ReceivedFile.Status.DONE)
            warehouse.store_content(uuid=uuid, **stored)
    return row


def _kind_of(name: str) -> str:
    """Gcode, or the type of a model. Raises UnknownFileType."""
    lower = name.lower()
    if lower.endswith(GCODE_ENDINGS):
        return "gcode"
    ending = next((each for each in MODEL_ENDINGS if lower.endswith(each)), None)
    if ending is None:
        endings = ", ".join((*GCODE_ENDINGS, *MODEL_ENDINGS))
        raise UnknownFileType(f"{name[-100:]} is not received: send a file of {endings}.")
    return MODEL_ENDINGS[ending]
