"""Host `print.`: takes files from slicers by the upload APIs of OctoPrint and PrusaLink.

The key that a slicer sends names the bureau, so that all bureaus share one host. Requests are those
of PrusaSlicer, SuperSlicer, OrcaSlicer (`OctoPrint`, `PrusaLink` as type of the print host) and of
Cura's plugin for OctoPrint. Bodies are streamed to disk; errors are plain sentences, which slicers
show as they are.
"""

import base64
import binascii
from collections.abc import Mapping
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote
from uuid import UUID

import orjson
from django.conf import settings
from django.utils.module_loading import import_string

from core.errors import ServiceError
from core.files import blobs
from core.files.signed_urls import account_alias
from core.files.storage import health
from core.web import http_digest
from core.web.slow_readers import ClientStalled
from files_host.incoming import Incoming
from files_host.responses import (
    Headers,
    HttpError,
    Receive,
    Scope,
    Send,
    answer,
    in_thread,
    rejection_of,
)
from files_host.uploads import (
    FORM,
    FRAME,
    HashingWriter,
    UploadForm,
    announced_length,
    call_django,
    in_django,
    place,
    receive_body,
)


class Sender(Protocol):
    """Who sends with a key: the user whose files they become, and the name of the bureau."""

    @property
    def account(self) -> UUID: ...

    @property
    def bureau_name(self) -> str: ...


class NoCredentials(ServiceError):
    """A request without a key, or with a digest that cannot be checked."""

    status = HTTPStatus.UNAUTHORIZED
    code = "invalid-credentials"


VERSION: dict[str, object] = {
    "api": "0.1",
    "server": "1.10.0",
    # OctoPrint and PrusaLink of PrusaSlicer both want this beginning.
    "text": "OctoPrint API of the manufacturing platform",
    "capabilities": {"upload-by-put": True},
}
STORAGE = {"name": "local", "path": "/local", "type": "LOCAL", "read_only": False}
FLAGS = {
    "operational": True,
    "ready": True,
    "printing": False,
    "paused": False,
    "pausing": False,
    "cancelling": False,
    "error": False,
    "closedOrError": False,
    "sdReady": False,
}
REALM = "slicer key"
Json = dict[str, object]
FIELDS = ("print", "select", "path", "to_print", "to_queue")  # of forms of OctoPrint and Connect
JSON = (b"content-type", b"application/json")
TEXT = (b"content-type", b"text/plain; charset=utf-8")


async def slicer_uploads(scope: Scope, receive: Receive, send: Send) -> None:
    """The ASGI application of the `print.` host."""
    headers = {name.lower(): value.decode("latin1") for name, value in scope["headers"]}
    body = Incoming(receive, headers.get(b"content-length", ""))
    try:
        status, content = await _respond(scope, headers, body.receive)
        await answer(send, status, orjson.dumps(content), [JSON])
    except ClientStalled:
        raise
    except Exception as error:
        await body.let_come()
        await _refuse(send, error, f"{scope['method']} {scope['path']}")


async def _refuse(send: Send, error: Exception, what: str) -> None:
    status, entries, own = rejection_of(error, what)
    text = " ".join(entry["title"] for entry in entries)
    headers: Headers = [TEXT, (b"connection", b"close"), *own]
    if status == 401:
        is_stale = getattr(error, "is_stale", False)
        values = [*http_digest.challenges(REALM, is_stale=is_stale), f'Bearer realm="{REALM}"']
        headers += [(b"www-authenticate", value.encode()) for value in values]
    await answer(send, status, f"{text}\n".encode(), headers)


async def _respond(
    scope: Scope, headers: Mapping[bytes, str], receive: Receive
) -> tuple[int, Json]:
    """Status and JSON of a response."""
    method, path = scope["method"], scope["path"].rstrip("/")
    sender: Sender = await in_django(_sender, scope, headers)
    if method == "POST" and path.startswith("/api/files/"):
        return 201, await _from_form(sender, headers, receive)
    if method == "PUT" and path.startswith("/api/v1/files/"):
        return 201, await _from_body(sender, path, headers, receive)
    if method in ("GET", "HEAD") and (state := _state(path, sender)) is not None:
        return 200, state
    raise HttpError(404, "resource-not-found", "Nothing is at this path: only files are received.")


def _state(path: str, sender: Sender) -> Json | None:
    """What slicers read before they send; None at another path. No printer is shown by it."""
    states: dict[str, Json] = {
        "/api/version": VERSION,
        "/api/v1/info": {"name": sender.bureau_name, "hostname": settings.PARENT_HOST},
        "/api/v1/status": {"printer": {"state": "IDLE"}, "storage": STORAGE},
        "/api/v1/storage": {
            "storage_list": [STORAGE | {"available": True, "free_space": settings.MAX_UPLOAD}]
        },
        "/api/settings": {
            "appearance": {"name": sender.bureau_name},
            "feature": {"sdSupport": False},
            "webcam": {"webcamEnabled": False},
        },
        "/api/printer": {"state": {"text": "Operational", "flags": FLAGS}, "temperature": {}},
        "/api/job": {
            "state": "Operational",
            "job": {"file": {"name": None}},
            "progress": {"completion": None, "printTime": None, "printTimeLeft": None},
        },
    }
    return states.get(path)


def _sender(scope: Scope, headers: Mapping[bytes, str]) -> Sender:
    """Who sends, by X-Api-Key, Bearer, the password of Basic, or HTTP digest.

    Raises NoCredentials where there are none: that is no failure, since digest begins so.
    """
    network = scope["neighbourhood"]
    secret = headers.get(b"x-api-key", "").strip()
    scheme, _, value = headers.get(b"authorization", "").partition(" ")
    if not secret and scheme.lower() == "bearer":
        secret = value.strip()
    if not secret and scheme.lower() == "basic":
        try:
            secret = base64.b64decode(value, validate=True).decode().partition(":")[2]
        except (binascii.Error, ValueError):
            secret = ""
    if not secret and scheme.lower() == "digest":
        return _digest_sender(scope, headers[b"authorization"])
    if not secret and not value:
        raise NoCredentials(
            "The API key is not valid: create one in the console at Settings, Send from your "
            "slicer, and enter it in the slicer."
        )
    sender: Sender = import_string(settings.SLICER_SENDER_HOOK)(secret, network=network)
    return sender


def _digest_sender(scope: Scope, header: str) -> Sender:
    credentials = http_digest.parse_credentials(header)
    if credentials is None:
        raise NoCredentials("The digest cannot be read: send qop=auth, by MD5 or SHA-256.")
    query = unquote(scope.get("query_string", b"").decode("latin1"))
    sender: Sender = import_string(settings.SLICER_DIGEST_HOOK)(
        credentials,
        realm=REALM,
        method=scope["method"],
        target=f"{scope['path']}?{query}" if query else scope["path"],
        network=scope["neighbourhood"],
    )
    return sender


def _expect(sender: Sender, name: str) -> None:
    import_string(settings.EXPECT_SLICER_FILE_HOOK)(sender, name)


async def _from_form(sender: Sender, headers: Mapping[bytes, str], receive: Receive) -> Json:
    """A form with the file, as OctoPrint takes it: POST /api/files/local."""
    content_type = headers.get(b"content-type", "")
    if content_type.partition(";")[0].strip().lower() != FORM:
        raise HttpError(415, "unsupported-media-type", f"Send the file in a form: {FORM}.")
    length = announced_length(dict(headers), settings.MAX_UPLOAD + FRAME)
    await in_thread(health.require)
    async with place(account_alias(sender.account), dict(headers)):
        with blobs.incoming_file() as (file, path):
            written = await in_thread(HashingWriter, file, settings.MAX_UPLOAD, length)
            form = UploadForm(
                content_type,
                written,
                names=FIELDS,
                on_file=partial(call_django, _expect, sender),
            )
            await receive_body(receive, form.write, length)
            form.end()
            wanted = (form.fields.get(name, "") for name in ("print", "to_print", "to_queue"))
            is_print = any(value.strip().lower() == "true" for value in wanted)
            return await _store(sender, form.filename, path, written, headers, is_print=is_print)


async def _from_body(
    sender: Sender, path: str, headers: Mapping[bytes, str], receive: Receive
) -> Json:
    """A body that is the file, as PrusaLink takes it: PUT /api/v1/files/local/NAME."""
    name = unquote(path.rpartition("/")[2])
    length = announced_length(dict(headers), settings.MAX_UPLOAD)
    await in_django(_expect, sender, name)
    await in_thread(health.require)
    async with place(account_alias(sender.account), dict(headers)):
        with blobs.incoming_file() as (file, part):
            written = await in_thread(HashingWriter, file, settings.MAX_UPLOAD, length)
            await receive_body(receive, written.write, length)
            is_print = headers.get(b"print-after-upload", "").strip().lower() in ("?1", "1", "true")
            return await _store(sender, name, part, written, headers, is_print=is_print)


async def _store(
    sender: Sender,
    name: str,
    path: Path,
    written: HashingWriter,
    headers: Mapping[bytes, str],
    *,
    is_print: bool,
) -> Json:
    await in_thread(written.file.end)
    receive = partial(
        import_string(settings.RECEIVE_SLICER_FILE_HOOK),
        sender,
        name=name,
        path=path,
        sha256=written.digest.hexdigest(),
        size=written.size,
        print_requested=is_print,
        slicer=headers.get(b"user-agent", ""),
    )
    row = await in_django(receive)
    local = {"name": row.name, "path": row.name, "origin": "local", "refs": {"resource": row.uri}}
    return {"done": True, "name": row.name, "files": {"local": local}}
