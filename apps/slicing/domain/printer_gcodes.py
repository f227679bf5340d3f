"""Confirmed G-code of printers: where it is used, and the settings of its test slice."""

import re
from collections.abc import Mapping

from apps.slicing.configs.base import RawConfigErrors
from apps.slicing.configs.extruders import for_extruder
from apps.slicing.configs.placeholders import FIELDS, ini_value
from apps.slicing.configs.presets import flattened
from apps.slicing.domain.catalogue import catalogue
from apps.slicing.engines.base import SliceFailed
from apps.slicing.models import PrinterGcode
from gcode import Figures

# Degrees Celsius that no printer of the catalogues is built for.
MAX_NOZZLE, MAX_BED = 350.0, 140.0
HEATING = re.compile(r"^\s*M10[49]\b([^;\n]*)", re.MULTILINE)
TARGET = re.compile(r"[SR]\s*[1-9{\[]")  # that is not 0


def with_gcode(settings: Mapping[str, str], row: PrinterGcode) -> dict[str, str]:
    """Return settings with the confirmed G-code; one that is empty stays the preset's."""
    texts = {field: getattr(row, field) for field in FIELDS}
    return {**settings, **{field: ini_value(text) for field, text in texts.items() if text}}


def settings_of_test(row: PrinterGcode) -> dict[str, str]:
    """Return the settings of the test slice: the printer's own print and filament.

    Raises SliceFailed, and Unavailable without the engine.
    """
    read = catalogue()
    printer = read.by_key.get(row.preset_uuid)
    if printer is None or not printer.usable:
        title = f"The preset {row.preset_name} is not installed any more, or not usable."
        raise SliceFailed("preset-not-usable", title)
    print_, filament = read.defaults_of(printer)
    if print_ is None or filament is None:
        title = f"The preset {printer.name} has no usable print and filament."
        raise SliceFailed("preset-not-usable", title)
    try:
        raw = flattened(read.triple(printer, print_, filament), read.known)
    except RawConfigErrors as refused:
        raise SliceFailed("preset-not-usable", str(refused)) from refused
    return with_gcode(for_extruder(raw.settings, 1), row)


def check_heat(figures: Figures, start_gcode: str) -> None:
    """Raise SliceFailed where the test slice heats too much, or the start leaves the nozzle cold.

    PrusaSlicer heats by itself where the start G-code has no command for the nozzle.
    """
    nozzle = figures.highest_nozzle_temperature or 0.0
    bed = figures.highest_bed_temperature or 0.0
    for name, highest, limit in (("nozzle", nozzle, MAX_NOZZLE), ("bed", bed, MAX_BED)):
        if highest > limit:
            title = f"The G-code heats the {name} to {highest:g} °C: at most {limit:g} °C may be."
            raise SliceFailed("too-hot", f"{title} Correct the temperature in its line.")
    commands = HEATING.findall(start_gcode)
    is_heated = not commands or any(TARGET.search(each) for each in commands)
    if not is_heated and "temperature" not in start_gcode:  # which a macro may be handed
        title = "The start G-code only switches the nozzle's heater off, and heats it nowhere."
        raise SliceFailed(
            "not-heated", f"{title} Add M109 with the temperature of the first layer."
        )
