"""Rejects gcode that heats more than the printer may, or whose heater commands cannot be read.

Firmwares read a line in different ways: blanks within a number, words that are repeated, several
commands in a line, comments in parentheses. A line is checked with the highest of the values that
any of them may take from it. The commands of Marlin, Klipper and RepRapFirmware are known; macros
of Klipper are checked by the names of their parameters.
"""

import re
from collections.abc import Iterator
from io import TextIOWrapper
from math import isnan
from typing import BinaryIO

from machines.drivers import Rejected

MAX_LINE = 1 << 16  # characters
# Lines that only move, or say nothing: nearly all of a file.
_HARMLESS = re.compile(
    r'[ \t]*(?:N[ \t]*\d+[ \t]*)?(?:G[ \t]*0*[0-3](?![\d.])[^MGN;"=_\n]*)?(?:;[^"\n]*)?\n?', re.I
).fullmatch
# M104, M109: nozzle. M140, M190: bed. M141, M191: chamber. M143: a heater's limit. M303: tuning.
# M568 and G10: a tool's temperatures.
_COMMAND = re.compile(r"(?:M0*(104|109|140|190|141|191|143|303|568)|G0*(10))(?:\.\d+)?(?!\d)")
_BED = frozenset({"140", "190", "141", "191"})
_TUNES_BED = re.compile(r"E-|[BH]0*(?!\d)")
_VALUE = re.compile(r"[SR]([^A-Z*();]*)(?=([A-Z]?))")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)").fullmatch
# Commands of Klipper that heat, and parameters of its commands and macros that are temperatures.
_HEATS = re.compile(r"\b(?:SET_HEATER_TEMPERATURE|TEMPERATURE_WAIT|(?:PID|MPC)_CALIBRATE)\b")
_PARAMETER = re.compile(r"(\w+)\s*=\s*(\"[^\"]*\"|\S*)")
_TEMPERATURE = re.compile(r"TEMP|TARGET|MINIMUM|MAXIMUM|EXTRUDER|HOTEND|NOZZLE|BED|CHAMBER")


def check_file(file: BinaryIO, *, nozzle: float, bed: float) -> None:
    """Raise Rejected for gcode that heats above these degrees Celsius, whatever ends its lines."""
    text = TextIOWrapper(file, "latin-1")
    try:
        while line := text.readline(MAX_LINE + 1):
            if len(line) > MAX_LINE:
                raise Rejected(f"A line of the file is longer than {MAX_LINE} characters.")
            check_line(line, nozzle=nozzle, bed=bed)
    finally:
        text.detach()


def check_line(line: str, *, nozzle: float, bed: float) -> None:
    """Raise Rejected for a line of gcode that heats above these degrees Celsius."""
    if _HARMLESS(line):
        return
    code, _, _ = line.partition(";")
    if '"' in code:  # in quotes a semicolon begins no comment
        code = line
    code = code.upper()
    for part, degrees in (*_of_commands(code), *_of_parameters(code)):
        limit = nozzle if part == "nozzle" else bed
        if degrees is None or isnan(degrees):
            raise Rejected(f"{line.strip()[:60]!r} heats, and its temperature cannot be read.")
        if degrees > limit:
            raise Rejected(
                f"The file heats the {part} to {degrees:g} degrees: at most {limit:g} is allowed."
            )


def _of_commands(code: str) -> Iterator[tuple[str, float | None]]:
    """Yield what numbered commands heat, and to which temperature; None if it is no number."""
    compact = "".join(letter for letter in code if "!" <= letter <= "~")
    for text in {code, compact}:
        for command in _COMMAND.finditer(text):
            arguments = text[command.end() :]
            on_bed = command[1] in _BED or (command[1] == "303" and _TUNES_BED.search(arguments))
            for value, following in _VALUE.findall(arguments):
                exponent = following == "E" and value[-1:].isdigit() and text is code
                degrees = None if exponent else _degrees(value, following)
                yield "bed" if on_bed else "nozzle", degrees


def _of_parameters(code: str) -> Iterator[tuple[str, float | None]]:
    """Yield the same for commands with named parameters, `NAME=value`."""
    pairs = [(name, value.strip('"')) for name, value in _PARAMETER.findall(code)]
    heats = _HEATS.search(code) is not None
    on_bed = any(name in ("HEATER", "SENSOR") and "BED" in value for name, value in pairs)
    for name, value in pairs:
        if name in ("HEATER", "SENSOR") or not _TEMPERATURE.search(name):
            continue
        part = "bed" if on_bed or re.search("BED|CHAMBER", name) else "nozzle"
        try:
            yield part, float(value)
        except ValueError:
            if heats:
                yield part, None


def _degrees(value: str, following: str) -> float | None:
    """Return the number of a word; `following` is the next letter, which may belong to it."""
    value = value.strip()
    if following == "X" or not _NUMBER(value):  # strtod() reads hexadecimal numbers
        return None
    return float(value)
