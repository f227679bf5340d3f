"""Values of resources as pages show them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from django.utils import formats
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.console.domain import production_status
from apps.console.domain.messages import JsonValue, Row
from apps.console.domain.resources.resource_labels import field_label
from apps.console.domain.resources.resource_schema import Field
from apps.console.domain.value_labels import value_label

STATES = {
    "order": production_status.ORDERS,
    "line-item": production_status.LINE_ITEMS,
    "piece": production_status.PIECES,
    "run": production_status.RUNS,
    "document": production_status.DOCUMENTS,
    "shipment": production_status.SHIPMENTS,
}
# Fields whose values are drawn as chips.
CHIPS = ("status", "plate", "machine.state", "level", "stock_level")
TONES = {
    "accepted": "ok",
    "clear": "ok",
    "done": "ok",
    "idle": "ok",
    "ok": "ok",
    "online": "ok",
    "printing": "run",
    "sent": "run",
    "armed": "run",
    "calculating": "run",
    "occupied": "warn",
    "unclear": "warn",
    "unknown": "warn",
    "offline": "warn",
    "paused": "warn",
    "open": "warn",
    "low": "warn",
    "error": "bad",
    "failed": "bad",
}
# Fields with the address of a page or a file, and the texts of their links.
PAGES = {"download": gettext_lazy("Download"), "tracking_url": gettext_lazy("Track shipment")}
MISSING = "–"


@dataclass(frozen=True)
class Value:
    """A value of a field.

    tone   : of a chip; None where the value is no chip
    links  : text and path of each resource that it refers to
    at     : ISO 8601 of a time
    number : whether it is aligned to the right
    code   : whether it is shown with its line breaks, in a fixed-width font
    progress : how many of how many are done
    is_late  : of a time, whether it has passed
    """

    text: str | Promise
    tone: str | None = None
    links: tuple[tuple[str, str], ...] = ()
    at: str = ""
    number: bool = False
    code: bool = False
    progress: tuple[int, int] | None = None
    is_late: bool = False


def moment(value: str | None) -> datetime | None:
    """Return a time of the API; None for any other text."""
    try:
        result = datetime.fromisoformat(value or "")
    except ValueError:
        return None
    return result if result.tzinfo else None


def shown(kind: str, field: Field, value: JsonValue) -> Value:
    """Return the value of a field that refers to no other resource."""
    if value is None or value == "" or value == [] or value == {}:
        return Value(MISSING, number=field.form in ("number", "integer"))
    if field.form == "boolean":
        return Value(_("Yes") if value else _("No"))
    if field.form == "choice" or (field.name in CHIPS and isinstance(value, str)):
        return _choice(kind, field, value)
    if field.form in ("number", "integer"):
        return Value(number_text(value), number=True)
    return _text(field, value)


def _choice(kind: str, field: Field, value: str) -> Value:
    state = STATES.get(kind, {}).get(value) if field.name == "status" else None
    if state:
        return Value(state.words, tone=state.sign)
    chip = TONES.get(value, "") if field.name in CHIPS else None
    return Value(value_label(value), tone=chip)


def _text(field: Field, value: JsonValue) -> Value:
    label = PAGES.get(field.name.rpartition(".")[2])
    if label and isinstance(value, str) and value.startswith(("https://", "http://")):
        return Value(label, links=((str(label), value),))
    if field.form == "datetime" and (at := moment(value)):
        return Value(formats.date_format(at, "SHORT_DATETIME_FORMAT") + " UTC", at=at.isoformat())
    if field.form == "date" and isinstance(value, str):
        return Value(formats.date_format(date.fromisoformat(value), "SHORT_DATE_FORMAT"))
    if isinstance(value, list) and all(isinstance(each, str | int | float) for each in value):
        return Value(", ".join(str(each) for each in value))
    if field.form == "rows":
        return Value("; ".join(_row_text(row) for row in value))
    if isinstance(value, dict | list):
        return Value(json.dumps(_without_nulls(value), ensure_ascii=False, indent=1), code=True)
    return Value(str(value))


def _without_nulls(value: JsonValue) -> JsonValue:
    """Nested JSON without the members that are null."""
    if isinstance(value, dict):
        return {name: _without_nulls(each) for name, each in value.items() if each is not None}
    return [_without_nulls(each) for each in value] if isinstance(value, list) else value


def _row_text(row: Row) -> str:
    """The numbers of a row with their names."""
    return ", ".join(f"{field_label(name)} {number_text(value)}" for name, value in row.items())


def number_text(value: JsonValue) -> str:
    """Return a number as the page's language writes it, without needless zeros."""
    plain = f"{Decimal(str(value)).normalize():f}" if not isinstance(value, int) else str(value)
    return formats.number_format(plain, use_l10n=True, force_grouping=False)
