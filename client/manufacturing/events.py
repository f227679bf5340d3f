"""The stream of events: read as they happen, and taken up again where it ended."""

import json
import time
from collections.abc import Collection, Iterator
from http.client import HTTPResponse
from typing import Any
from urllib.parse import urlencode

from manufacturing.asking import Ref, Resource, uri_of
from manufacturing.errors import Refused, TooMany
from manufacturing.transport import LOST, Transport

SILENCE = 60.0  # seconds without a sign of life, after which the stream is taken for lost
PAUSE = 2.0  # seconds before it is asked for again


def events(
    transport: Transport,
    types: Collection[str] = (),
    after: int | None = None,
    bureau: Ref = "",
    *,
    progress: bool = False,
) -> Iterator[Resource]:
    """Events of an account, or of a bureau, for ever; lost lines are taken up again."""
    asked: dict[str, Any] = {"type": ",".join(types), "bureau": uri_of(bureau)}
    asked |= {"progress": "true" if progress else ""}
    wanted = {name: value for name, value in asked.items() if value}
    while True:
        where = {} if after is None else {"after": str(after)}
        url = transport.url("callbacks", "/events/") + "?" + urlencode(wanted | where)
        try:
            with transport.stream(url, silence=SILENCE) as response:
                for event in lines(response):
                    after = event.get("position", after)
                    yield event
        except LOST:
            pass
        except Refused as refused:
            if not isinstance(refused, TooMany) and refused.status != 503:
                raise
        time.sleep(PAUSE)


def lines(response: HTTPResponse) -> Iterator[Resource]:
    """Each event of a stream; a line that broke off is none."""
    while (line := response.readline()).endswith(b"\n"):
        if line.strip():
            yield json.loads(line)
