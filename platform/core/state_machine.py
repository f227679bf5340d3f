"""State machine of resources with a status: conditional UPDATE per transition, event schemas."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, ClassVar, NamedTuple, TypeVar
from uuid import UUID

from django.db import models
from django.db.models.functions import Now

Schema = Mapping[str, Any]


class IllegalTransition(Exception):
    """The row is no longer in a status from which it may move there."""


class Targets(frozenset[str]):
    """The statuses that a row can move to; `asked` are those that a client may set."""

    asked: frozenset[str]

    def __new__(cls, *by_itself: str, asked: Iterable[str] = ()) -> "Targets":
        asked = frozenset(asked)
        moves = super().__new__(cls, asked.union(by_itself))
        moves.asked = asked
        return moves


class EventScope(NamedTuple):
    """Where more than one account hears of rows: a bureau's key, and that of a location of it.

    hidden : beginnings of the names of changes that the caller may not see there
    """

    bureau: UUID
    location: UUID | None = None
    hidden: tuple[str, ...] = ()


class Stateful(models.Model):
    """Base of rows with a state machine; a subclass declares `status`, `updated`, and its tables.

    TRANSITIONS : {from: {to, ...}}; no other move is possible; `Moves` where clients may set
                  some of these statuses
    NEWS        : {status: {property: JSON Schema}}: properties emitted with a status; a
                  property's parts are named with dots
    """

    TRANSITIONS: ClassVar[Mapping[str, Collection[str]]] = {}
    NEWS: ClassVar[Mapping[str, Mapping[str, Schema]]] = {}

    status: Any
    updated: Any

    class Meta:
        abstract = True

    def move(self, to: str, *, expect: Mapping[str, object] | None = None, **fields: Any) -> None:
        """Set `status` to `to`, and `fields` with it, in one conditional UPDATE.

        Of two workers that hold the same message one wins, and the other gets
        IllegalTransition. `expect` names further values that the row must still have.
        """
        rows: models.QuerySet[Any] = type(self)._base_manager.all()
        row = rows.filter(pk=self.pk, status__in=_sources(self, to), **(expect or {}))
        if not row.update(status=to, updated=Now(), **fields):
            raise IllegalTransition(f"{type(self).__name__} {self.pk}: {self.status} -> {to}")
        self.refresh_from_db(fields=["status", "updated", *fields])

    @property
    def asked(self) -> list[str]:
        """Where a client may send it from here, in the order of the states."""
        asked = getattr(self.TRANSITIONS.get(self.status), "asked", ())
        return [status for status in _states(self) if status in asked]

    @property
    def audience(self) -> UUID:
        """Return the key of the account that receives the event."""
        return self.owner_id  # type: ignore[attr-defined]

    @property
    def board(self) -> EventScope | None:
        """Where others hear of it."""
        return None

    def news(self) -> dict[str, object]:
        """Return the properties emitted with its status: property -> value."""
        return {name: _at(self, name) for name in self.NEWS.get(self.status, ())}


def fully_connected(states: Iterable[str], *also: str) -> dict[str, set[str]]:
    """The table of what goes from each of these states to any other of them, and to `also`."""
    every = [*states, *also]
    return {str(one): {str(other) for other in every if other != one} for one in states}


Row = TypeVar("Row", bound=Stateful)


def transition_all(rows: Iterable[Row], to: str, **fields: Any) -> list[Row]:
    """Set the status of rows of one kind in one UPDATE, all or none; the rows, moved.

    Raises IllegalTransition where one may not go there, or no longer.
    """
    rows = list(rows)
    if not rows:
        return rows
    kind = type(rows[0])
    every: models.QuerySet[Any] = kind._base_manager.all()
    found = every.filter(pk__in=[row.pk for row in rows], status__in=_sources(rows[0], to))
    if found.update(status=to, updated=Now(), **fields) != len(rows):
        raise IllegalTransition(f"Not every {kind.__name__} of {len(rows)} may become {to}.")
    updated = every.values_list("updated", flat=True).get(pk=rows[0].pk)
    for row in rows:
        row.status, row.updated = to, updated
    return rows


def event_schemas(*kinds: type[Stateful]) -> dict[str, Schema]:
    """Return the events of resources of these kinds: type -> JSON Schema of the body.

    There is one for each status that a resource can reach: `uri`, `status`, and its NEWS.
    """
    return {
        f"{kind.KIND}.{status}": event_schema(status, kind.NEWS.get(status, {}))  # type: ignore[attr-defined]
        for kind in kinds
        for status in _states(kind)
        if any(status in targets for targets in kind.TRANSITIONS.values())
    }


def _states(kind: Any) -> list[str]:
    return [status for status, _ in kind._meta.get_field("status").flatchoices]


def event_schema(status: str, news: Mapping[str, Schema] | None = None) -> Schema:
    """Return the JSON Schema of the event of a change to `status`."""
    properties = {
        "uri": {"type": "string", "format": "uri"},
        "status": {"const": str(status)},
        **(news or {}),
    }
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _sources(row: Stateful, to: str) -> list[str]:
    return [source for source, targets in row.TRANSITIONS.items() if to in targets]


def _at(row: Any, name: str) -> Any:
    """A property of a row by its dotted name; parts below the first are in JSON columns."""
    first, *rest = name.split(".")
    value = getattr(row, first)
    for part in rest:
        value = (value or {}).get(part)
    return value
