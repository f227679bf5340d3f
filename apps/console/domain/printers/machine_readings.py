"""Readings of a machine as the page of its printer shows them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.console.domain.value_labels import value_label

if TYPE_CHECKING:
    from manufacturing.generated.erp import Sight, Tray

MAX_AGE = 10  # s: older readings are marked
# Heaters by the beginning of their name at the machine; a number follows where there are several.
HEATERS = (
    ("heater_bed", gettext_lazy("Bed")),
    ("bed", gettext_lazy("Bed")),
    ("chamber", gettext_lazy("Chamber")),
    ("heater_generic chamber", gettext_lazy("Chamber")),
    ("extruder", gettext_lazy("Nozzle")),
    ("nozzle", gettext_lazy("Nozzle")),
    ("tool", gettext_lazy("Nozzle")),
)


class Heater(NamedTuple):
    """Temperatures of a heater as text; target is empty where it is not reported."""

    label: str
    actual: str
    target: str


class TrayReading(NamedTuple):
    """Filament in a tray as text; color: `#rrggbb`, empty where it is not reported."""

    slot: str
    text: str
    color: str
    is_active: bool


class Readings(NamedTuple):
    """What a machine reports; texts are empty where it does not.

    age : s since the report; is_old: whether that is long for a watched printer
    """

    state: str | Promise
    heaters: list[Heater]
    facts: list[tuple[str, str]]
    trays: list[TrayReading]
    text: str
    filament_missing: bool
    age: int
    is_old: bool


def readings_of(machine: Sight, now: datetime | None = None) -> Readings:
    """Return the readings of a machine, as the printer of an agent shows them."""
    details = machine["details"]
    facts = [(_("File"), machine["job"] or "")]
    if details:
        facts += [
            (_("Layer"), _layers(details["layer"], details["layers"])),
            (_("Time left"), _duration(details["seconds_left"])),
            (_("Speed"), _percent(details["speed"])),
            (_("Filament sensor"), _sensor(details["has_filament"])),
        ]
    seen = datetime.fromisoformat(machine["seen"]) if machine["seen"] else None
    age = max(int(((now or datetime.now(UTC)) - seen).total_seconds()), 0) if seen else 0
    return Readings(
        value_label(machine["state"]),
        [
            Heater(_heater(row["heater"]), _degrees(row["actual"]), _target(row["target"]))
            for row in machine["temperatures"]
        ],
        [(label, text) for label, text in facts if text],
        [_tray(row) for row in machine["trays"]],
        machine["text"] or "",
        bool(details and details["has_filament"] is False),
        age,
        age > MAX_AGE,
    )


def _tray(row: Tray) -> TrayReading:
    left = _percent(row["remaining"])
    text = f"{row['material']} · {left}" if left else row["material"]
    slot = _("External spool") if row["slot"] == "external" else row["slot"]
    return TrayReading(slot, text, row["color"] or "", row["is_active"])


def _heater(name: str) -> str:
    for start, label in HEATERS:
        if name.startswith(start):
            number = name.removeprefix(start)[:3]
            is_later = number.isascii() and number.isdecimal() and int(number) > 0
            return f"{label} {int(number) + 1}" if is_later else str(label)
    return name


def _degrees(value: float | None) -> str:
    return "" if value is None else f"{number_format(round(value), 0)} °C"


def _target(value: float | None) -> str:
    if value is None:
        return ""
    return _("target %(target)s") % {"target": _degrees(value)} if value else _("off")


def _layers(layer: int | None, layers: int | None) -> str:
    if not layer:
        return ""
    values = {"layer": layer, "layers": layers}
    return _("%(layer)s of %(layers)s") % values if layers else str(layer)


def _duration(seconds: float | None) -> str:
    """Return hours and minutes; a minute for less."""
    if seconds is None:
        return ""
    hours, minutes = divmod(max(round(seconds / 60), 1), 60)
    return _("%(h)s h %(m)s min") % {"h": hours, "m": minutes} if hours else f"{minutes} min"


def _percent(factor: float | None) -> str:
    return "" if factor is None else f"{number_format(round(factor * 100), 0)} %"


def _sensor(has_filament: object) -> str:
    texts = {True: _("Filament present"), False: _("No filament"), None: ""}
    return next(text for value, text in texts.items() if value is has_filament)
