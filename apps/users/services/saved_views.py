"""Service layer: saved views of lists."""

from django.db import IntegrityError, transaction

from apps.users.models import SavedView, User
from core.errors import Conflict, ServiceError

MAX_VIEWS = 200  # of a person


class ViewNameTaken(Conflict):
    """Two views of a page have the same name."""

    code = "name-taken"


class TooManyViews(ServiceError):
    """More views than a person may save."""

    code = "limit-exceeded"


@transaction.atomic
def create(*, actor: User, **fields: str) -> SavedView:
    """Save a view of the caller. Raises ViewNameTaken and TooManyViews."""
    User.objects.select_for_update(no_key=True).get(pk=actor.pk)  # two at once count each other
    if actor.saved_views.count() >= MAX_VIEWS:
        raise TooManyViews(f"You have {MAX_VIEWS} saved views: delete one of them.")
    row = SavedView(user=actor, **fields)
    _save(row)
    return row


def change(*, actor: User, row: SavedView, **fields: str) -> None:
    """Change a view. Raises ViewNameTaken."""
    for name, value in fields.items():
        setattr(row, name, value)
    _save(row)


def delete(*, actor: User, row: SavedView) -> None:
    """Delete a view."""
    row.delete()


def _save(row: SavedView) -> None:
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError:
        raise ViewNameTaken(f"{row.page} has a view {row.name!r} already.", field="name") from None
