"""Maps API URIs to console paths and back."""

from collections.abc import Iterable
from urllib.parse import urlsplit
from uuid import UUID

from django.http import Http404

from apps.console.domain.messages import Row
from core.uris import base_url
from core.web.internal_client import ListPage

HOSTS = {
    "model": "models",
    "slice": "slicing",
    "gcode": "slicing",
    "preset": "slicing",
    "config": "slicing",
    "cura-machine": "slicing",
}  # of all other kinds: that of manufacturing


def api_uri(kind: str, uuid: UUID) -> str:
    """The URI of the resource whose page has this key."""
    return f"{base_url(HOSTS.get(kind, 'erp'))}/{kind}/{uuid}/"


def sent_uri(kind: str, key: str) -> str:
    """The URI of a resource by the key that a form or an address names. Raises Http404."""
    try:
        return api_uri(kind, UUID(key))
    except ValueError as error:
        raise Http404 from error


def page_path(uri: str) -> str:
    """The page of a resource."""
    return urlsplit(uri).path


def uuid_of(uri: str) -> str:
    """The key of a resource."""
    return page_path(uri).split("/")[2]


def uri_choices(rows: Iterable[Row]) -> list[tuple[str, str]]:
    """Return resources as the choices of a select: their URIs and names."""
    return [(row["uri"], row["name"]) for row in rows]


def pages_of(found: ListPage) -> dict[str, str]:
    """Where the pages before and after a list's are: the arguments of the API's own links."""
    links = {way: found["links"][way] for way in ("prev", "next")}
    return {way: f"?{urlsplit(link).query}" if link else "" for way, link in links.items()}
