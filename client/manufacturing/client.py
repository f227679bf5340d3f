"""Client of one installation."""

import math
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, overload
from urllib.parse import urlencode

from manufacturing.config import place_of
from manufacturing.errors import Failed
from manufacturing.events import events
from manufacturing.files import LocalFile, Progress, fetch, send
from manufacturing.generated import Services
from manufacturing.request_encoding import Ref, Resource, body_of, list_query, uri_of
from manufacturing.transport import HttpResponse, Transport
from manufacturing.waiting import WakeUp, seconds_left

Told = TypeVar("Told", bound=Mapping[str, Any])
BUSY = ("queued", "processing", "calculating")
JSON = {"Content-Type": "application/json"}


class Client(Services):
    """What a program asks of an installation; safe to share between threads.

    url   : the bare domain, else `MP_URL`, else where `mp login` was, else that of `make up`
    token : `uuid:secret` of an API token, else `MP_TOKEN`, else what `mp login` stored
    """

    def __init__(self, url: str = "", token: str = "") -> None:
        self.transport = Transport(*place_of(url, token))
        self._wakeup = WakeUp(self.transport)

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
        self._wakeup.close()
        self.transport.close()

    def get(self, uri: Ref) -> Resource:
        """A resource as it stands now."""
        resource: Resource = self.transport.request("GET", uri_of(uri)).json()
        return resource

    def create(self, service: str, path: str, /, **fields: Any) -> Resource:
        """A new resource: `create("models", "/model/", name="bracket")`."""
        made: Resource = self.post(self.transport.url(service, path), **fields).json()
        return made

    def post(self, uri: Ref, /, *, idempotency_key: str = "", **fields: Any) -> HttpResponse:
        """A POST to any URI; resources among the fields stand for their URIs.

        idempotency_key : what makes it the same creation when the program is run once more
        """
        headers = JSON | ({"Idempotency-Key": idempotency_key} if idempotency_key else {})
        return self.transport.request("POST", uri_of(uri), body_of(fields), headers)

    def change(self, uri: Ref, /, **fields: Any) -> None:
        """Set these fields, and no others."""
        self.transport.request("PUT", uri_of(uri), body_of(fields), JSON)

    def delete(self, uri: Ref) -> None:
        """Remove a resource."""
        self.transport.request("DELETE", uri_of(uri))

    def list(
        self, service: str, path: str, /, *, sort: str = "", limit: int = 100, **filters: Any
    ) -> Iterator[Resource]:
        """All of a list, page by page as far as one reads.

        `list("erp", "/order/", status="new", created_from="2026-11-01", sort="-created")`

        limit   : page size of the requests
        filters : `name_from` and `name_to` are the least and the most; `search={"name": "brack"}`
        """
        query = list_query(sort=sort, limit=limit, **filters)
        return self.pages(f"{self.transport.url(service, path)}?{urlencode(query)}")

    def pages(self, url: str | None) -> Iterator[Any]:
        """All of a list, from the page with this URL on."""
        while url:
            page = self.transport.request("GET", url).json()
            yield from page["resources"]
            url = page["links"]["next"]

    def events(
        self, *types: str, after: int | None = None, bureau: Ref = "", progress: bool = False
    ) -> Iterator[Resource]:
        """What happens to one's resources, as it happens, until one stops reading.

        types    : such as `model.*` or `slice.processed`; all where none is named
        after    : the position of the last event received; without it from now on
        bureau   : what happens in a bureau instead
        progress : also how far work is
        """
        return events(self.transport, types, after, bureau, progress=progress)

    def upload(
        self,
        file: LocalFile,
        service: str = "models",
        at: str = "/model/",
        /,
        *,
        progress: Progress | None = None,
        idempotency_key: str = "",
        **fields: Any,
    ) -> Resource:
        """A new model of a file, or gcode: `upload("part.gcode", "slicing", "/gcode/")`.

        idempotency_key : a program that was killed goes on where it was, under the same key
        """
        fields.setdefault("name", Path(file).stem)
        url = self.transport.url(service, at)
        made = self.post(url, idempotency_key=idempotency_key, **fields)
        self.upload_to(made.headers["X-Upload-Location"], file, progress=progress)
        resource: Resource = made.json()
        return resource

    def upload_to(
        self, location: str, file: LocalFile, *, progress: Progress | None = None
    ) -> None:
        """Send a file to a signed location, from where an earlier try ended."""
        send(self.transport, file, location, progress)

    def download(
        self, url: str | None, file: LocalFile, *, progress: Progress | None = None
    ) -> None:
        """Bring a file from a signed URL, such as the `content` of a slice."""
        if url is None:
            raise ValueError("There is no file yet: wait for the work that makes it.")
        fetch(self.transport, url, file, progress)

    @overload
    def wait(
        self, resource: str, *, until: Collection[str] = (), timeout: float = math.inf
    ) -> Resource: ...
    @overload
    def wait(
        self, resource: Told, *, until: Collection[str] = (), timeout: float = math.inf
    ) -> Told: ...
    def wait(self, resource: Ref, *, until: Collection[str] = (), timeout: float = math.inf) -> Any:
        """The resource, once nothing works on it, or its status is one of `until`.

        Raises Failed when it has ended in `error`, TimeoutError after so many seconds. Whatever
        ends the wait, Ctrl-C too, the work goes on.
        """
        uri, end = uri_of(resource), time.monotonic() + timeout
        self._wakeup.start()
        while True:
            seen = self._wakeup.count(uri)
            resource = self.get(uri)
            status = resource.get("status")
            if status == "error" and status not in until:
                raise Failed(resource)
            if status in until if until else status not in BUSY:
                return resource
            if not seconds_left(end):
                raise TimeoutError(f"{uri} is still {status}.")
            self._wakeup.wait(uri, seen, seconds_left(end))
