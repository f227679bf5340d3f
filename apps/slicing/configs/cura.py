"""Parser of Cura configs."""

import json
import math
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from apps.slicing.configs import base, text
from apps.slicing.configs.base import Entry, RawConfigError, RawConfigErrors
from apps.slicing.configs.cura_renames import not_an_option, translated

VALUES = "values"  # the section of an instance file that holds the settings
IMAGES = ("cross_infill_density_image", "cross_support_density_image")
# The model is put on the bed, and has one extruder, whatever the config says.
PLACING = {
    "center_object",
    "mesh_position_x",
    "mesh_position_y",
    "mesh_position_z",
    "mesh_rotation_matrix",
    "machine_extruder_count",
    "extruders_enabled_count",
}
# What they name is not printed itself, and there is one model.
OTHER_MESHES = {
    "anti_overhang_mesh",
    "cutting_mesh",
    "infill_mesh",
    "infill_mesh_order",
    "support_mesh",
    "support_mesh_drop_down",
}
# The engine takes the lines' distance and not their density: it must not contradict it.
DERIVED = {"infill_line_distance": "it follows from infill_sparse_density"}
EXTRUDERS = ("extruder", "optional_extruder")
LISTS = ("polygon", "polygons", "[int]")
WORDS = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}
LARGEST = 1e12  # no setting means more
LIST_DEPTH = 3


class Setting(Protocol):
    """What must be known of a setting: its definition's type, and the words it takes."""

    @property
    def kind(self) -> str: ...
    @property
    def options(self) -> tuple[str, ...]: ...


CuraValue = float | int | bool | str


class Overrides(NamedTuple):
    """What a config says, by setting.

    expressions : to be worked out, without their `=`
    entries     : where each was written
    left_out    : what is not used, and why
    renamed     : what the engine has under another name, and that name
    """

    values: dict[str, CuraValue]
    expressions: dict[str, str]
    entries: dict[str, Entry]
    left_out: list[tuple[Entry, str]]
    renamed: list[tuple[Entry, str]]


def read(content: str, settings: Mapping[str, Setting]) -> Overrides:
    """The settings that a config of Cura sets.

    settings : all that the engine knows

    Raises RawConfigErrors.
    """
    found = Overrides({}, {}, {}, [], [])
    faults: list[RawConfigError] = []
    for entry in _entries(text.clean(content)):
        try:
            _take(entry, settings, found)
        except ValueError as error:
            faults.append(base.invalid(entry, f"{error}"))
        except _Forbidden:
            title = "no files of the server are read: remove the setting."
            faults.append(base.forbidden(entry, title))
    if not found.entries and not faults:
        title = (
            "None of this is a setting of CuraEngine: send lines of key=value, an instance file "
            'with [values], or JSON like {"overrides": {"layer_height": 0.2}}.'
        )
        faults.append(base.unreadable(None, title))
    if faults:
        raise RawConfigErrors(faults)
    return found


class _Forbidden(Exception):
    """A setting that would harm this server."""


def _take(entry: Entry, settings: Mapping[str, Setting], found: Overrides) -> None:
    """Sort one setting into `found`. Raises ValueError, with words for a person, or _Forbidden."""
    if entry.key in IMAGES and entry.value:
        raise _Forbidden
    if other := translated(entry.key, entry.value, settings):
        found.renamed.append((entry, other[0]))
        entry = Entry(entry.line, *other)
    if reason := not_used(entry.key, settings):
        found.left_out.append((entry, reason))
        return
    if entry.key in found.entries:
        found.left_out.append((found.entries[entry.key], "it is set again further on"))
        found.expressions.pop(entry.key, None)
    found.entries[entry.key] = entry
    if entry.value.startswith("="):
        found.values.pop(entry.key, None)
        found.expressions[entry.key] = entry.value[1:].strip()
    else:
        found.values[entry.key] = parse(entry.value, settings[entry.key])


def parse(value: str, setting: Setting) -> Any:
    """A value as its type has it. Raises ValueError, with words for a person."""
    if len(value.encode()) > base.MAX_VALUE_LENGTH:
        raise ValueError(f"it is longer than {base.MAX_VALUE_LENGTH:,} bytes.")
    shown = repr(value[:100])
    match setting.kind:
        case "float" | "int":
            number = _number(value)
            if number is None:
                raise ValueError(f"{shown} is not a number.")
            if not abs(number) <= LARGEST:
                raise ValueError(f"{shown} is too large a number.")
            if setting.kind == "int" and not number.is_integer():
                raise ValueError(f"{shown} is not a whole number.")
            return int(number) if setting.kind == "int" else number
        case "bool":
            if value.lower() not in WORDS:
                raise ValueError(f"{shown} is not true or false.")
            return WORDS[value.lower()]
        case "enum" if value not in setting.options:
            raise ValueError(not_an_option(value, setting.options))
        case kind if kind in LISTS and not _is_list(value):
            raise ValueError(f"{shown} is not a list of numbers like [0, 45].")
    return value


def not_used(key: str, settings: Mapping[str, Setting]) -> str | None:
    """Return why a setting is not used; None where it is."""
    if key not in settings:
        return "the installed CuraEngine has no such setting"
    if key in PLACING:
        return "the platform puts the model on the bed"
    if key in OTHER_MESHES:
        return "the model is what is printed"
    if settings[key].kind in EXTRUDERS:
        return "there is one extruder"
    if key in IMAGES:
        return "no files of the server are read"
    return DERIVED.get(key)


def _entries(cleaned: str) -> Iterator[Entry]:
    """The settings of whichever form this is. Raises RawConfigErrors."""
    if cleaned.lstrip().startswith("{"):
        yield from _from_json(cleaned)
        return
    section = None
    if names := text.sections(cleaned):
        section = VALUES
        if VALUES not in names:
            title = "there is no section [values] here: send an instance file of Cura."
            raise RawConfigErrors([base.unreadable(None, title)])
    lines = [_from_command(line) for line in cleaned.split("\n")]
    for entry in text.entries("\n".join(lines), section=section):
        yield entry._replace(value=_unescaped(entry.value))


def _from_command(line: str) -> str:
    """A line without its `-s`, as one types it in a command."""
    if not line.startswith("-s"):
        return line
    try:
        words = shlex.split(line.removeprefix("-s"))
    except ValueError:
        return line
    return words[0] if len(words) == 1 else line


def _unescaped(value: str) -> str:
    r"""A value whose line ends were written \n."""
    pieces = value.split("\\\\")
    return "\\".join(piece.replace("\\n", "\n") for piece in pieces)


def _from_json(cleaned: str) -> Iterator[Entry]:
    try:
        data = json.loads(cleaned)
        overrides = data.get("overrides", data)
        if len(overrides) > text.MAX_SETTINGS:
            raise ValueError("too many settings")
        for key, value in overrides.items():
            if not text.KEY.fullmatch(key):
                raise ValueError("not a setting")
            if isinstance(value, dict):  # as Cura's definitions say it
                value = f"={value['value']}" if "value" in value else value["default_value"]
            written = value if isinstance(value, str) else json.dumps(value)
            yield Entry(None, key, text.clean(written))
    except json.JSONDecodeError as error:
        title = f"this is not JSON: {error.msg}."
        raise RawConfigErrors([base.unreadable(error.lineno, title)]) from error
    except RawConfigErrors:
        raise
    except (ValueError, RecursionError, AttributeError, KeyError) as error:
        title = 'Write JSON as {"overrides": {"layer_height": 0.2}}, one value for each setting.'
        raise RawConfigErrors([base.unreadable(None, title)]) from error


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return None if math.isnan(number) or "_" in value else number


def _is_list(value: str) -> bool:
    try:
        return isinstance(data := json.loads(value), list) and _is_of_numbers(data, LIST_DEPTH)
    except (ValueError, RecursionError):
        return False


def _is_of_numbers(items: Iterable, depth: int) -> bool:
    return all(
        _is_of_numbers(item, depth - 1)
        if isinstance(item, list) and depth
        else isinstance(item, (int, float)) and abs(item) <= LARGEST
        for item in items
    )
