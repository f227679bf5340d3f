"""What a client may do with the rows of any kind."""

from collections.abc import Callable
from typing import Any

from django.db import IntegrityError, models, transaction
from django.db.models import ProtectedError

from apps.erp.models import Row
from apps.erp.models.columns import ForeignUri, Link
from apps.erp.services.foreign import readable, share_model
from core.errors import Conflict, InvalidFields, ServiceError, UnknownResource

# What must be true of a row beyond its columns, by its kind: raises a ServiceError.
RULES: dict[type[Row], Callable[[Any], None]] = {}


class ResourceExists(Conflict):
    """There is one like it already."""

    code = "resource-exists"


class ResourceInUse(Conflict):
    """Others point at it."""

    code = "resource-in-use"


@transaction.atomic
def create(*, actor: Any, kind: type[Row], **values: Any) -> Any:
    """A row of this kind, made by `actor`, who may."""
    many = {name: values.pop(name) for name in _many(kind) if name in values}
    row: Any = kind(**values)
    if kind.PARENT and kind.PARENT != "bureau":
        row.bureau = getattr(row, kind.PARENT).bureau
    if "creator" in _columns(kind):
        row.creator = actor
    _check(row, actor, values | many)
    _save(row)
    for name, chosen in many.items():
        getattr(row, name).set(chosen)
    return row


@transaction.atomic
def change(*, actor: Any, row: Any, **values: Any) -> None:
    """Change what was given."""
    many = {name: values.pop(name) for name in _many(row) if name in values}
    changed = {name: value for name, value in values.items() if getattr(row, name) != value}
    for name, value in changed.items():
        setattr(row, name, value)
    _check(row, actor, changed | many)
    if changed or many:
        _save(row, update_fields=[*changed, "updated"])
    for name, chosen in many.items():
        getattr(row, name).set(chosen)


@transaction.atomic
def delete(*, row: Any) -> None:
    """Delete a row that nothing points at."""
    try:
        row.delete()
    except ProtectedError as error:
        users_of = sorted(getattr(other, "uri", str(other)) for other in error.protected_objects)
        shown = ", ".join(users_of[:10]) + (" and others" if len(users_of) > 10 else "")
        raise ResourceInUse(
            f"It is used by {shown}: delete these first, or have them name another.",
            details={"used_by": users_of[:100]},
        ) from error


def _check(row: Any, user: Any, given: dict[str, Any]) -> None:
    """Raise InvalidFields where what was given does not belong to the row's bureau or `user`."""
    columns = _columns(row)
    faults: list[ServiceError] = []
    for name, value in given.items():
        column = columns[name]
        if isinstance(column, ForeignUri) and value:
            if readable(value, view=column.view, user=user):
                if column.view == "model-detail":
                    share_model(value, bureau=row.bureau, user=user)
            else:
                what = column.view.removesuffix("-detail")
                words = f"{value} is not a {what} that you may read."
                faults.append(UnknownResource(words, field=name))
        elif isinstance(column, Link | models.ManyToManyField):
            others = value if isinstance(value, list) else [value] if value else []
            faults += [
                ServiceError(
                    f"{other.uri} belongs to another bureau.", code="wrong-bureau", field=name
                )
                for other in others
                if name != row.PARENT and getattr(other, "bureau_id", None) != row.bureau_id
            ]
    if faults:
        raise InvalidFields(faults)
    if rule := RULES.get(type(row)):
        rule(row)


def _save(row: Any, **options: Any) -> None:
    try:
        with transaction.atomic():
            row.save(**options)
    except IntegrityError as error:
        same = _same(row)
        if same is None:
            raise
        raise ResourceExists(
            f"{same} has these values already: change that one.", details={"uri": same}
        ) from error


def _same(row: Any) -> str | None:
    """The URI of the row that stands where this one wants to."""
    for constraint in row._meta.constraints:
        if isinstance(constraint, models.UniqueConstraint) and constraint.fields:
            values = {name: getattr(row, name) for name in constraint.fields}
            if found := type(row)._base_manager.filter(**values).exclude(pk=row.pk).first():
                return found.uri
    return None


def _columns(of: Any) -> dict[str, Any]:
    return {column.name: column for column in (*of._meta.fields, *of._meta.many_to_many)}


def _many(of: Any) -> list[str]:
    return [column.name for column in of._meta.many_to_many]
