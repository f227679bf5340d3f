"""The commands that state limits of speed and acceleration.

Marlin: M201 (mm/s^2), M203 (mm/s), M204, M205 (jerk, or junction deviation), M220.
RepRapFirmware: the same, but M203 in mm/min, and M566 (jerk, mm/min).
Klipper: SET_VELOCITY_LIMIT, RESET_VELOCITY_LIMIT. Its ACCEL_TO_DECEL and MINIMUM_CRUISE_RATIO,
which only slow short zigzags down, are left out.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

MIN_RATE = 1e-3  # mm/s and mm/s^2: less is nothing at which a print ends
AXES = ((b"X", "x"), (b"Y", "y"), (b"Z", "z"), (b"E", "e"))
KLIPPER_WORD = re.compile(rb"([A-Z_]+)\s*=\s*\"?(\d{1,9}(?:\.\d{1,9})?)\"?(?=\s|\Z)")


class Change(NamedTuple):
    """A setting of `gcode.machine.SETTINGS` and its new value; None is the one at first."""

    name: str
    value: float | None


def read_command(
    code: int, words: Mapping[bytes, float], *, feeds_per_minute: bool
) -> Iterator[Change]:
    """What one of the M commands 201, 203, 204, 205, 220 and 566 changes.

    feeds_per_minute : whether M203 is in mm/min
    """
    if code == 201:
        yield from _by_axis("acceleration", words, 1.0)
    elif code == 203:
        yield from _by_axis("speed", words, 60.0 if feeds_per_minute else 1.0)
    elif code == 204:
        for letter, name in ((b"P", "print"), (b"T", "travel"), (b"R", "retract")):
            otherwise = words.get(b"S", 0.0) if letter != b"R" else 0.0
            if (value := words.get(letter, otherwise)) > 0:
                yield Change(f"{name}_acceleration", value)
    elif code == 205:
        yield from _jerk(words, 1.0)
    elif code == 566:
        yield from _jerk(words, 60.0)
    elif code == 220 and words.get(b"S", 0.0) > 0:
        yield Change("speed_factor", words[b"S"] / 100.0)


def _by_axis(name: str, words: Mapping[bytes, float], unit: float) -> Iterator[Change]:
    for letter, axis in AXES:
        if words.get(letter, 0.0) > 0:
            yield Change(f"{name}_{axis}", words[letter] / unit)


def _jerk(words: Mapping[bytes, float], unit: float) -> Iterator[Change]:
    x, y = words.get(b"X", 0.0) / unit, words.get(b"Y", 0.0) / unit
    if x > 0:
        yield Change("jerk", x)
    if x > 0 or y > 0:
        yield Change("jerk_y", y if y > 0 and y != x else 0.0)
        yield Change("junction_deviation", 0.0)
    for letter, name in ((b"Z", "jerk_z"), (b"E", "jerk_e")):
        if words.get(letter, 0.0) > 0:
            yield Change(name, words[letter] / unit)
    if unit == 1.0 and words.get(b"J", 0.0) > 0:
        yield Change("junction_deviation", words[b"J"])


def read_klipper(line: bytes) -> Iterator[Change]:
    """What a line SET_VELOCITY_LIMIT or RESET_VELOCITY_LIMIT, in upper case, changes."""
    accelerations = ("print_acceleration", "travel_acceleration")
    if line.startswith(b"RESET_"):
        for name in (*accelerations, "speed", "jerk", "jerk_y", "junction_deviation"):
            yield Change(name, None)
        return
    words = {name: float(value) for name, value in KLIPPER_WORD.findall(line)}
    if words.get(b"VELOCITY", 0.0) > 0:
        yield Change("speed", words[b"VELOCITY"])
    if words.get(b"ACCEL", 0.0) > 0:
        for name in accelerations:
            yield Change(name, words[b"ACCEL"])
    if b"SQUARE_CORNER_VELOCITY" in words:
        yield Change("jerk", max(words[b"SQUARE_CORNER_VELOCITY"], MIN_RATE))
        yield Change("jerk_y", 0.0)
        yield Change("junction_deviation", 0.0)
