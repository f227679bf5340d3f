"""Authorization helpers: require a right, and name who can grant a missing one."""

from collections.abc import Callable, Hashable
from typing import Any

from django.conf import settings
from django.db.models.expressions import RawSQL
from django.utils.module_loading import import_string

from core.auth_user import Person
from core.errors import Forbidden


class MissingRight(Forbidden):
    """The caller lacks a right on the object; the details name it."""


def cached_on_user(user: Person, question: Hashable, ask: Callable[[], Any]) -> Any:
    """Return `ask()`, cached on `user`, who exists for one request.

    The cache is cleared when rights or groups change.
    """
    answers = vars(user).setdefault("_rights", {})
    if question not in answers:
        answers[question] = ask()
    return answers[question]


def keys_with_right(user: Person, right: str, *, namespace: str) -> RawSQL:
    """The keys of all objects on which `user` holds the right, for a condition: `pk__in=`."""
    return RawSQL(  # noqa: S611
        f"SELECT * FROM {settings.RIGHTS_FUNCTION}(%s, %s, %s)",  # noqa: S608
        (user.pk, namespace, right),
    )


def require_right(user: Person, right: str, *, namespace: str, on: str) -> None:
    """Raise MissingRight unless `user` holds the right on the object with the URI `on`."""
    if not user.has_perm(f"{namespace}.{right}", on):
        raise missing_right(user, right, namespace=namespace, on=on)


def missing_right(user: Person, right: str, *, namespace: str, on: str) -> MissingRight:
    """Return an error that names the right, the object, and those who may grant it.

    Only users and groups that `user` may see are named; there may be others.
    """
    who_may_grant: Callable[..., list[str]] = import_string(settings.GRANTERS_HOOK)
    granted_by = who_may_grant(user=user, namespace=namespace, on=on)
    ask = " or ".join([*granted_by[:3], "an administrator"])
    return MissingRight(
        f"This needs the right {right} on {on} in the namespace {namespace}: ask {ask} for it.",
        details={"right": right, "namespace": namespace, "object": on, "granted_by": granted_by},
    )
