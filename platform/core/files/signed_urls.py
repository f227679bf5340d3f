"""Signed upload and download URLs of the files host.

A location is a capability until it expires, and needs no other credentials. It is never stored.
"""

import base64
import functools
import hashlib
import hmac
import math
import re
import time
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import parse_qs, quote_plus
from uuid import UUID

from django.conf import settings

from core.errors import ServiceError, UrlExpired
from core.uris import base_url

OCTETS = "application/octet-stream"
# A list signs hundreds of locations, and hardly a value of theirs needs to be quoted.
_PLAIN = re.compile(r"[\w./-]+", re.ASCII).fullmatch


class InvalidSignature(ServiceError):
    """The location was changed, made up, or is used for what it was not made for."""

    status = HTTPStatus.FORBIDDEN
    code = "SignatureDoesNotMatch"


@dataclass(frozen=True)
class UploadGrant:
    """Permission of an upload URL: bytes for one resource.

    max_size : maximum bytes of the file
    expires  : seconds since 1970
    then     : the page to open after a form's upload; empty where there is none
    holder   : pseudonym of the uploading account
    """

    kind: str
    uuid: UUID
    max_size: int
    expires: int
    then: str = ""
    holder: str = ""


@dataclass(frozen=True)
class DownloadGrant:
    """Permission of a download URL: one stored file, under a name.

    expires : seconds since 1970
    """

    sha256: str
    media_type: str
    filename: str
    expires: int


def upload_url(
    kind: str, uuid: UUID, *, owner: UUID | None = None, then: str = "", max_bytes: int = 0
) -> str:
    """Return the URL for uploads of the resource's content, valid for UPLOAD_EXPIRY.

    One signature is valid for every method: whole by PUT or by a form's POST, and in pieces.

    owner : key of the account to which the upload is attributed
    then  : URL of the page to open after a form's upload
    max_bytes : that the content may have; 0, and more than MAX_UPLOAD: MAX_UPLOAD
    """
    path = f"/upload/{kind}/{uuid}"
    expires = int(time.time() + settings.UPLOAD_EXPIRY.total_seconds())
    limit = min(max_bytes or settings.MAX_UPLOAD, settings.MAX_UPLOAD)
    parameters = {"max": str(limit), "expires": str(expires)}
    optional = {"of": account_alias(owner) if owner else "", "then": then}
    return _signed("PUT", path, parameters | {k: v for k, v in optional.items() if v})


def download_url(
    sha256: str, *, media_type: str, filename: str, seconds: float | None = None
) -> str:
    """Where a stored file may be fetched: for `seconds`, or at least DOWNLOAD_EXPIRY.

    The latter is rounded up to the hour, so that a resource read twice names the same place.
    """
    if seconds is None:
        lasting = time.time() + settings.DOWNLOAD_EXPIRY.total_seconds()
        expires = math.ceil(lasting / 3600) * 3600
    else:
        expires = math.ceil(time.time() + seconds)
    return _content(sha256, media_type, filename, expires)


# What is read, is read again within the hour: by lists, boards, and whoever waits for it.
@functools.lru_cache(maxsize=10_000)
def _content(sha256: str, media_type: str, filename: str, expires: int) -> str:
    parameters = {"type": media_type, "name": filename, "expires": str(expires)}
    return _signed("GET", f"/content/{sha256}", parameters)


def verify_upload(path: str, query: str, content_type: str, *, wanted: str = OCTETS) -> UploadGrant:
    """The grant of a request that brings a whole file; BadSignature also for another type."""
    grant = upload_grant(path, query)
    if content_type.partition(";")[0].strip().lower() != wanted:
        raise InvalidSignature(
            f"The signature is for Content-Type {wanted}: send the file with that."
        )
    return grant


def upload_grant(path: str, query: str) -> UploadGrant:
    """What the upload location allows, whatever its request brings."""
    given = parse_qs(query)
    optional = [name for name in ("of", "then") if name in given]
    parameters = _checked("PUT", path, query, ("max", "expires", *optional))
    _, _, kind, uuid = path.split("/")
    return UploadGrant(
        kind,
        UUID(uuid),
        max_size=int(parameters["max"]),
        expires=int(parameters["expires"]),
        then=parameters.get("then", ""),
        holder=parameters.get("of", uuid),
    )


def verify_download(path: str, query: str) -> DownloadGrant:
    """Return the grant of a download request; an appended `filename` sets the saved name."""
    parameters = _checked("GET", path, query, ("type", "name", "expires"))
    appended = parse_qs(query).get("filename", [parameters["name"]])[0]
    sha256, expires = path.rpartition("/")[2], int(parameters["expires"])
    return DownloadGrant(sha256, parameters["type"], appended, expires)


def _signed(method: str, path: str, parameters: dict[str, str]) -> str:
    query = _query(parameters)
    return f"{base_url('files')}{path}?{query}&signature={_signature(method, path, query)}"


def _checked(method: str, path: str, query: str, names: tuple[str, ...]) -> dict[str, str]:
    given = parse_qs(query)
    parameters = {name: given.get(name, [""])[0] for name in names}
    signature = given.get("signature", [""])[0]
    expected = _signature(method, path, _query(parameters))
    if not hmac.compare_digest(signature.encode(), expected.encode()):
        raise InvalidSignature(
            "The signature does not match this location: use the URL exactly as it was given."
        )
    if time.time() > int(parameters["expires"]):
        raise UrlExpired("This location has expired: read the resource again.")
    return parameters


def _query(parameters: dict[str, str]) -> str:
    return "&".join(
        f"{name}={value if _PLAIN(value) else quote_plus(value)}"
        for name, value in parameters.items()
    )


def account_alias(owner: UUID) -> str:
    """Return the pseudonym of an account in a URL that others may see."""
    return hmac.digest(settings.LOCATION_KEY.encode(), owner.bytes, hashlib.sha256)[:8].hex()


def _signature(method: str, path: str, query: str) -> str:
    words = f"{method}\n{path}\n{query}"
    digest = hmac.digest(settings.LOCATION_KEY.encode(), words.encode(), hashlib.sha256)
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
