"""Names of the resources to which fields refer."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, cast
from urllib.parse import urlencode

import orjson
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from apps.console.domain.messages import JsonValue
from apps.console.domain.resources.resource_kinds import BY_NAME, service_of
from apps.console.domain.resources.resource_schema import Json, Schema, schemas
from apps.console.domain.resources.resource_values import moment
from apps.console.domain.value_labels import value_label
from apps.console.views.base.page_urls import page_path
from core.uris import base_url
from core.web.internal_client import ApiError

if TYPE_CHECKING:
    from apps.console.views.base.page import PageContext
    from core.errors import ErrorEntry

MAX_NAMES = 1000  # that one request returns
MAX_SINGLE = 50  # of kinds that are requested one by one
URI = re.compile(r"https?://[^\s/]+/[\w/-]+/[0-9a-f-]{36}/")
WITH_PAGES = {"model", "slice"}  # beside the kinds that have generic pages
_documents: dict[str, dict[str, Schema]] = {}


def schemas_of(visit: PageContext, service: str) -> dict[str, Schema]:
    """Return the kinds of a service by its OpenAPI document, which is read once by a process."""
    if service not in _documents:
        answer = visit.api.ask("GET", f"{base_url(service)}/openapi.json")
        _documents[service] = schemas(orjson.loads(answer.content))
    return _documents[service]


def kind_of(uri: str) -> str:
    """Return the kind that a URI names."""
    return page_path(uri).strip("/").split("/")[0]


def is_ours(text: str) -> bool:
    """Return whether a text is the URI of a resource of the platform."""
    kind = kind_of(text) if text.startswith("http") and text.endswith("/") else ""
    return bool(kind) and text.startswith(f"{base_url(service_of(kind))}/")


class Names:
    """Names of resources, as the person who visits may read them.

    A resource that the person cannot read has none.
    """

    def __init__(self, visit: PageContext):
        self._visit = visit
        self._titles: dict[str, str] = {}

    def load(self, uris: Iterable[str | None]) -> None:
        """Read the names of these resources, by one request for each kind."""
        wanted: dict[str, set[str]] = defaultdict(set)
        for uri in uris:
            if uri and uri not in self._titles and is_ours(uri):
                wanted[kind_of(uri)].add(uri)
        for kind, missing in wanted.items():
            self._load(kind, missing)

    def text(self, uri: str) -> str:
        """Return the name of a resource that was loaded."""
        if uri not in self._titles:
            return ""
        return self._titles[uri] or _("No access")

    def readable(self, uri: str) -> str:
        """Return the name of a resource that was loaded; empty where it cannot be read."""
        return self._titles.get(uri, "")

    def path(self, uri: str) -> str:
        """Return the page of a resource that was loaded; empty where it has none."""
        kind = kind_of(uri)
        has_page = kind in BY_NAME or kind in WITH_PAGES
        return page_path(uri) if has_page and self._titles.get(uri) else ""

    def title(self, kind: str, row: Json) -> str:
        """Return the name of a resource; those to which its name refers are loaded."""
        fields = BY_NAME[kind].titles if kind in BY_NAME else ("name",)
        if kind == "order" and row.get("number"):
            return f"#{row['number']} {row['name']}"
        if kind == "config":
            return row.get("description") or self._joined(row, ())
        if "name" in fields:
            return row.get("name") or self._joined(row, [each for each in fields if each != "name"])
        return self._joined(row, fields)

    def _joined(self, row: Json, fields: Iterable[str]) -> str:
        texts = [self._part(row.get(field)) for field in fields]
        parts = [text for text in texts if text]
        return " · ".join(parts) or self._part(row.get("created")) or "–"

    def _part(self, value: JsonValue) -> str:
        if value is None:
            return ""
        if isinstance(value, str) and value in self._titles:
            return self.text(value)
        if isinstance(value, str) and (at := moment(value)):
            return date_format(at, "SHORT_DATETIME_FORMAT")
        return str(value_label(value)) if isinstance(value, str) else str(value)

    def _load(self, kind: str, uris: set[str]) -> None:
        self._titles |= dict.fromkeys(uris, "")
        rows = self._users(uris) if kind == "users" else self._rows(kind, uris)
        if kind in BY_NAME:
            titles = BY_NAME[kind].titles
            self.load(row.get(f) for row in rows for f in titles if isinstance(row.get(f), str))
        self._titles |= {row["uri"]: self.title(kind, row) for row in rows if row["uri"] in uris}

    def _rows(self, kind: str, uris: set[str]) -> list[JsonValue]:
        service = service_of(kind)
        if kind in ("config", "slice", "gcode"):
            result = (self._visit.api.find(uri) for uri in sorted(uris)[:MAX_SINGLE])
            return [{"created": row.get("created"), **row} for row in result if row]
        query = urlencode({"filter[uri]": ",".join(sorted(uris)), "page[limit]": MAX_NAMES})
        uri = f"{base_url(service)}/{kind}/?{query}"
        try:
            rows: list[JsonValue] = orjson.loads(self._visit.api.ask("GET", uri).content)[
                "resources"
            ]
        except ApiError:
            return []
        return rows

    def _users(self, uris: set[str]) -> list[JsonValue]:
        """People: the visitor, the members of the current shop, and others one by one."""
        person = self._visit.person
        result = {row["uri"]: row for row in self._visit.members}
        if person:
            result[person["uri"]] = person
        missing = sorted(uris - result.keys())[:MAX_SINGLE]
        others = (self._visit.api.find(uri) for uri in missing)
        people = [*result.values(), *(row for row in others if row)]
        return [{**row, "name": row.get("name") or row["username"]} for row in people]


def with_names(visit: PageContext, declined: ApiError) -> ApiError:
    """Return a refusal whose sentences name resources instead of their URIs."""
    names = Names(visit)
    names.load(uri for error in declined.errors for uri in URI.findall(error["title"]))

    def name(result: re.Match[str]) -> str:
        return names.readable(result[0]) or result[0]

    errors = [{**error, "title": URI.sub(name, error["title"])} for error in declined.errors]
    return ApiError(declined.http_status, cast("list[ErrorEntry]", errors), declined.headers)
