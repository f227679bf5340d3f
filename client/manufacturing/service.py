"""Runtime of the generated service methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from manufacturing.files import LocalFile, Progress
from manufacturing.request_encoding import (
    Filter,
    JsonObject,
    Ref,
    list_query,
    nested,
    query_text,
    uri_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from manufacturing.client import Client

__all__ = ["Filter", "JsonObject", "LocalFile", "Methods", "Progress", "Ref"]


class Methods:
    """One service of an installation, by its own host."""

    NAME = ""

    def __init__(self, client: Client) -> None:
        self._client = client

    def _at(self, path: str, of: Ref = "", *parts: object) -> str:
        """The address of a path of the host, or of one below a resource; `parts` fill its {}."""
        path = path.format(*(quote(str(part), safe="") for part in parts))
        above = uri_of(of).rstrip("/")
        return f"{above}/{path}" if above else self._client.transport.url(self.NAME, path)

    def _list(self, url: str, arguments: Mapping[str, Any], *plain: str) -> Iterator[Any]:
        """Iterate over a list; `plain` names the arguments that are no filters."""
        filters = {name: value for name, value in arguments.items() if name not in plain}
        others = {name: value for name, value in arguments.items() if name in plain}
        return self._client.pages(f"{url}?{urlencode(list_query(**filters, plain=others))}")

    def _get(self, url: Ref, **query: object) -> Any:
        """Return the JSON of a GET; arguments that are None are left out."""
        return self._client.get(with_query(url, query))

    def _read(self, url: Ref, **query: object) -> bytes:
        """A document that is no JSON."""
        return self._client.transport.request("GET", with_query(url, query)).body

    def _post(self, url: str, fields: Mapping[str, Any], *parameters: str) -> Any:
        """What a POST is answered with; fields that are named last are its `parameters`."""
        return self._client.post(url, **nested(fields, parameters)).json()

    def _put(self, url: Ref, fields: Mapping[str, Any], *parameters: str) -> None:
        self._client.change(url, **nested(fields, parameters))

    def _upload(
        self,
        at: str,
        file: LocalFile,
        progress: Progress | None,
        idempotency_key: str,
        fields: Mapping[str, Any],
    ) -> Any:
        return self._client.upload(
            *(file, self.NAME, at), progress=progress, idempotency_key=idempotency_key, **fields
        )


def with_query(url: Ref, query: Mapping[str, object]) -> str:
    """A URL with these arguments; those that are None are left out."""
    arguments = {name: query_text(value) for name, value in query.items() if value is not None}
    return uri_of(url) + (f"?{urlencode(arguments)}" if arguments else "")
