"""URIs of other services' resources that ours name."""

from collections.abc import Callable
from typing import Any

from apps.slicing import interface as slicing
from apps.users import interface as users
from apps.warehouse import interface as warehouse
from core import uris

# Whether a user may read what a URI names, by the name of its view.
_READABLE: dict[str, Callable[..., bool]] = {
    "model-detail": warehouse.may_read,
    "config-detail": slicing.may_read,
    "slice-detail": slicing.may_read,
    "gcode-detail": slicing.may_read,
    "user-detail": users.exists,
}


def readable(uri: str, *, view: str, user: Any) -> bool:
    """Whether `uri` names a resource of this kind that `user` may read."""
    return bool(uris.keys_of(uri, view)) and _READABLE[view](uri=uri, user=user)
