"""Extrusion (E) values: filament diameter, length or volume.

Slicers state the diameter in comments, each in its own words; some state a volume alone, from which
and the length that is laid down the diameter follows. M200 makes firmware read E as mm^3.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FILAMENT_DIAMETER = 1.75  # mm, where neither the caller nor the file says
ULTIMAKER_DIAMETER = 2.85  # mm, of all printers that read the flavours Griffin and UltiGCode
COMMON_DIAMETERS = (1.75, 2.85, 3.0)  # mm
ROUNDED = 0.025  # a computed diameter this near to a common one, as a share, is that one
PLAUSIBLE = (0.5, 10.0)  # mm
MAX_TOOLS = 32
ENDS_READ = (
    1 << 16
)  # bytes at either end of a file in which slicers state what holds from its start

_NUMBER = rb"\d{1,6}(?:\.\d{1,9})?"
# PrusaSlicer, Slic3r, OrcaSlicer, Bambu Studio: filament_diameter = 1.75,1.75 (or with a colon);
# Simplify3D: filamentDiameters,1.75|1.75; ideaMaker: Filament Diameter #2: 1.75;
# KISSlicer: fiber_dia_mm = 1.75; Cura's settings: material_diameter = 2.85
DIAMETER = re.compile(
    rb";\s*(?:FILAMENT[ _]?DIAMETERS?|FIBER_DIA_MM|MATERIAL_DIAMETER)(?:_MM)?"
    rb"\s*(?:#\s*(?P<number>[1-9]\d?))?\s*[=:,]\s*(?P<list>%s(?:\s*[,;|]\s*%s)*)(?![\d.])"
    % (_NUMBER, _NUMBER)
)
VOLUME_USED = re.compile(
    rb";\s*EXTRUDER_TRAIN\.(?P<tool>\d{1,2})\.MATERIAL\.VOLUME_USED\s*:\s*(?P<volume>%s)" % _NUMBER
)
# Slic3r: filament used = 1234.5mm (2.97cm3)
LENGTH_AND_VOLUME = re.compile(
    rb";\s*FILAMENT USED\s*=\s*(?P<length>%s)\s*MM\s*\((?P<volume>%s)\s*CM3\)" % (_NUMBER, _NUMBER)
)
FLAVOUR = re.compile(rb";\s*(?:GCODE_)?FLAVOR\s*[=:]\s*(?P<name>[A-Z0-9()_ ]+)")
VOLUMETRIC = re.compile(rb";\s*USE_VOLUMETRIC_E\s*[=:]\s*1\s*\Z")
SPLIT = re.compile(rb"\s*[,;|]\s*")
STATEMENT = re.compile(rb"^[ \t]*;[^\n]*(?:DIA|FLAVOR|VOLUM|FILAMENT USED)[^\n]*", re.MULTILINE)
# What RepRapFirmware alone reads, what names it, or an M203 whose comment states the unit
REPRAPFIRMWARE = re.compile(
    rb"^[ \t]*(?:M(?:566|568|98)(?: |$)|;[^\n]*REPRAPFIRMWARE|M203 [^\n]*;[^\n]*MM ?/ ?MIN\b)",
    re.MULTILINE,
)


@dataclass
class Filament:
    """What a file's comments and M200 state of its filament.

    diameter         : mm, known from elsewhere than the file; None where it is not
    volumetric       : whether E is mm^3 without M200
    feeds_per_minute : whether limits of speed are in mm/min, as RepRapFirmware reads them
    """

    diameter: float | None = None
    volumetric: bool = False
    feeds_per_minute: bool = False
    _flavour: bytes = b""
    _stated: dict[int, float] = field(default_factory=dict)
    _volumes: dict[int, float] = field(default_factory=dict)  # mm^3
    _firmware: dict[int, float] = field(default_factory=dict)  # mm, of M200 D, by tool
    _by_volume: dict[int, bool] = field(default_factory=dict)  # whether M200 is in force, by tool
    _computed: float | None = None

    def look_through(self, path: Path, upper: bytes) -> None:
        """Read what both ends of a file state; upper : a table that makes text upper case."""
        with path.open("rb") as file:
            texts = [file.read(ENDS_READ)]
            size = path.stat().st_size
            if size > ENDS_READ:
                file.seek(max(ENDS_READ, size - ENDS_READ))
                texts.append(file.read(ENDS_READ))
        for text in texts:
            text = text.translate(upper)
            self.feeds_per_minute |= REPRAPFIRMWARE.search(text) is not None
            for match in STATEMENT.finditer(text):
                self.read_comment(match[0].strip())

    def read_comment(self, line: bytes) -> None:
        """Take in a comment, in upper case."""
        if b"DIA" in line and (match := DIAMETER.match(line)):
            self._state(match)
        elif b"VOLUM" in line and (match := VOLUME_USED.match(line)):
            self._volumes[int(match["tool"])] = float(match["volume"])
        elif b"VOLUM" in line and VOLUMETRIC.match(line):
            self.volumetric = True
        elif b"FILAMENT USED" in line and (match := LENGTH_AND_VOLUME.match(line)):
            length, volume = float(match["length"]), 1000.0 * float(match["volume"])
            self._computed = _diameter_of(volume, length) or self._computed
        if b"FLAVOR" in line and (match := FLAVOUR.match(line)):
            self._flavour = match["name"].strip()
            self.volumetric |= self._flavour == b"ULTIGCODE" or b"VOLUMETRIC" in self._flavour
            self.feeds_per_minute |= self._flavour in (b"REPRAP", b"REPRAPFIRMWARE")

    def _state(self, match: re.Match[bytes]) -> None:
        values = [float(value) for value in SPLIT.split(match["list"])][:MAX_TOOLS]
        first = int(match["number"]) - 1 if match["number"] else 0
        if first == 0 and not match["number"]:
            self._stated = {}
        for tool, value in enumerate(values, first):
            if PLAUSIBLE[0] <= value <= PLAUSIBLE[1]:
                self._stated[tool] = value

    def set_volumetric(self, words: Mapping[bytes, float], tool: int) -> None:
        """M200: D is a diameter, 0 to read lengths again; S turns volumes on and off; T a tool."""
        tool = int(words.get(b"T", tool))
        diameter = words.get(b"D")
        if diameter is not None:
            self._by_volume[tool] = diameter > 0.0
            if diameter > 0.0:
                self._firmware[tool] = min(max(diameter, PLAUSIBLE[0]), PLAUSIBLE[1])
        if b"S" in words:
            self._by_volume[tool] = words[b"S"] > 0.0

    def length_of_unit(self, tool: int) -> float:
        """mm of filament that an E of 1 is with this tool."""
        if not self._by_volume.get(tool, self.volumetric):
            return 1.0
        return 1.0 / area(self._firmware.get(tool) or self._known(tool) or self._default())

    def _known(self, tool: int) -> float | None:
        """mm, as far as it is known before the file's end."""
        stated = self._stated.get(tool) or self._stated.get(0)
        return self.diameter or stated or self._firmware.get(tool)

    def _default(self) -> float:
        return (
            ULTIMAKER_DIAMETER if self._flavour in (b"GRIFFIN", b"ULTIGCODE") else FILAMENT_DIAMETER
        )

    def diameters(self, lengths: NDArray[np.float64]) -> NDArray[np.float64]:
        """(tools,) mm; lengths : (tools,) mm, that each tool laid down."""
        return np.array([self._diameter(tool, mm) for tool, mm in enumerate(lengths.tolist())])

    def _diameter(self, tool: int, length: float) -> float:
        if known := self._known(tool):
            return known
        used = 0.0 if self.volumetric else self._volumes.get(tool, 0.0)
        return _diameter_of(used, length) or self._computed or self._default()


def area(diameter: Any) -> Any:
    """mm^2, of a filament's section."""
    return math.pi / 4.0 * diameter**2


def _diameter_of(volume: float, length: float) -> float | None:
    """mm, of filament with this volume in mm^3 and length in mm; None where that is implausible."""
    if volume <= 0.0 or length <= 0.0:
        return None
    diameter = math.sqrt(4.0 * volume / (math.pi * length))
    for common in COMMON_DIAMETERS:
        if abs(diameter - common) <= ROUNDED * common:
            return common
    return diameter if PLAUSIBLE[0] <= diameter <= PLAUSIBLE[1] else None
