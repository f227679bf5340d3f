"""Production queue: line items with unscheduled pieces, their filters, and their order of work."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.console.domain.model_report import BAD, CARE
from apps.console.domain.production_status import State

if TYPE_CHECKING:
    from manufacturing.generated.erp import Unscheduled

LATE = State(BAD, _("Late"))
DUE_TODAY = State(CARE, _("Due today"))
ON_HOLD = _("On hold")
# What the queue is reduced to by `show` in its address.
SHOWN: dict[str, str | Promise] = {
    "": _("All"),
    "late": LATE.words,
    "today": DUE_TODAY.words,
    "hold": ON_HOLD,
}


class Filter(NamedTuple):
    """What the address of the queue asks for: a group of SHOWN, URIs, and a search."""

    show: str = ""
    material: str = ""
    process: str = ""
    search: str = ""

    def matches(self, row: Unscheduled, now: datetime) -> bool:
        """Return whether a line item is shown."""
        return (
            self.show in {"", *groups_of(row, now)}
            and self.material in ("", row["material"])
            and self.process in ("", row["process_type"])
            and self._is_searched(row)
        )

    def _is_searched(self, row: Unscheduled) -> bool:
        number = f"#{row['order_number']}" if row["order_number"] else ""
        texts = (row["name"] or "", number, row["customer"] or "")
        return any(self.search.casefold() in text.casefold() for text in texts)


class Suggestion(NamedTuple):
    """Line items that one build may be planned of: of one printer type and material."""

    process: str
    material: str
    pieces: int
    orders: int


def due_of(row: Unscheduled) -> datetime | None:
    """Return when the order of a line item is due."""
    return datetime.fromisoformat(row["due_date"]) if row["due_date"] else None


def due_state(due: datetime | None, now: datetime) -> State | None:
    """Return what the due date of an order calls for; None where it is later than today."""
    if due is None:
        return None
    if due < now:
        return LATE
    return DUE_TODAY if timezone.localdate(due) == timezone.localdate(now) else None


def groups_of(row: Unscheduled, now: datetime) -> set[str]:
    """Return the groups of SHOWN that a line item belongs to."""
    state = due_state(due_of(row), now)
    groups = {"late": state is LATE, "today": state is DUE_TODAY, "hold": row["hold"]}
    return {name for name, is_in in groups.items() if is_in}


def is_printed(row: Unscheduled) -> bool:
    """Return whether the pieces wait for printing, not for a later step."""
    return row["process_type"] is None or "/printer-type/" in row["process_type"]


def suggestions(rows: Sequence[Unscheduled]) -> list[Suggestion]:
    """Return the builds that may be planned, in the order of work; what is on hold is left out."""
    groups: dict[tuple[str, str], list[Unscheduled]] = {}
    for row in rows:
        if not row["hold"]:
            group = row["process_type"] or "", row["material"] or ""
            groups.setdefault(group, []).append(row)
    return [
        Suggestion(
            process,
            material,
            sum(row["count"] for row in theirs),
            len({row["order"] for row in theirs if row["order"]}),
        )
        for (process, material), theirs in groups.items()
    ]


def moved(order: Sequence[str], chosen: Collection[str], before: str | None) -> list[str]:
    """Return an order in which the chosen stand together before another; at the end without one."""
    rest = [item for item in order if item not in chosen]
    at = rest.index(before) if before in rest else len(rest)
    return [*rest[:at], *(item for item in order if item in chosen), *rest[at:]]


def new_positions(current: Mapping[str, int | None], order: Sequence[str]) -> dict[str, int]:
    """Return the positions to write, so that line items come in an order; as few as are needed.

    Line items without a position come after the others in the order that they have now: those at
    the end that keep their order need none.

    current : positions by line item, in the present order
    """
    place = {item: at for at, item in enumerate(current)}
    end = len(order)
    while end and current[order[end - 1]] is None:
        if end < len(order) and place[order[end - 1]] > place[order[end]]:
            break
        end -= 1
    return {item: at for at, item in enumerate(order[:end], 1) if current[item] != at}
