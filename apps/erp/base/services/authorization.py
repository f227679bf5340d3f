"""Authorization per kind: who may create, change, delete."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet

from apps.erp.base.models.abstract import BaseResource
from apps.erp.base.models.access import is_member
from apps.erp.base.models.bureaus import BUREAU_GRANTING, NAMESPACE, Bureau
from core import uris
from core.auth_user import Person
from core.errors import Forbidden
from core.rights import missing_right, require_right


class NotAMember(Forbidden):
    """Only members of the bureau may do this."""


class NotAnOperator(Forbidden):
    """Only administrators may do this."""


def require_to_create(user: Person, kind: type[BaseResource], given: Mapping[str, Any]) -> None:
    """Raise Forbidden unless `user` may make one of this kind below the parent that is named."""
    if kind.OPERATED:
        require_operator(user, kind)
        return
    uri = given.get(kind.PARENT) if kind.PARENT else None
    if not isinstance(uri, str):
        return  # anybody may make a bureau; without its parent the rest is refused as it is read
    uri = uris.canonical(uri)
    if kind.RIGHT:
        require_right(user, kind.RIGHT, namespace=NAMESPACE, on=uri)
        return
    above: type[BaseResource] = kind._meta.get_field(kind.PARENT).related_model  # type: ignore[assignment]
    parent = above.objects.filter(pk__in=above.keys_of(uri)).first()
    require_membership(user, bureau_of(parent) if parent else None, uri)


def may_change(user: Person, row: Any) -> bool:
    """Whether `user` may change and delete the row."""
    if user.is_staff:
        return True
    if row.OPERATED:
        return False
    if row.RIGHT:
        return user.has_perm(f"{NAMESPACE}.{row.RIGHT}", _right_on(row).uri)
    return is_member(user, bureau_of(row))


def require_to_change(user: Person, row: Any) -> None:
    """Raise Forbidden unless `user` may change and delete the row."""
    if may_change(user, row):
        return
    if row.OPERATED:
        require_operator(user, type(row))
    if row.RIGHT:
        raise missing_right(user, row.RIGHT, namespace=NAMESPACE, on=_right_on(row).uri)
    require_membership(user, bureau_of(row), row.uri)


def _right_on(row: Any) -> Any:
    """What the right to change a row is held on."""
    return getattr(row, row.PARENT) if row.PARENT else row


def require_membership(user: Person, bureau: Bureau | None, on: str) -> None:
    """Raise NotAMember unless `user` is in the bureau's group; `on` is what they want to change."""
    if user.is_staff:
        return
    if bureau is None or not is_member(user, bureau):
        # The bureau is not named: it may be one that `user` does not know of.
        raise NotAMember(
            f"Only members of its bureau may change {on}: ask an administrator, or somebody who "
            f"holds {BUREAU_GRANTING} on the bureau.",
            details={"object": on},
        )


def require_membership_of(user: Person, rows: QuerySet, uris_in: object, what: str) -> None:
    """Raise NotAMember unless `user` is in the bureaus of all rows that a request names.

    uris_in : the URIs, as they came; what is none of `rows` is refused as it is read
    """
    named = [uri for uri in uris_in if isinstance(uri, str)] if isinstance(uris_in, list) else []
    keys = [key for uri in named for key in rows.model.keys_of(uri)]
    bureaus = rows.filter(pk__in=keys).order_by().values("bureau")
    for bureau in Bureau.objects.filter(pk__in=bureaus):
        require_membership(user, bureau, what)


def require_operator(user: Person, kind: type[BaseResource]) -> None:
    """Raise NotAnOperator unless `user` is an administrator."""
    if not user.is_staff:
        raise NotAnOperator(f"Only an administrator makes, changes and deletes a {kind.KIND}.")


def bureau_of(row: Any) -> Bureau:
    """The bureau that a row belongs to."""
    return row if isinstance(row, Bureau) else row.bureau
