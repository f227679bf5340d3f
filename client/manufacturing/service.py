"""Runtime of the generated service methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from manufacturing.files import LocalFile, Progress
from manufacturing.request_encoding import Filter, JsonObject, Ref, listed, nested, uri_of, worded

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

    def _list(self, url: str, asked: Mapping[str, Any], *plain: str) -> Iterator[Any]:
        """All of a list; of what is asked, `plain` are arguments that are no filters."""
        filters = {name: value for name, value in asked.items() if name not in plain}
        given = {name: value for name, value in asked.items() if name in plain}
        return self._client.pages(f"{url}?{urlencode(listed(**filters, plain=given))}")

    def _get(self, url: Ref, **asked: object) -> Any:
        """What is told there; arguments that are None are left out."""
        return self._client.get(asking(url, asked))

    def _read(self, url: Ref, **asked: object) -> bytes:
        """A document that is no JSON."""
        return self._client.transport.ask("GET", asking(url, asked)).body

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


def asking(url: Ref, asked: Mapping[str, object]) -> str:
    """A URL with these arguments; those that are None are left out."""
    said = {name: worded(value) for name, value in asked.items() if value is not None}
    return uri_of(url) + (f"?{urlencode(said)}" if said else "")
