"""URIs of other services' resources that ours name."""

from collections.abc import Callable
from typing import Any

from apps.slicing import interface as slicing
from apps.users import interface as users
from apps.warehouse import interface as warehouse
from core import uris

# Whether a user may read what a URI names, by its kind.
_READABLE: dict[str, Callable[..., bool]] = {
    "model": warehouse.may_read,
    "config": slicing.may_read,
    "slice": slicing.may_read,
    "gcode": slicing.may_read,
    "user": users.exists,
}


def readable(uri: str, *, kind: str, user: Any) -> bool:
    """Whether `uri` names a resource of this kind that `user` may read."""
    return bool(uris.keys_of(uri, kind)) and _READABLE[kind](uri=uri, user=user)
