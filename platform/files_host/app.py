"""ASGI application of the files host: uploads and downloads by signed URL, no cookies."""

import logging
from collections.abc import MutableMapping
from typing import Any

from core.files.signed_urls import upload_grant, verify_download, verify_upload
from core.files.storage import health
from core.web.slow_readers import ClientStalled
from files_host import tus, uploads
from files_host.downloads import BrokenOff, download
from files_host.incoming import Incoming
from files_host.responses import (
    PREFLIGHT,
    Headers,
    HttpError,
    Receive,
    Scope,
    Send,
    answer,
    in_thread,
    refuse,
    rejection_of,
)

logger = logging.getLogger(__name__)


async def files(scope: Scope, receive: Receive, send: Send) -> None:
    """The ASGI application of the `files.` host."""
    headers = {name.lower(): value.decode("latin1") for name, value in scope["headers"]}
    body = Incoming(receive, headers.get(b"content-length", ""))

    async def send_after_body(message: MutableMapping[str, Any]) -> None:
        if message.get("status", 0) >= 400:
            await body.let_come()
        await send(message)

    await _answer(scope, headers, body.receive, send_after_body)


async def _answer(scope: Scope, headers: dict[bytes, str], receive: Receive, send: Send) -> None:
    path = scope["path"]
    query = scope["query_string"].decode("latin1")
    asked = scope["method"]
    common: Headers = []
    try:
        if asked == "OPTIONS" and b"access-control-request-method" in headers:
            await answer(send, 204, b"", PREFLIGHT)
        elif path.startswith("/upload/"):
            common = tus.RESUMABLE
            # tus: for clients whose network knows no PATCH and no DELETE.
            asked = (headers.get(b"x-http-method-override") or asked).upper()
            status, own = await _upload(asked, path, query, headers, receive)
            await answer(send, status, b"", [*common, *own])
        elif path.startswith("/content/") and asked in ("GET", "HEAD"):
            await download(
                verify_download(path, query),
                headers,
                receive,
                send,
                neighbourhood=scope["neighbourhood"],
                with_body=asked == "GET",
            )
        elif path.startswith("/content/"):
            raise _no_method(asked)
        else:
            raise HttpError(404, "resource-not-found", "Nothing is at this path on this host.")
    except (ClientStalled, BrokenOff) as error:
        if isinstance(error, BrokenOff):
            logger.error("%s %s broke off: %s", asked, path, error)
        raise
    except Exception as error:
        status, entries, own = rejection_of(error, f"{asked} {path}")
        await refuse(send, status, entries, [*common, *own])


async def _upload(
    method: str, path: str, query: str, headers: dict[bytes, str], receive: Receive
) -> tuple[int, Headers]:
    """What an upload location answers: status, and headers of its own."""
    content_type = headers.get(b"content-type", "")
    if method == "PUT":
        grant = verify_upload(path, query, content_type)
        await in_thread(health.require)
        async with uploads.place(grant.holder, headers):
            await uploads.put(grant, headers, receive)
        return 204, []
    if method == "POST":
        grant = verify_upload(path, query, content_type, wanted=uploads.FORM)
        await in_thread(health.require)
        async with uploads.place(grant.holder, headers):
            await uploads.post(grant, headers, receive)
        return (303, [(b"location", grant.then.encode())]) if grant.then else (204, [])
    if method not in ("OPTIONS", *tus.METHODS):
        raise _no_method(method)
    grant = upload_grant(path, query)
    if method == "OPTIONS":
        return 204, tus.abilities(grant)
    tus.require_version(headers)
    if method == "PATCH":
        await in_thread(health.require)
        async with uploads.place(grant.holder, headers):
            return 204, await tus.patch(grant, headers, receive)
    if method == "HEAD":
        return 200, await tus.head(grant)
    await tus.delete(grant)
    return 204, []


def _no_method(method: str) -> HttpError:
    return HttpError(405, "invalid-method", f"{method} is not answered at this location.")
