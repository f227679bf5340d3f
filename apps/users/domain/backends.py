"""Django permission backend: object permissions by URI."""

from typing import Any

from django.contrib.auth.backends import BaseBackend

from apps.users.domain import rights


class PermissionBackend(BaseBackend):
    """Rights on objects; a permission's name is the namespace, a dot, and the right."""

    def has_perm(self, user_obj: Any, perm: str, obj: Any = None) -> bool:
        """Whether an active user, or a group of theirs, was granted `perm` on `obj`.

        obj : a URI, or something that has one as its `uri`
        """
        if obj is None or not user_obj.is_active:
            return False
        namespace, _, right = perm.partition(".")
        return rights.holds(user_obj, namespace, right, getattr(obj, "uri", obj))
