"""State of a Bambu Lab printer, merged from its partial reports."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from agent.http_client import nested, number_within
from machines.drivers import (
    FilamentTray,
    HeaterTemperature,
    MachineDetails,
    MachineStatus,
)

MAX_TEXT = 200  # characters
MAX_UNITS, MAX_TRAYS = 8, 4  # filament changers, and trays of each
EXTERNAL, FIRST_SINGLE = 254, 128  # numbers of the external spool, and of changers with one tray
MAX_HMS = MAX_LIGHTS = 10
STOPPED_ERRORS = (0x0300400C, 0x0500400E)  # the print was cancelled
# `err_code` of a reply, and an entry of `hms`, where commands of other programs are rejected.
COMMANDS_OFF, COMMANDS_OFF_HMS = 0x05024007, (0x05000500, 0x00010007)

_STATES = {
    "IDLE": MachineStatus.IDLE,
    "PREPARE": MachineStatus.BUSY,
    "SLICING": MachineStatus.BUSY,
    "INIT": MachineStatus.BUSY,
    "RUNNING": MachineStatus.PRINTING,
    "PAUSE": MachineStatus.PAUSED,
    "FINISH": MachineStatus.DONE,
}
_FIELDS = (
    "gcode_state",
    "gcode_file",
    "subtask_name",
    "print_error",
    "mc_percent",
    "mc_remaining_time",
    "layer_num",
    "total_layer_num",
    "spd_mag",
    "nozzle_temper",
    "nozzle_target_temper",
    "bed_temper",
    "bed_target_temper",
    "chamber_temper",
)
_TRAY_FIELDS = ("tray_type", "tray_color", "remain")


class _Tray(NamedTuple):
    """A tray; number: as commands name it."""

    number: int
    slot: str
    fields: dict[str, object]


class BambuReport:
    """What a printer has reported. Everything in a report is checked where it is read."""

    def __init__(self) -> None:
        self._values: dict[str, object] = {}
        self._trays: dict[int, _Tray] = {}
        self._active: int | None = None
        self._hms: list[tuple[int, int]] = []
        self.light: str | None = None  # chamber light: on or off

    def merge(self, report: Mapping[str, object]) -> None:
        """Take over what a report has; P1 and A1 report only what has changed."""
        for name in _FIELDS:
            if isinstance(value := report.get(name), str | int | float):
                self._values[name] = value[:MAX_TEXT] if isinstance(value, str) else value
        if isinstance(rows := report.get("hms"), list):
            codes = ((_int(nested(row, "attr")), _int(nested(row, "code"))) for row in rows)
            self._hms = [(attr, code) for attr, code in codes if attr and code][:MAX_HMS]
        for row in _rows(report.get("lights_report"))[:MAX_LIGHTS]:
            if nested(row, "node") == "chamber_light" and nested(row, "mode") in ("on", "off"):
                self.light = nested(row, "mode")
        changers = report.get("ams")
        for unit in _rows(nested(changers, "ams"))[:MAX_UNITS]:
            if (number := _int(nested(unit, "id"))) is not None:
                self._merge_changer(number, _rows(nested(unit, "tray"))[:MAX_TRAYS])
        if (active := _int(nested(changers, "tray_now"))) is not None:
            self._active = active
        if isinstance(spool := report.get("vt_tray"), dict):
            self._merge_tray(EXTERNAL, "external", spool)

    def _merge_changer(self, unit: int, trays: Sequence[object]) -> None:
        for row in trays:
            index = _int(nested(row, "id"))
            if index is None or not isinstance(row, dict) or not 0 <= index < MAX_TRAYS:
                continue
            if FIRST_SINGLE <= unit < FIRST_SINGLE + MAX_UNITS:
                letter = chr(ord("A") + unit - FIRST_SINGLE)
                self._merge_tray(unit, f"HT-{letter}", row)
            elif 0 <= unit < MAX_UNITS:
                letter = chr(ord("A") + unit)
                self._merge_tray(unit * MAX_TRAYS + index, f"{letter}{index + 1}", row)

    def _merge_tray(self, number: int, slot: str, row: Mapping[str, object]) -> None:
        if set(row) <= {"id", "state"}:  # it was emptied
            self._trays.pop(number, None)
            return
        before = self._trays.get(number)
        fields = {name: row[name] for name in _TRAY_FIELDS if name in row}
        self._trays[number] = _Tray(number, slot, {**(before.fields if before else {}), **fields})

    # ---------------------------------------------------------------- state

    @property
    def is_complete(self) -> bool:
        """Whether the state was reported: a partial report may say nothing of it."""
        return "gcode_state" in self._values

    @property
    def doing(self) -> MachineStatus:
        """What the printer does. FAILED is also the state after a person's stop."""
        word = self._values.get("gcode_state")
        if word == "FAILED":
            stopped = self._error in (0, *STOPPED_ERRORS)  # 0: a person has confirmed the error
            return MachineStatus.STOPPED if stopped else MachineStatus.FAILED
        return _STATES.get(str(word), MachineStatus.ATTENTION)

    @property
    def job(self) -> str:
        """Name of the print, as it was started; of a file at the printer without its suffix."""
        name = self._text("subtask_name") or self._text("gcode_file").rpartition("/")[2]
        return name.removesuffix(".3mf")

    @property
    def rejects_commands(self) -> bool:
        return COMMANDS_OFF_HMS in self._hms

    @property
    def text(self) -> str:
        """The error of the printer, else its state."""
        if self._error:
            return f"Error {error_code(self._error)}: the printer's display says what to do."
        return str(self._values.get("gcode_state", "")).lower()

    @property
    def progress(self) -> float | None:
        percent = number_within(self._values.get("mc_percent"), 100)
        return None if percent is None else percent / 100

    @property
    def details(self) -> MachineDetails:
        minutes = number_within(self._values.get("mc_remaining_time"), 100_000)
        speed = number_within(self._values.get("spd_mag"), 10_000)
        return MachineDetails(
            layer=self._layer("layer_num"),
            layers=self._layer("total_layer_num"),
            seconds_left=None if minutes is None else minutes * 60,
            speed=None if speed is None else speed / 100,
        )

    @property
    def temperatures(self) -> tuple[HeaterTemperature, ...]:
        rows = (
            (
                heater,
                number_within(self._values.get(f"{heater}_temper"), 2000, -300),
                number_within(self._values.get(f"{heater}_target_temper"), 2000),
            )
            for heater in ("nozzle", "bed", "chamber")
        )
        return tuple(HeaterTemperature(name, at, to) for name, at, to in rows if at is not None)

    # ---------------------------------------------------------------- filament

    @property
    def trays(self) -> tuple[FilamentTray, ...]:
        """Trays with filament."""
        rows = [self._filament(self._trays[number]) for number in sorted(self._trays)]
        return tuple(row for row in rows if row.material)

    def tray_for(self, material: str, color: str) -> int | None:
        """Return the number of the tray to print from; None: several could be meant, or none.

        The one that is loaded counts first, then one of the colour, then the only one. A printer
        without trays prints from the external spool.
        """
        rows = {number: self._filament(tray) for number, tray in self._trays.items()}
        fitting = [
            number
            for number, row in rows.items()
            if row.material and (not material or row.material.upper() == material)
        ]
        if self._active in fitting:
            return self._active
        if not any(row.material for row in rows.values()):
            return EXTERNAL
        colored = [number for number in fitting if (rows[number].color or "").upper() == color]
        chosen = colored if len(colored) == 1 else fitting
        return chosen[0] if len(chosen) == 1 else None

    def _filament(self, tray: _Tray) -> FilamentTray:
        color, material = (tray.fields.get(name) for name in ("tray_color", "tray_type"))
        digits = color[:6] if isinstance(color, str) else ""
        is_color = len(digits) == 6 and all(each in "0123456789abcdefABCDEF" for each in digits)
        left = number_within(tray.fields.get("remain"), 100)
        return FilamentTray(
            tray.slot,
            material.strip()[:40] if isinstance(material, str) else "",
            f"#{digits.lower()}" if is_color else None,
            None if left is None else left / 100,
            tray.number == self._active,
        )

    @property
    def _error(self) -> int:
        return _int(self._values.get("print_error")) or 0

    def _text(self, name: str) -> str:
        value = self._values.get(name)
        return value.strip() if isinstance(value, str) else ""

    def _layer(self, name: str) -> int | None:
        value = _int(self._values.get(name))
        return value if value and 0 < value < 1_000_000 else None


def error_code(number: int) -> str:
    """Return an error number as displays show it: 0300-400C."""
    return f"{number >> 16 & 0xFFFF:04X}-{number & 0xFFFF:04X}"


def _rows(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _int(value: object) -> int | None:
    """Return an integer, also of a short text of digits."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 12:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
