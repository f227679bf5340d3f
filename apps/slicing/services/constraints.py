"""Service layer: create, update, bind and delete constraints."""

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction

from apps.slicing.models import Association, Constraint
from apps.slicing.queries import readable_constraints
from apps.warehouse import interface as warehouse
from core.auth_user import Person
from core.errors import Conflict, UnknownResource
from core.resources import owner_of
from core.rights import missing_right


class AlreadyBound(Conflict):
    """The constraint binds the model already."""

    code = "already-bound"


def create(
    *, actor: Person, name: str, parameters: Mapping[str, object], description: str = ""
) -> Constraint:
    """A constraint that binds no model yet."""
    return Constraint.objects.create(
        owner=actor, name=name, description=description, parameters=parameters
    )


def change(*, actor: Person, row: Constraint, **fields: Any) -> None:
    """Change name and description: for its owner, and holders of the right `write` on it."""
    row.require(actor, "write")
    for name, value in fields.items():
        setattr(row, name, value)
    row.save(update_fields=[*fields, "updated"])


@transaction.atomic
def delete(*, actor: Person, row: Constraint) -> None:
    """Lift a constraint from every model: for its owner, and holders of the right `delete`."""
    row.delete_by(actor)


@transaction.atomic
def bind_model(*, actor: Person, constraint: str, model_uri: str) -> Association:
    """Have the constraint with this URI bind the model with that one.

    For the model's owner, and holders of the right `write` on it.
    """
    found = _find_constraint(constraint, actor)
    model = warehouse.find_model(uri=model_uri, user=actor, field="model_uri")
    if not _may_bind(actor, model.uri):
        raise missing_right(actor, "write", namespace="models", on=model.uri)
    try:
        with transaction.atomic():
            return Association.objects.create(
                owner=actor, constraint=found, model_uri=model.uri, model_uuid=model.uuid
            )
    except IntegrityError as error:
        title = f"The constraint binds this model already: {found.name}."
        raise AlreadyBound(title, field="model_uri") from error


def release_model(*, actor: Person, association: Association) -> None:
    """Remove a constraint from one model; for its creator and those who may constrain the model."""
    if not may_release(actor, association):
        raise missing_right(actor, "write", namespace="models", on=association.model_uri)
    association.put_away()


def may_release(user: Person, association: Association) -> bool:
    """Whether `user` bound the model, or may bind it."""
    return association.owner_id == user.pk or _may_bind(user, association.model_uri)


def _find_constraint(uri: str, user: Person) -> Constraint:
    keys = Constraint.keys_of(uri)
    constraint = readable_constraints(user).filter(pk__in=keys).first()
    if constraint is None:
        raise UnknownResource(
            f"{uri} is not a constraint that you may use: create it first.", field="constraint"
        )
    return constraint


def _may_bind(user: Person, model_uri: str) -> bool:
    return owner_of(model_uri) == user.pk or user.has_perm("models.write", model_uri)
