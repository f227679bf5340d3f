"""Parser of Slic3r and PrusaSlicer configs."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import lru_cache
from typing import NamedTuple

from apps.slicing.configs import base, capabilities, text
from apps.slicing.configs.base import Entry, Note, RawConfig, RawConfigError, RawConfigErrors
from apps.slicing.configs.capabilities import NIL, NUMBER, Capabilities
from apps.slicing.configs.translation import RENAMED, translate

# Settings of a filament that stand in for the printer's, where nothing but defaults is known of the
# engine: they have none.
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
# A corner without its x, such as AnkerMake's 235-0 in 2.9.2: the engine reads 235x0.
HALF_CORNER = re.compile(r"\s*(\d+(?:\.\d*)?)-\d+(?:\.\d*)?\s*")
# What may stand behind a number: the engine reads no further.
BEHIND = re.compile(r"(?<=[\d.%l])\s*[;#].*", re.DOTALL)
LARGEST = 1e9  # no setting means more
MAX_CORNERS = 1000  # of a bed; makers' round ones have up to 144


def read(
    content: str,
    *,
    defaults: Mapping[str, str],
    own: Mapping[str, str],
    known: Capabilities | None = None,
) -> RawConfig:
    """The settings of an exported ini file, on top of our own.

    defaults : every setting that the engine knows, with the value it has by itself
    own      : what is sent where the file says nothing
    known    : what else is known of the engine

    Raises RawConfigErrors.
    """
    written = text.entries(text.clean(content))
    chosen, notes, faults = choose(written, defaults, known=known)
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
    return RawConfig(settings, notes, {key: entry.line for key, entry in chosen.items()})


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
    known: Capabilities | None = None,
) -> Chosen:
    """The settings that the engine knows and that may be used, as it reads them.

    defaults : every setting that the engine knows, with the value it has by itself
    renamed  : what is read by another name
    known    : what else is known of the engine; without it values are not translated
    """
    written = list(written)
    notes: list[Note] = []
    faults = [fault for entry in written for fault in _forbidden(entry)]
    entries: list[Entry] = []
    explicit = {entry.key for entry in written}
    for one in written:
        if reason := _not_used(one.key):
            if one.value != defaults.get(one.key, ""):
                notes.append(Note(one.line, one.key, f"Not used: {reason}."))
            continue
        for entry in _renamed(one, renamed):
            if entry.key != one.key and entry.key in explicit:
                title = f"Not used: it is an older name of {entry.key}, which is set as well."
                notes.append(Note(one.line, one.key, title))
            elif entry.key not in defaults and entry.key not in (known or OF_FILAMENT):
                title = "Not used: the installed PrusaSlicer has no such setting."
                notes.append(Note(entry.line, one.key, title))
            else:
                entries.append(entry)
    translated = known is not None
    known = known or _known_of(defaults)
    for place, entry in enumerate(entries):
        entries[place] = read = _as_read(entry, known)
        if entry.key == "bed_shape" and read != entry:
            notes.append(Note(entry.line, entry.key, f"Read as {read.value}: a corner has no x."))
    if translated:
        entries, more = translate(entries, known, written)
        notes += more
    chosen: dict[str, Entry] = {}
    for entry in entries:
        if not entry.value and _needs_value(entry.key, known):
            notes.append(Note(entry.line, entry.key, "Not used: it is empty."))
            continue
        if entry.key in chosen:
            title = f"Not used: line {entry.line} sets it again."
            notes.append(Note(chosen[entry.key].line, entry.key, title))
        faults += _value_faults(entry, known)
        chosen[entry.key] = entry
    notes.sort(key=lambda note: note.line or 0)
    faults.sort(key=lambda fault: fault.line or 0)
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
    if bed_shape.count(",") >= MAX_CORNERS:
        return None
    points = [numbers(point.replace("x", ",")) for point in bed_shape.split(",")]
    if len(points) < 3 or not all(point and len(point) == 2 for point in points):
        return None
    return tuple((x, y) for x, y in points)  # type: ignore[misc]


def whole_corners(bed_shape: str) -> str:
    """Return a bed's corners with the x that is missing in some, as the engine reads them."""
    if bed_shape.count(",") >= MAX_CORNERS:
        return bed_shape
    corners = bed_shape.split(",")
    halves = [HALF_CORNER.fullmatch(corner) for corner in corners]
    return ",".join(
        f"{half[1]}x0" if half else corner for corner, half in zip(corners, halves, strict=True)
    )


def outline_of(settings: Mapping[str, str]) -> tuple[tuple[float, float], ...]:
    """The corners of the bed that settings name, mm; none where they cannot be read."""
    return bed_outline(whole_corners(settings.get("bed_shape", ""))) or ()


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


def _known_of(defaults: Mapping[str, str]) -> Capabilities:
    known = capabilities.of_defaults(defaults)
    of_filament = dict.fromkeys(OF_FILAMENT, "number")
    return replace(known, kinds=of_filament | dict(known.kinds))  # type: ignore[arg-type]


def _needs_value(key: str, known: Capabilities) -> bool:
    """Whether an empty value is an empty list, of which the engine still reads the first value.

    PrusaSlicer's window takes its default instead; its command line reads beyond the list's end.
    """
    default = known.defaults.get(key, NIL)
    if known.is_numeric(key):
        return default != ""
    return default.startswith('"') or (key.startswith("filament_") and default not in ("", NIL))


def _as_read(entry: Entry, known: Capabilities) -> Entry:
    """The entry as the engine reads it: a number ends where something else begins."""
    if entry.key == "bed_shape":
        return entry._replace(value=whole_corners(entry.value))
    if not known.is_numeric(entry.key):
        return entry
    return entry._replace(value=BEHIND.sub("", entry.value))


def _renamed(entry: Entry, names: Mapping[str, tuple[str, ...]]) -> list[Entry]:
    """The entry as today's version has it: its name, and the spelling of its value."""
    value = entry.value.replace("\n", "\\n")
    number = BEHIND.sub("", value)
    if entry.key == "fill_density" and (share := numbers(number)) and "%" not in number:
        value = f"{share[0] * 100 if share[0] <= 1 else share[0]:.6g}%"
    if entry.key == "bed_size":
        width, _, depth = value.partition(",")
        value = f"0x0,{width}x0,{width}x{depth},0x{depth}"
    return [entry._replace(key=key, value=value) for key in names.get(entry.key, (entry.key,))]


def _value_faults(entry: Entry, known: Capabilities) -> Iterable[RawConfigError]:
    """PrusaSlicer itself would take 0 for a number that it cannot read, in silence."""
    key, value = entry.key, entry.value
    if len(value.encode()) > base.MAX_VALUE_LENGTH:
        yield base.invalid(entry, f"it is longer than {base.MAX_VALUE_LENGTH:,} bytes.")
    elif key == "bed_shape":
        outline = bed_outline(value)
        if outline is None:
            yield base.invalid(entry, "write corners like 0x0,250x0,250x250,0x250.")
        elif not all(10 <= side <= 10_000 for side in _sides(bounds_of(outline))):
            yield base.invalid(entry, "a bed's sides are 10 to 10,000 mm long.")
    elif words := known.words.get(key):
        if value not in words:
            yield base.invalid(entry, _unknown_word(value, words))
    elif known.is_numeric(key) and value:
        values = numbers(value.replace(NIL, "0") if known.may_be_nil(key) else value)
        if values is None:
            yield base.invalid(entry, f"{value[:100]!r} is not a number.")
        elif not all(abs(one) <= LARGEST for one in values):
            yield base.invalid(entry, f"{value[:100]} is too large a number.")
        elif known.kinds[key] == "switch" and not set(values) <= {0, 1}:
            yield base.invalid(entry, f"{value[:100]} is neither 0 (off) nor 1 (on).")
        elif "%" in value and known.version and key not in known.shares:
            title = f"{value[:100]} is a percentage: this setting takes a plain number."
            yield base.invalid(entry, title)


def _unknown_word(value: str, words: tuple[str, ...]) -> str:
    nearest = get_close_matches(value[:100].lower(), words, n=1, cutoff=0)
    return f"{value[:100]!r} is not one of: {', '.join(words)}. The nearest one is {nearest[0]!r}."


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
    nozzle = max(numbers(settings.get("nozzle_diameter", "")) or [math.inf])
    for key in ("layer_height", "first_layer_height"):
        entry = chosen.get(key, Entry(None, key, settings[key]))
        if "%" not in settings[key]:
            (height, *_) = numbers(settings[key]) or [0.0]
            yield from base.layer_faults(entry, height, build_height, nozzle)
