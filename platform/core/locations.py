"""Signed locations on the `files.` host: where anybody who has one may upload, or download.

A location is a capability until it expires, and needs no other credentials. It is never stored.
"""

import base64
import hashlib
import hmac
import math
import re
import time
from dataclasses import dataclass
from urllib.parse import parse_qs, quote_plus
from uuid import UUID

from django.conf import settings

from core.uris import base_url

OCTETS = "application/octet-stream"
# A list signs hundreds of locations, and hardly a value of theirs needs to be quoted.
_PLAIN = re.compile(r"[\w./-]+", re.ASCII).fullmatch


class BadSignature(Exception):
    """The location was changed, made up, or is used for what it was not made for."""


class Expired(Exception):
    """The location was right, but its time is over."""


@dataclass(frozen=True)
class UploadGrant:
    """What an upload location allows: bytes for one resource."""

    kind: str
    uuid: UUID
    max_size: int


@dataclass(frozen=True)
class DownloadGrant:
    """What a download location allows: one stored file, under a name."""

    sha256: str
    media_type: str
    filename: str


def upload_location(kind: str, uuid: UUID) -> str:
    """Where the content of the resource may be PUT, until UPLOAD_EXPIRY has passed."""
    path = f"/upload/{kind}/{uuid}"
    expires = int(time.time() + settings.UPLOAD_EXPIRY.total_seconds())
    return _signed("PUT", path, {"max": str(settings.MAX_UPLOAD), "expires": str(expires)})


def download_location(sha256: str, *, media_type: str, filename: str) -> str:
    """Where a stored file may be fetched, for at least DOWNLOAD_EXPIRY.

    The expiry is rounded up to the hour, so that a resource read twice names the same place.
    """
    expires = math.ceil((time.time() + settings.DOWNLOAD_EXPIRY.total_seconds()) / 3600) * 3600
    parameters = {"type": media_type, "name": filename, "expires": str(expires)}
    return _signed("GET", f"/content/{sha256}", parameters)


def read_upload(path: str, query: str, content_type: str) -> UploadGrant:
    """The grant of an upload request; BadSignature also for another content type."""
    parameters = _checked("PUT", path, query, ("max", "expires"))
    if content_type.partition(";")[0].strip().lower() != OCTETS:
        raise BadSignature(
            f"The signature is for Content-Type {OCTETS}: send the file with that type."
        )
    _, _, kind, uuid = path.split("/")
    return UploadGrant(kind, UUID(uuid), int(parameters["max"]))


def read_download(path: str, query: str) -> DownloadGrant:
    """The grant of a download request; an appended `filename` renames what is saved."""
    parameters = _checked("GET", path, query, ("type", "name", "expires"))
    appended = parse_qs(query).get("filename", [parameters["name"]])[0]
    return DownloadGrant(path.rpartition("/")[2], parameters["type"], appended)


def _signed(method: str, path: str, parameters: dict[str, str]) -> str:
    query = _query(parameters)
    return f"{base_url('files')}{path}?{query}&signature={_signature(method, path, query)}"


def _checked(method: str, path: str, query: str, names: tuple[str, ...]) -> dict[str, str]:
    given = parse_qs(query)
    parameters = {name: given.get(name, [""])[0] for name in names}
    signature = given.get("signature", [""])[0]
    expected = _signature(method, path, _query(parameters))
    if not hmac.compare_digest(signature.encode(), expected.encode()):
        raise BadSignature(
            "The signature does not match this location: use the URL exactly as it was given."
        )
    if time.time() > int(parameters["expires"]):
        raise Expired
    return parameters


def _query(parameters: dict[str, str]) -> str:
    return "&".join(
        f"{name}={value if _PLAIN(value) else quote_plus(value)}"
        for name, value in parameters.items()
    )


def _signature(method: str, path: str, query: str) -> str:
    words = f"{method}\n{path}\n{query}"
    digest = hmac.digest(settings.LOCATION_KEY.encode(), words.encode(), hashlib.sha256)
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
