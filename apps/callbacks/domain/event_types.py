"""Event types, and wildcard patterns (`slice.*`, `*`)."""

import functools
from collections.abc import Collection, Mapping
from typing import Any

from django.conf import settings
from django.db.models import Q
from django.utils.module_loading import import_string

ALL = "*"


@functools.cache
def schemas() -> Mapping[str, Mapping[str, Any]]:
    """Return every type of event with the JSON Schema of its body."""
    return import_string(settings.EVENTS)


def type_of(uri: str, status: str) -> str:
    """The type of the event that the resource `uri` is now `status`: slice.processed."""
    kind = uri.rstrip("/").split("/")[-2]  # what the URI's last key is a key of
    return f"{kind}.{status}"


def known_patterns() -> list[str]:
    """Return every type and pattern that a subscription may contain."""
    kinds = {name.partition(".")[0] for name in schemas()}
    return [*schemas(), *sorted(f"{kind}.*" for kind in kinds), ALL]


def patterns_of(name: str) -> list[str]:
    """The patterns that match the type `name`."""
    return [name, f"{name.partition('.')[0]}.*", ALL]


def matching(patterns: Collection[str]) -> Q:
    """The condition on Event.type that one of `patterns` matches it."""
    if ALL in patterns:
        return Q()
    found = Q(type__in=patterns)
    for pattern in patterns:
        if pattern.endswith(".*"):
            found |= Q(type__startswith=pattern.removesuffix("*"))
    return found
