"""Create, update and delete resources of any kind."""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any

from django.db import IntegrityError, connection, models, transaction
from django.db.models import ProtectedError, Q

from apps.erp.base.model_fields import BureauForeignKey, ForeignUriField
from apps.erp.base.models.abstract import BaseResource
from apps.erp.base.models.access import share_config, share_model
from apps.erp.base.services.foreign_uris import readable
from core.auth_user import Person
from core.errors import Conflict, InvalidFields, ServiceError, UnknownResource

# So many of those that use a row are named where it cannot be deleted.
MAX_SHOWN = 10

# What the bureau's people may read once a row names it, by the name of its view.
SHARED = {"config": share_config, "model": share_model}


class WrongBureau(ServiceError):
    """A resource of another bureau is named."""

    code = "wrong-bureau"


class ResourceExists(Conflict):
    """There is one like it already."""

    code = "resource-exists"


class ResourceInUse(Conflict):
    """Others point at it."""

    code = "resource-in-use"


@transaction.atomic
def create(*, actor: Person, kind: type[BaseResource], **values: Any) -> Any:
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
def change(*, actor: Person, row: Any, **values: Any) -> None:
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
    # Looked for beforehand: Django would read all of them, and there may be 100,000.
    if used_by := list(islice(_users_of(row), MAX_SHOWN + 1)):
        raise _in_use(used_by)
    try:
        row.delete()
        connection.check_constraints()  # what is being made meanwhile shows now, not at the end
    except (ProtectedError, IntegrityError) as error:
        raise _in_use([]) from error


def _users_of(row: Any) -> Iterator[str]:
    """The URIs of what points at a row and keeps it from being deleted."""
    for relation in row._meta.get_fields(include_hidden=True):
        if not relation.auto_created or relation.concrete:
            continue
        if relation.many_to_many or relation.on_delete is models.PROTECT:
            others = relation.related_model._base_manager.filter(**{relation.field.name: row})
            for other in others.order_by("pk")[: MAX_SHOWN + 1]:
                yield getattr(other, "uri", str(other))


def _in_use(by: list[str]) -> ResourceInUse:
    shown = ", ".join(by[:MAX_SHOWN]) + (" and others" if len(by) > MAX_SHOWN else "")
    return ResourceInUse(
        f"It is used by {shown or 'others'}: delete these first, or have them name another.",
        details={"used_by": by[:MAX_SHOWN]},
    )


def _check(row: Any, user: Person, given: Mapping[str, object]) -> None:
    """Raise InvalidFields where what was given does not belong to the row's bureau or `user`."""
    columns = _columns(row)
    faults: list[ServiceError] = []
    shared = []
    for name, value in given.items():
        column = columns[name]
        if isinstance(column, ForeignUriField) and isinstance(value, str) and value:
            if readable(value, kind=column.kind, user=user):
                if share := SHARED.get(column.kind):
                    shared.append(partial(share, value, field=row.spelled(name)))
            else:
                what = column.kind
                words = f"{value} is not a {what} that you may read."
                faults.append(UnknownResource(words, field=row.spelled(name)))
        elif isinstance(column, BureauForeignKey | models.ManyToManyField):
            others: list[Any] = value if isinstance(value, list) else [value] if value else []
            faults += [
                WrongBureau(f"{other.uri} belongs to another bureau.", field=row.spelled(name))
                for other in others
                if name != row.PARENT and getattr(other, "bureau_id", None) != row.bureau_id
            ]
    if faults:
        raise InvalidFields(faults)
    for share in shared:
        share(bureau=row.bureau, user=user)


def _save(row: Any, **options: Any) -> None:
    try:
        with transaction.atomic():
            row.save(**options)
    except IntegrityError as error:
        require_new(row, cause=error)
        raise


def require_new(row: Any, *, cause: Exception | None = None) -> None:
    """Raise ResourceExists where another row stands where this one wants to."""
    if same := _same(row):
        raise ResourceExists(
            f"{same} has these values already: change that one.", details={"uri": same}
        ) from cause


def _same(row: Any) -> str | None:
    """The URI of the row that stands where this one wants to."""
    for constraint in row._meta.constraints:
        if isinstance(constraint, models.UniqueConstraint) and constraint.fields:
            values = {name: getattr(row, name) for name in constraint.fields}
            if None in values.values() and constraint.nulls_distinct is not False:
                continue  # nothing equals null
            rows = type(row)._base_manager.filter(constraint.condition or Q(), **values)
            if found := rows.exclude(pk=row.pk).first():
                return found.uri
    return None


def _columns(of: Any) -> dict[str, models.Field]:
    return {column.name: column for column in (*of._meta.fields, *of._meta.many_to_many)}


def _many(of: Any) -> list[str]:
    return [column.name for column in of._meta.many_to_many]
