"""The `files.` host without a server: one request at a time, to the application itself."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import orjson

from core.files import blobs
from core.models import Blob
from files_host.app import files

TUS = {"Tus-Resumable": "1.0.0"}
PIECE = {**TUS, "Content-Type": "application/offset+octet-stream"}
OCTETS = {"Content-Type": "application/octet-stream"}
BOUNDARY = "a-boundary"
FORM = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def rejection(self) -> tuple[int, str]:
        """The status, and the code of the one error."""
        (error,) = orjson.loads(self.body)["errors"]
        return self.status, error["code"]

    @property
    def progress(self) -> tuple[int, str | None, str | None]:
        """The status, and of an upload in pieces how far it has come of how much."""
        return self.status, self.headers.get("upload-offset"), self.headers.get("upload-length")


def ask(
    method: str,
    location: str,
    headers: dict[str, Any],
    body: bytes | None = None,
    *,
    application: Callable[..., Coroutine] = files,
) -> Answer:
    """A request with a body of known length; without one where `body` is None."""
    parts = urlsplit(location)
    own = {**headers, **({} if body is None else {"Content-Length": len(body)})}
    pairs = [(name.lower().encode(), str(value).encode()) for name, value in own.items()]
    scope = {"type": "http", "method": method, "path": parts.path, "headers": pairs}
    scope["neighbourhood"] = "192.0.2.1"
    sent = []

    bodies = [body or b""]

    async def receive():
        if not bodies:
            await asyncio.Event().wait()  # the connection stays open
        return {"type": "http.request", "body": bodies.pop(), "more_body": False}

    async def send(message):
        sent.append(message)

    asyncio.run(application({**scope, "query_string": parts.query.encode()}, receive, send))
    start, *rest = sent
    fields: dict[str, str] = {}
    for name, value in start["headers"]:
        before = f"{fields[name.decode()]}, " if name.decode() in fields else ""
        fields[name.decode()] = before + value.decode()
    return Answer(start["status"], fields, b"".join(message["body"] for message in rest))


def piece(location: str, offset: int, data: bytes, **headers):
    """PATCH `data` at `offset`; `headers` by names with _."""
    own = {name.replace("_", "-"): value for name, value in headers.items()}
    return ask("PATCH", location, {**PIECE, "Upload-Offset": offset, **own}, data)


def head(location: str) -> tuple[int, str | None, str | None]:
    return ask("HEAD", location, TUS).progress


def incoming() -> list[str]:
    return [path.name for path in blobs.incoming_folder().iterdir()]


def stored() -> list[str]:
    return list(Blob.objects.values_list("pk", flat=True))


def form(*parts: tuple[str, bytes]) -> bytes:
    """The body of a form: of each part the rest of its Content-Disposition, and its bytes."""
    body = b"".join(
        f"--{BOUNDARY}\r\nContent-Disposition: form-data; {said}\r\n\r\n".encode() + data + b"\r\n"
        for said, data in parts
    )
    return body + f"--{BOUNDARY}--\r\n".encode()
