"""The door to an installation."""

import json
import math
import os
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlencode

from manufacturing.errors import Failed
from manufacturing.files import Progress, fetch, send
from manufacturing.transport import Answer, Transport
from manufacturing.waiting import Bell, seconds_left

Resource = dict[str, Any]
BUSY = ("queued", "processing", "calculating")
JSON = {"Content-Type": "application/json"}


class Client:
    """What a program asks of an installation; safe to share between threads.

    url   : the bare domain, else `MP_URL`, else http://platform.localhost:8000
    token : `uuid:secret` of an API token, else `MP_TOKEN`
    """

    def __init__(self, url: str = "", token: str = "") -> None:
        base = url or os.environ.get("MP_URL") or "http://platform.localhost:8000"
        self.transport = Transport(base.rstrip("/"), token or os.environ.get("MP_TOKEN", ""))
        self._bell = Bell(self.transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Shut its connections."""
        self._bell.close()
        self.transport.close()

    def get(self, uri: str | Resource) -> Resource:
        """A resource as it stands now."""
        found: Resource = self.transport.ask("GET", uri_of(uri)).json()
        return found

    def create(self, service: str, path: str, **fields: Any) -> Resource:
        """A new resource: `create("models", "/model/", name="bracket")`."""
        made: Resource = self.post(self.transport.url(service, path), **fields).json()
        return made

    def post(self, uri: str, **fields: Any) -> Answer:
        """A POST to any URI; resources among the fields stand for their URIs."""
        return self.transport.ask("POST", uri, body_of(fields), JSON)

    def change(self, uri: str | Resource, **fields: Any) -> None:
        """Set these fields, and no others."""
        self.transport.ask("PUT", uri_of(uri), body_of(fields), JSON)

    def delete(self, uri: str | Resource) -> None:
        """Remove a resource."""
        self.transport.ask("DELETE", uri_of(uri))

    def list(
        self, service: str, path: str, *, sort: str = "", limit: int = 100, **filters: Any
    ) -> Iterator[Resource]:
        """All of a list, page by page as far as one reads.

        `list("erp", "/order/", status="new", sort="-created")`

        limit : how many are asked for at once
        """
        asked = {f"filter[{name}]": worded(value) for name, value in filters.items()}
        asked |= {"sort": sort} if sort else {}
        asked["page[limit]"] = str(limit)
        url: str | None = self.transport.url(service, path) + f"?{urlencode(asked)}"
        while url:
            page = self.transport.ask("GET", url).json()
            yield from page["resources"]
            url = page["links"]["next"]

    def upload(
        self,
        path: str | Path,
        service: str = "models",
        at: str = "/model/",
        *,
        progress: Progress | None = None,
        **fields: Any,
    ) -> Resource:
        """A new model of a file, or gcode: `upload("part.gcode", "slicing", "/gcode/")`."""
        fields.setdefault("name", Path(path).stem)
        made = self.post(self.transport.url(service, at), **fields)
        self.upload_to(made.headers["X-Upload-Location"], path, progress=progress)
        resource: Resource = made.json()
        return resource

    def upload_to(
        self, location: str, path: str | Path, *, progress: Progress | None = None
    ) -> None:
        """Send a file to a signed location, from where an earlier try ended."""
        send(self.transport, path, location, progress)

    def download(self, url: str, path: str | Path, *, progress: Progress | None = None) -> None:
        """Bring a file from a signed URL, such as the `content` of a slice."""
        fetch(self.transport, url, path, progress)

    def wait(
        self,
        resource: str | Resource,
        *,
        until: Collection[str] = (),
        timeout: float = math.inf,
    ) -> Resource:
        """The resource, once nothing works on it, or its status is one of `until`.

        Raises Failed when it has ended in `error`, TimeoutError after so many seconds. Whatever
        ends the wait, Ctrl-C too, the work goes on.
        """
        uri, end = uri_of(resource), time.monotonic() + timeout
        self._bell.start()
        while True:
            known = self._bell.count(uri)
            found = self.get(uri)
            status = found.get("status")
            if status == "error" and status not in until:
                raise Failed(found)
            if status in until if until else status not in BUSY:
                return found
            if not seconds_left(end):
                raise TimeoutError(f"{uri} is still {status}.")
            self._bell.wait(uri, known, seconds_left(end))


def uri_of(resource: str | Resource) -> str:
    """The URI of a resource, or what is one already."""
    return resource if isinstance(resource, str) else str(resource["uri"])


def body_of(fields: dict[str, Any]) -> bytes:
    """The JSON of a body."""
    return json.dumps({name: referred(value) for name, value in fields.items()}).encode()


def referred(value: Any) -> Any:
    """A resource as other resources refer to it; anything else as it is."""
    return value["uri"] if isinstance(value, dict) and "uri" in value else value


def worded(value: Any) -> str:
    """A value of a filter, or several."""
    if isinstance(value, list | tuple | set):
        return ",".join(worded(each) for each in value)
    if isinstance(value, bool):
        return str(value).lower()
    return str(referred(value))
