"""The `files.` host without a server: one request at a time, to the application itself."""

import asyncio
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import orjson

from project.files import files

TUS = {"Tus-Resumable": "1.0.0"}
PIECE = {**TUS, "Content-Type": "application/offset+octet-stream"}
OCTETS = {"Content-Type": "application/octet-stream"}


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def refusal(self) -> tuple[int, str]:
        """The status, and the code of the one error."""
        (error,) = orjson.loads(self.body)["errors"]
        return self.status, error["code"]

    @property
    def progress(self) -> tuple[int, str | None, str | None]:
        """The status, and of an upload in pieces how far it has come of how much."""
        return self.status, self.headers.get("upload-offset"), self.headers.get("upload-length")


def ask(method: str, location: str, headers: dict[str, Any], body: bytes | None = None) -> Answer:
    """A request with a body of known length; without one where `body` is None."""
    parts = urlsplit(location)
    own = {**headers, **({} if body is None else {"Content-Length": len(body)})}
    pairs = [(name.lower().encode(), str(value).encode()) for name, value in own.items()]
    scope = {"type": "http", "method": method, "path": parts.path, "headers": pairs}
    sent = []

    async def receive():
        return {"type": "http.request", "body": body or b"", "more_body": False}

    async def send(message):
        sent.append(message)

    asyncio.run(files({**scope, "query_string": parts.query.encode()}, receive, send))
    start, *rest = sent
    told = {name.decode(): value.decode() for name, value in start["headers"]}
    return Answer(start["status"], told, b"".join(message["body"] for message in rest))
