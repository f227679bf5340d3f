"""Event stream client with resume (Last-Event-ID)."""

import json
import time
from collections.abc import Collection, Iterator
from http.client import HTTPResponse
from urllib.parse import urlencode

from manufacturing.errors import Refused, TooMany
from manufacturing.request_encoding import Ref, Resource, uri_of
from manufacturing.transport import LOST, Transport

IDLE_TIMEOUT = 60.0  # seconds without a sign of life, after which the stream is taken for lost
QUIET = 2.0  # seconds without a line, after which all past events were sent
PAUSE = 2.0  # seconds before the next attempt


def events(
    transport: Transport,
    types: Collection[str] = (),
    after: int | None = None,
    bureau: Ref = "",
    *,
    progress: bool = False,
) -> Iterator[Resource]:
    """Events of an account, or of a bureau, for ever; lost lines are taken up again."""
    while True:
        url = address(transport, types, after, bureau, progress=progress)
        try:
            with transport.stream(url, idle_timeout=IDLE_TIMEOUT) as response:
                for event in lines(response):
                    after = event.get("position", after)
                    yield event
        except LOST:
            pass
        except Refused as refused:
            if not isinstance(refused, TooMany) and refused.status != 503:
                raise
        time.sleep(PAUSE)


def past(
    transport: Transport, types: Collection[str] = (), after: int = 0, bureau: Ref = ""
) -> Iterator[Resource]:
    """Events beyond a position, until the past ones were sent."""
    with transport.stream(address(transport, types, after, bureau), idle_timeout=QUIET) as response:
        try:
            yield from lines(response)
        except LOST:  # nothing more, for so long
            pass


def address(
    transport: Transport,
    types: Collection[str],
    after: int | None,
    bureau: Ref,
    *,
    progress: bool = False,
) -> str:
    """The URL of a stream."""
    query = {"type": ",".join(types), "bureau": uri_of(bureau)}
    query |= {"progress": "true" if progress else "", "after": "" if after is None else str(after)}
    arguments = {name: value for name, value in query.items() if value}
    return transport.url("callbacks", "/events/") + (
        f"?{urlencode(arguments)}" if arguments else ""
    )


def lines(response: HTTPResponse) -> Iterator[Resource]:
    """Each event of a stream; a line that broke off is none."""
    while (line := response.readline()).endswith(b"\n"):
        if line.strip():
            yield json.loads(line)
