"""Event scope of a bureau or location, resolved through a hook."""

from collections.abc import Mapping

from django.conf import settings
from django.utils.module_loading import import_string

from core.api.lists.list_queries import BadQuery
from core.auth_user import Person
from core.state_machine import EventScope


def board_of(*, bureau: str | None, location: str | None, user: Person) -> EventScope | None:
    """The board that these URIs name; None where they name none.

    Raises NotFound where `user` may not read it.
    """
    if bureau is not None:
        board: EventScope = import_string(settings.EVENT_SCOPE_HOOK)(
            bureau=bureau, location=location, user=user
        )
        return board
    if location is not None:
        raise BadQuery("Name the bureau of the location, too.", field="location")
    return None


def visible_changes(changes: Mapping[str, object], board: EventScope) -> dict[str, object]:
    """Return the changes of an event of a bureau that the reader of this board may see."""
    return {name: value for name, value in changes.items() if not name.startswith(board.hidden)}
