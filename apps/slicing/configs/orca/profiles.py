"""Profiles of OrcaSlicer and Bambu Studio, and their inheritance.

A profile is a flat JSON object: values are texts or lists of texts, one for each extruder. It
`inherits` one other profile by name. The templates that Bambu Studio's `include` are G-code, which
is never translated: they are left out.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple, NoReturn

from apps.slicing.configs.bundles import (
    DEEPEST,
    MAX_NAME_LENGTH,
    MAX_PRESETS,
    MAX_WORK,
    InvalidBundle,
)
from apps.slicing.configs.text import HIDDEN

Kind = Literal["printer", "print", "filament"]
Value = str | tuple[str, ...]
Values = dict[str, Value]

MAX_SETTINGS = 2000  # of one profile; Bambu Studio's largest has 500
MAX_VALUES = 1000  # of a list
MAX_TEXT = 100_000  # characters of a value
KINDS: Mapping[str, Kind] = {
    "machine": "printer",
    "printer": "printer",
    "process": "print",
    "print": "print",
    "filament": "filament",
}
# Where a profile has no type: the settings that only one kind has.
SIGNS: Mapping[str, Kind] = {
    "printable_area": "printer",
    "printer_settings_id": "printer",
    "nozzle_diameter": "printer",
    "filament_settings_id": "filament",
    "filament_type": "filament",
    "print_settings_id": "print",
    "layer_height": "print",
}
# What describes a profile, and is no setting.
ABOUT = ("type", "name", "inherits", "include", "from", "instantiation", "version")


class Profile(NamedTuple):
    """A profile as it is in its file.

    parent    : name of the profile that it inherits from; empty for none
    is_base   : whether it is only inherited from, and cannot be chosen
    settings  : its own, without those of its parent
    """

    kind: Kind
    name: str
    parent: str
    is_base: bool
    settings: Mapping[str, Value]


class MissingParent(InvalidBundle):
    """A profile inherits from one that is neither in the file nor installed."""

    def __init__(self, kind: str, name: str, parent: str):
        title = (
            f"The {kind} profile {name[:MAX_NAME_LENGTH]!r} inherits from "
            f"{parent[:MAX_NAME_LENGTH]!r}, which is part of its slicer and not of the file. "
            "Upload that profile as well, or export the whole printer."
        )
        super().__init__("missing-parent", title, {"profile": name, "parent": parent})


class Profiles:
    """Profiles by kind and name, with inheritance resolved on demand.

    elsewhere : the profiles in which parents are looked up that are not among these
    """

    def __init__(self, rows: Iterable[Profile], elsewhere: "Iterable[Profiles]" = ()):
        self._rows: dict[tuple[Kind, str], Profile] = {}
        self._elsewhere = tuple(elsewhere)
        self._resolved: dict[tuple[Kind, str], Values] = {}
        self._work = 0
        for row in rows:
            if (row.kind, row.name) in self._rows:
                _refuse(f"The {row.kind} profile {row.name!r} is there twice.")
            self._rows[row.kind, row.name] = row
            if len(self._rows) > MAX_PRESETS:
                title = f"The file has more than {MAX_PRESETS:,} profiles."
                raise InvalidBundle("limit-exceeded", title)

    def __iter__(self) -> Iterator[Profile]:
        return iter(self._rows.values())

    def find(self, kind: Kind, name: str) -> "tuple[Profiles, Profile] | None":
        """Return a profile of this name, and the profiles that it is one of."""
        if row := self._rows.get((kind, name)):
            return self, row
        return next((hit for one in self._elsewhere if (hit := one.find(kind, name))), None)

    def settings(self, kind: Kind, name: str) -> Values:
        """Return every setting of a profile with those that it inherits.

        Raises MissingParent with the parent's name, and InvalidBundle where profiles inherit from
        each other in a circle or too deeply, or take too much work.
        """
        return self._resolve(kind, name, ())

    def _resolve(self, kind: Kind, name: str, heirs: tuple[str, ...]) -> Values:
        if (kind, name) in self._resolved:
            return self._resolved[kind, name]
        if name in heirs:
            _refuse(f"A profile inherits from itself: {' > '.join([*heirs, name])[:300]}.")
        if len(heirs) > DEEPEST:
            title = f"{name!r} is one of more than {DEEPEST} profiles that inherit in a row."
            raise InvalidBundle("limit-exceeded", title)
        match = self.find(kind, name)
        if match is None:
            raise MissingParent(kind, heirs[-1] if heirs else name, name)
        home, row = match
        if home is not self:
            return home.settings(kind, name)
        merged: Values = {}
        if row.parent:
            merged |= self._resolve(kind, row.parent, (*heirs, name))
        merged |= row.settings
        self._work += len(merged)
        if self._work > MAX_WORK:
            title = "The profiles inherit more settings from each other than any maker's."
            raise InvalidBundle("limit-exceeded", title)
        self._resolved[kind, name] = merged
        return merged


def read_profile(content: bytes, *, filename: str = "") -> Profile | None:
    """Return the profile of a JSON file; None where it is another part of a set of presets.

    filename : what a profile without a name of its own is called

    Raises InvalidBundle.
    """
    data = read_object(content)
    if data.get("type", "") == "" and data.get("instantiation") == "false":
        return None  # a template of G-code
    if data.get("type") == "machine_model" or "machine_model_list" in data:
        return None
    return profile_of(data, filename=filename)


def read_object(content: bytes) -> dict[str, object]:
    """Return the object of a JSON file. Raises InvalidBundle."""
    try:
        text = content.decode("utf-8-sig")
        data = json.loads(text, parse_constant=_no_constant)
    except UnicodeDecodeError:
        _refuse("The file is not UTF-8.")
    except (ValueError, RecursionError) as error:
        _refuse(f"The file is no JSON: {str(error)[:200]}.")
    if not isinstance(data, dict):
        _refuse("The file is no preset: it must be an object of settings.")
    return data


def profile_of(data: Mapping[str, object], *, filename: str = "") -> Profile:
    """Return the profile that an object describes. Raises InvalidBundle."""
    if len(data) > MAX_SETTINGS:
        title = f"A profile has more than {MAX_SETTINGS:,} settings."
        raise InvalidBundle("limit-exceeded", title)
    values = {key: _value(key, value) for key, value in data.items()}
    name = _text(values, "name") or filename
    if not name or len(name) > MAX_NAME_LENGTH or HIDDEN.search(name):
        _refuse(f"A profile's name must have 1 to {MAX_NAME_LENGTH} characters.")
    return Profile(
        kind=KINDS.get(_text(values, "type")) or _guess(values),
        name=name,
        parent=_text(values, "inherits"),
        is_base=_text(values, "instantiation") == "false",
        settings={key: value for key, value in values.items() if key not in ABOUT},
    )


def _guess(values: Values) -> Kind:
    """Return the kind of a profile that does not name it."""
    kind = next((kind for key, kind in SIGNS.items() if key in values), None)
    if kind is None:
        _refuse("The file is no preset of a printer, a process or a filament.")
    return kind


def _text(values: Values, key: str) -> str:
    value = values.get(key, "")
    return value if isinstance(value, str) else next(iter(value), "")


def _value(key: str, value: object) -> Value:
    """Return a value as text, or a list of values as texts. Raises InvalidBundle."""
    if isinstance(value, list):
        if len(value) > MAX_VALUES:
            title = f"{key[:100]} has more than {MAX_VALUES:,} values."
            raise InvalidBundle("limit-exceeded", title)
        return tuple(_scalar(key, one) for one in value)
    return _scalar(key, value)


def _scalar(key: str, value: object) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int | float):
        return f"{value:.10g}"
    if value is None:
        return "nil"
    if not isinstance(value, str):
        _refuse(f"{key[:100]} is no text and no list of texts.")
    if len(value) > MAX_TEXT:
        raise InvalidBundle(
            "limit-exceeded", f"{key[:100]} is longer than {MAX_TEXT:,} characters."
        )
    return value


def _no_constant(value: str) -> NoReturn:
    raise ValueError(f"{value} is no number")


def _refuse(title: str) -> NoReturn:
    raise InvalidBundle("invalid-bundle", title)
