"""Validates URIs of other services' resources."""

from apps.slicing import interface as slicing
from apps.users import interface as users
from core import uris
from core.auth_user import Person
from core.resources import may_read


def readable(uri: str, *, kind: str, user: Person) -> bool:
    """Whether `uri` names a resource of this kind that `user` may read.

    Anybody may name people, and presets.
    """
    known = {"user": users.exists, "preset": slicing.preset_exists}.get(kind, may_read)
    return bool(uris.keys_of(uri, kind)) and known(uri=uri, user=user)
