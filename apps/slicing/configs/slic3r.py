"""Reads a config of the Slic3r family: one exported ini file, of any age."""

import math
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from apps.slicing.configs import base, text
from apps.slicing.configs.base import Entry, Note, RawConfig, RawConfigError, RawConfigErrors

PATTERNS = ("top_fill_pattern", "bottom_fill_pattern")
# What older versions called it.
RENAMED = {
    "solid_fill_pattern": PATTERNS,
    "external_fill_pattern": PATTERNS,
    "top_infill_pattern": PATTERNS[:1],
    "bottom_infill_pattern": PATTERNS[1:],
    "seal_position": ("seam_position",),
    "bed_size": ("bed_shape",),
}
# Settings of a filament that stand in for the printer's. The list of all settings leaves them
# out, because they have no values of their own.
OF_FILAMENT = (
    "filament_deretract_speed",
    "filament_retract_before_travel",
    "filament_retract_before_wipe",
    "filament_retract_layer_change",
    "filament_retract_length",
    "filament_retract_lift",
    "filament_retract_lift_above",
    "filament_retract_lift_below",
    "filament_retract_restart_extra",
    "filament_retract_speed",
    "filament_wipe",
)
NOT_USED = {
    "output_filename_format": "the platform names the file",
    "threads": "the platform decides how many there are",
    "gcode_comments": "the platform decides what is said in the gcode",
    "binary_gcode": "gcode is text here",
    "thumbnails": "gcode has no pictures here",
    "thumbnails_format": "gcode has no pictures here",
    "post_process": "no program is run on the gcode",
    "printer_technology": "prints are of filament",
    "serial_port": "slicing talks to no printer",
    "serial_speed": "slicing talks to no printer",
    "host_type": "slicing talks to no printer",
}
TALKS = ("print_host", "printhost_", "octoprint_")
FOLLOWERS = {
    "first_layer_temperature": "temperature",
    "first_layer_bed_temperature": "bed_temperature",
}
NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d{1,3})?%?")
# A corner without its x, such as AnkerMake's 235-0 in 2.9.2: the engine reads 235x0.
HALF_CORNER = re.compile(r"\s*(\d+(?:\.\d*)?)-\d+(?:\.\d*)?\s*")
# What may stand behind a number: the engine reads no further.
BEHIND = re.compile(r"(?<=[\d.%l])\s*[;#].*", re.DOTALL)
NIL = "nil"  # of a filament's setting: the printer's counts
LARGEST = 1e9  # no setting means more
MOST_CORNERS = 1000  # of a bed; makers' round ones have up to 144


def read(content: str, *, defaults: Mapping[str, str], own: Mapping[str, str]) -> RawConfig:
    """The settings of an exported ini file, on top of our own.

    defaults : every setting that the engine knows, with the value it has by itself
    own      : what is sent where the file says nothing

    Raises RawConfigErrors.
    """
    chosen, notes, faults = choose(text.entries(text.clean(content)), defaults)
    if not chosen and not faults:
        title = (
            "None of this is a setting of PrusaSlicer: send an ini file as it is exported, lines "
            "of key = value."
        )
        faults.append(base.unreadable(None, title))
    if not faults:
        settings = _on_top(own, {key: entry.value for key, entry in chosen.items()})
        faults += layer_faults(chosen, settings)
    if faults:
        raise RawConfigErrors(faults)
    return RawConfig(settings, notes)


class Chosen(NamedTuple):
    """What is used of what was written, what is not, and what is wrong with it."""

    entries: dict[str, Entry]
    notes: list[Note]
    faults: list[RawConfigError]


def choose(
    written: Iterable[Entry],
    defaults: Mapping[str, str],
    *,
    renamed: Mapping[str, tuple[str, ...]] = RENAMED,
) -> Chosen:
    """The settings that the engine knows and that may be used, as it reads them.

    defaults : every setting that the engine knows, with the value it has by itself
    renamed  : what is read by another name
    """
    notes: list[Note] = []
    faults: list[RawConfigError] = []
    chosen: dict[str, Entry] = {}
    for one in written:
        faults += _forbidden(one)
        if reason := _not_used(one.key):
            if one.value != defaults.get(one.key, ""):
                notes.append(Note(one.line, one.key, f"Not used: {reason}."))
            continue
        read = _as_read(one, defaults)
        if one.key == "bed_shape" and read != one:
            notes.append(Note(one.line, one.key, f"Read as {read.value}: a corner has no x."))
        for entry in _renamed(read, renamed):
            if entry.key not in defaults and entry.key not in OF_FILAMENT:
                title = "Not used: the installed PrusaSlicer has no such setting."
                notes.append(Note(entry.line, one.key, title))
                continue
            if not entry.value and _needs_value(entry.key, defaults):
                notes.append(Note(entry.line, one.key, "Not used: it is empty."))
                continue
            if entry.key in chosen:
                title = f"Not used: line {entry.line} sets it again."
                notes.append(Note(chosen[entry.key].line, entry.key, title))
            faults += _value_faults(entry, defaults)
            chosen[entry.key] = entry
    return Chosen(chosen, notes, faults)


def is_sent(key: str) -> bool:
    """Whether a setting is the config's to choose, and not the platform's."""
    return _not_used(key) is None


def numbers(value: str) -> list[float] | None:
    """The numbers of a list, percent signs left off; None where one is none, or endless."""
    words = [word.strip() for word in value.split(",")]
    if not all(NUMBER.fullmatch(word) for word in words):
        return None
    found = [float(word.rstrip("%")) for word in words]
    return found if all(map(math.isfinite, found)) else None


@lru_cache(maxsize=1000)
def bed_outline(bed_shape: str) -> tuple[tuple[float, float], ...] | None:
    """The corners of a bed, mm; None where it is no polygon, or one of too many."""
    if bed_shape.count(",") >= MOST_CORNERS:
        return None
    points = [numbers(point.replace("x", ",")) for point in bed_shape.split(",")]
    if len(points) < 3 or not all(point and len(point) == 2 for point in points):
        return None
    return tuple((x, y) for x, y in points)  # type: ignore[misc]


def whole_corners(bed_shape: str) -> str:
    """Return a bed's corners with the x that is missing in some, as the engine reads them."""
    if bed_shape.count(",") >= MOST_CORNERS:
        return bed_shape
    corners = bed_shape.split(",")
    halves = [HALF_CORNER.fullmatch(corner) for corner in corners]
    return ",".join(
        f"{half[1]}x0" if half else corner for corner, half in zip(corners, halves, strict=True)
    )


def bounds_of(outline: Iterable[tuple[float, float]]) -> tuple[float, float, float, float]:
    """(left, front, right, back) of a bed, mm."""
    across, along = zip(*outline, strict=True)
    return min(across), min(along), max(across), max(along)


def _not_used(key: str) -> str | None:
    return "slicing talks to no printer" if key.startswith(TALKS) else NOT_USED.get(key)


def _forbidden(entry: Entry) -> Iterable[RawConfigError]:
    if entry.key == "post_process" and entry.value.strip('"; \n'):
        title = "programs are not run on the gcode here: remove the setting."
        yield base.forbidden(entry, title)
    if entry.key == "printer_technology" and entry.value != "FFF":
        yield base.invalid(entry, "only printers that lay down filament (FFF) are sliced for.")


def _is_number(key: str, defaults: Mapping[str, str]) -> bool:
    """Whether a setting's values are numbers."""
    return key in OF_FILAMENT or numbers(defaults.get(key, "")) is not None


def _needs_value(key: str, defaults: Mapping[str, str]) -> bool:
    """Whether an empty value is an empty list, of which the engine still reads the first value.

    PrusaSlicer's window takes its default instead; its command line reads beyond the list's end.
    """
    default = defaults.get(key, "")
    texts = default.startswith('"') or key.startswith("filament_")
    return _is_number(key, defaults) or (texts and bool(default))


def _as_read(entry: Entry, defaults: Mapping[str, str]) -> Entry:
    """The entry as the engine reads it: a number ends where something else begins."""
    if entry.key == "bed_shape":
        return entry._replace(value=whole_corners(entry.value))
    if not _is_number(entry.key, defaults):
        return entry
    return entry._replace(value=BEHIND.sub("", entry.value))


def _renamed(entry: Entry, names: Mapping[str, tuple[str, ...]]) -> list[Entry]:
    """The entry as today's version has it: its name, and the spelling of its value."""
    value = entry.value.replace("\n", "\\n")
    if entry.key == "fill_density" and (share := numbers(value)) and "%" not in value:
        value = f"{share[0] * 100 if share[0] <= 1 else share[0]:.6g}%"
    if entry.key == "bed_size":
        width, _, depth = value.partition(",")
        value = f"0x0,{width}x0,{width}x{depth},0x{depth}"
    return [entry._replace(key=key, value=value) for key in names.get(entry.key, (entry.key,))]


def _value_faults(entry: Entry, defaults: Mapping[str, str]) -> Iterable[RawConfigError]:
    """PrusaSlicer itself would take 0 for a number that it cannot read, in silence."""
    if len(entry.value.encode()) > base.LONGEST_VALUE:
        yield base.invalid(entry, f"it is longer than {base.LONGEST_VALUE:,} bytes.")
    elif entry.key == "bed_shape":
        outline = bed_outline(entry.value)
        if outline is None:
            yield base.invalid(entry, "write corners like 0x0,250x0,250x250,0x250.")
        elif not all(10 <= side <= 10_000 for side in _sides(bounds_of(outline))):
            yield base.invalid(entry, "a bed's sides are 10 to 10,000 mm long.")
    elif _is_number(entry.key, defaults):
        nils = entry.key in OF_FILAMENT
        values = numbers(entry.value.replace(NIL, "0") if nils else entry.value)
        if values is None:
            yield base.invalid(entry, f"{entry.value[:100]!r} is not a number.")
        elif not all(abs(value) <= LARGEST for value in values):
            yield base.invalid(entry, f"{entry.value[:100]} is too large a number.")


def _sides(bounds: tuple[float, float, float, float]) -> tuple[float, float]:
    left, front, right, back = bounds
    return right - left, back - front


def _on_top(own: Mapping[str, str], chosen: Mapping[str, str]) -> dict[str, str]:
    settings = {**own, **chosen}
    for follower, leader in FOLLOWERS.items():
        if leader in chosen and follower not in chosen:
            settings[follower] = chosen[leader]
    if "nozzle_diameter" in chosen:  # left out, the engine chooses widths that suit it
        for width in ("extrusion_width", "first_layer_extrusion_width"):
            if width not in chosen:
                del settings[width]
    if "fill_density" in chosen and "fill_pattern" not in chosen:
        full = (numbers(settings["fill_density"]) or [0.0])[0] >= 100
        settings["fill_pattern"] = "rectilinear" if full else own["fill_pattern"]
    if (numbers(settings["max_print_height"]) or [0.0])[0] <= 0:  # the engine's word for no limit
        settings["max_print_height"] = own["max_print_height"]
    return dict(sorted(settings.items()))


def layer_faults(
    chosen: Mapping[str, Entry], settings: Mapping[str, str]
) -> Iterable[RawConfigError]:
    """Layers, of the settings that are sent, that no slice would end of."""
    (build_height, *_) = numbers(settings["max_print_height"]) or [math.inf]
    for key in ("layer_height", "first_layer_height"):
        entry = chosen.get(key, Entry(None, key, settings[key]))
        if "%" not in settings[key]:
            (height, *_) = numbers(settings[key]) or [0.0]
            yield from base.layer_faults(entry, height, build_height)
