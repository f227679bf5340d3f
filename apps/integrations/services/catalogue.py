"""Service layer: register, update, deactivate and list the services of providers."""

from typing import Any

from django.db import IntegrityError, transaction

from apps.integrations.models import Service
from apps.users import interface as users
from core.auth_user import Person
from core.errors import Conflict, UnknownResource
from core.rights import missing_right
from core.uris import build_uri

# The right, on the catalogue, to change what is in it.
RIGHT = "service.all"


class ServiceNameTaken(Conflict):
    """Another service has this name."""

    code = "name-taken"


@transaction.atomic
def create(*, actor: Person, group_uri: str | None = None, **fields: Any) -> Service:
    """A service of a provider, which can be used at once; by holders of `service.all`."""
    _require_authority(actor)
    row = Service(creator=actor, group_key=_group(actor, group_uri), **fields)
    _save(row)
    return row


@transaction.atomic
def change(*, actor: Person, row: Service, **fields: Any) -> None:
    """Change a service; running operations use the new values from their next request on."""
    _require_authority(actor)
    if "group_uri" in fields:
        wanted = fields.pop("group_uri")
        if wanted != row.group_uri:
            row.group_key = _group(actor, wanted)
    for name, value in fields.items():
        setattr(row, name, value)
    _save(row)


def delete(*, actor: Person, row: Service) -> None:
    """Offer a service no more; operations that are under way come to their end."""
    _require_authority(actor)
    row.put_away()


def may_change(user: Person) -> bool:
    """Whether `user` makes the catalogue of services."""
    return user.has_perm(f"integrations.{RIGHT}", _catalogue())


def _require_authority(user: Person) -> None:
    if not may_change(user):
        raise missing_right(user, RIGHT, namespace="integrations", on=_catalogue())


def _catalogue() -> str:
    return build_uri("integrations", "service-list")


def _group(user: Person, uri: str | None) -> Any:
    """Return the key of the group whose members may use a service; None for all users."""
    if not uri:
        return None
    key = users.find_group(uri=uri, user=user)
    if key is None:
        raise UnknownResource(f"{uri} is not a group that you can see.", field="group_uri")
    return key


def _save(row: Service) -> None:
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as error:
        title = f"There is a service called {row.name!r}: choose another name."
        raise ServiceNameTaken(title, field="name") from error
