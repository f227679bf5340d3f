"""Builds, resolves and canonicalises absolute resource URIs."""

import functools
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.urls import Resolver404, resolve, reverse
from django_hosts.resolvers import get_host

# What the name of one resource's view has behind its kind.
_DETAIL = "-detail"
_PLACEHOLDER = UUID("00000000-0000-7000-8000-000000000000")


@dataclass(frozen=True)
class Reference:
    """A resource of ours, read from a URI: `uri` is its canonical form."""

    service: str
    view: str
    kwargs: dict[str, Any]
    uri: str

    @property
    def kind(self) -> str:
        """What kind of resource it is, as its service calls it."""
        return self.view.removesuffix(_DETAIL)


@functools.cache
def base_url(service: str) -> str:
    """Scheme and authority of a service's host, without a slash at the end."""
    return domain_url(f"{service}.{settings.PARENT_HOST}" if service else settings.PARENT_HOST)


def domain_url(domain: str) -> str:
    """Scheme and authority of a domain of ours, without a slash at the end."""
    port = f":{settings.HOST_PORT}" if settings.HOST_PORT else ""
    return f"{settings.HOST_SCHEME}://{domain}{port}"


def resource_uri(service: str, kind: str, **keys: UUID) -> str:
    """The canonical URI of the resource of this kind with these keys, in the path's order."""
    return build_uri(service, kind + _DETAIL, **keys)


def uri_of(service: str, kind: str, key: UUID) -> str:
    """The canonical URI of the resource of this kind with this key: a list writes hundreds."""
    return _template_of(service, kind) % (key,)


@functools.cache
def _template_of(service: str, kind: str) -> str:
    return _template(service, kind + _DETAIL, ("uuid",))


@functools.lru_cache(maxsize=1024)  # most of a list are one's own
def user_uri(key: UUID) -> str:
    """The URI of the account with this key, which resources of all services name."""
    return uri_of("users", "user", key)


def build_uri(service: str, view: str, **kwargs: UUID) -> str:
    """Return the canonical URI of a view; `view` is a name in the service's urls module."""
    return _template(service, view, tuple(kwargs)) % tuple(kwargs.values())


@functools.cache
def _template(service: str, view: str, names: tuple[str, ...]) -> str:
    """The URI with %s for each key, in the order of `names`, which is the order in the path."""
    places = {name: UUID(int=_PLACEHOLDER.int + at) for at, name in enumerate(names)}
    path = reverse(view, urlconf=get_host(service).urlconf, kwargs=places)
    found = [path.index(str(place)) for place in places.values()]
    if found != sorted(found):
        raise ValueError(f"Give the keys of {view} in the order of its path: {path}")
    for place in places.values():
        path = path.replace(str(place), "%s")
    return base_url(service) + path


def resolve_uri(uri: str) -> Reference | None:
    """The resource of ours that `uri` names, or None where it is not one.

    Alias hosts, http for https and a missing slash at the end are accepted.
    """
    # Nearly all are in this form, and are read without a walk through the paths of a service.
    if (found := _PLAIN(uri)) and (kind := _kind_at(found[1], found[2])):
        service, view, name = kind
        return Reference(service, view, {name: UUID(found[3])}, uri)
    return _resolve(uri)


_PLAIN = re.compile(
    r"(https?://[a-z0-9.:-]+)/([a-z0-9-]+)/"
    r"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/"
).fullmatch


@functools.lru_cache(maxsize=1024)
def _kind_at(origin: str, path: str) -> tuple[str, str, str] | None:
    """The service, the view and its argument of resources there that are one key below `path`.

    None where these are no canonical URIs of ours.
    """
    uri = f"{origin}/{path}/{_PLACEHOLDER}/"
    reference = _resolve(uri)
    if reference is None or reference.uri != uri:
        return None
    match list(reference.kwargs.items()):
        case [(name, UUID())]:
            return reference.service, reference.view, name
    return None


def _resolve(uri: str) -> Reference | None:
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError:
        return None
    services = _services_of(parts.hostname or "")
    ports = {None, int(settings.HOST_PORT) if settings.HOST_PORT else None}
    if parts.scheme not in ("http", "https") or not services or port not in ports:
        return None
    if parts.query or parts.fragment or parts.username or parts.password:
        return None
    path = parts.path if parts.path.endswith("/") else parts.path + "/"
    for service in services:
        try:
            match = resolve(path, urlconf=get_host(service).urlconf)
        except Resolver404:
            continue
        if match.url_name:
            uri = base_url(service) + path
            return Reference(service, match.url_name, dict(match.kwargs), uri)
    return None


def keys_of(uri: str, kind: str) -> list[UUID]:
    """The key of the resource that `uri` names; none where it is not of this kind."""
    reference = resolve_uri(uri)
    return [reference.kwargs["uuid"]] if reference and reference.view == kind + _DETAIL else []


def canonical(uri: str) -> str:
    """`uri` in its canonical form if it is one of ours, unchanged otherwise."""
    reference = resolve_uri(uri)
    return reference.uri if reference else uri


def _services_of(hostname: str) -> tuple[str, ...]:
    suffix = f".{settings.PARENT_HOST}"
    if not hostname.endswith(suffix):
        return ()
    name = hostname.removesuffix(suffix)
    if name == "data":
        return tuple(settings.SERVICES)
    name = settings.HOST_ALIASES.get(name, name)
    return (name,) if name in settings.SERVICES else ()
