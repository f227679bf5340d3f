"""Machine definitions of Cura: the settings of a machine on top of `fdmprinter`.

A definition inherits from one other and overrides settings of it. An expression of a parent is
stronger than a plain default of its heir, as in Cura.
"""

import json
import math
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from apps.slicing.configs.cura import not_used
from apps.slicing.engines.base import SettingsError
from apps.slicing.engines.cura_settings import Definition, load, to_text

FOLDER = "machines"  # beside the definitions of the engine's version
ENDING = ".def.json"
ROOTS = ("fdmprinter", "fdmextruder")
DEEPEST = 20  # definitions that inherit from each other
MAX_BYTES = 4_000_000  # of a file
SIDES = ("machine_width", "machine_depth", "machine_height")
DIAMETER = "material_diameter"
UNKNOWN = "Unknown"  # manufacturer of machines that name none

JsonObject = Mapping[str, object]


class Machine(NamedTuple):
    """A machine that can be chosen.

    quality      : the definition that its profiles name
    manufacturer : empty where it is unknown
    size         : of the build volume: x, y, z, mm; None where the definition has none
    diameter     : of the filament, mm
    """

    identifier: str
    name: str
    quality: str
    manufacturer: str
    size: tuple[float, float, float] | None
    diameter: float


def machines(folder: Path) -> dict[str, Machine]:
    """Return the visible machines by their identifiers.

    folder : of the engine's version

    Raises SettingsError without the definitions of the engine.
    """
    return _machines(folder, _state(folder / FOLDER))


@lru_cache(maxsize=2)
def _machines(folder: Path, state: int) -> dict[str, Machine]:
    definitions = _definitions(folder / FOLDER, state)
    engine = load(folder.parent, folder.name)
    rows = {}
    for identifier in definitions:
        with suppress(SettingsError):
            if row := _machine(folder, definitions, identifier, engine):
                rows[identifier] = row
    return rows


def _machine(
    folder: Path,
    definitions: Mapping[str, JsonObject],
    identifier: str,
    engine: Mapping[str, Definition],
) -> Machine | None:
    """Return a machine; None for a definition that cannot be chosen. Raises SettingsError."""
    chain = _chain(definitions, identifier)
    about = _metadata(definitions, chain)
    if not chain or not about.get("visible") or "machine" in _object(chain[0], "metadata"):
        return None
    own = str(about.get("quality_definition", identifier))
    manufacturer = str(about.get("manufacturer") or UNKNOWN).strip()
    settings = machine_settings(folder, identifier, engine)
    x, y, z = (_number(settings.get(side)) for side in SIDES)
    return Machine(
        identifier,
        str(chain[0].get("name", "")),
        own if about.get("has_machine_quality") else ROOTS[0],
        "" if manufacturer == UNKNOWN else manufacturer,
        (x, y, z) if x and y and z else None,
        _number(settings.get(DIAMETER)) or float(engine[DIAMETER].default),
    )


def metadata_of(folder: Path, identifier: str) -> dict[str, object]:
    """Return what a definition and its parents say about a machine. Raises SettingsError."""
    definitions = _definitions(folder / FOLDER, _state(folder / FOLDER))
    return _metadata(definitions, _chain(definitions, identifier))


def _metadata(definitions: Mapping[str, JsonObject], chain: list[JsonObject]) -> dict[str, object]:
    """Return the metadata of a definition, its parents and the root; the heir is the stronger."""
    about: dict[str, object] = {}
    for each in (definitions.get(ROOTS[0], {}), *reversed(chain)):
        about |= _object(each, "metadata")
    return about


def machine_settings(
    folder: Path,
    identifier: str,
    engine: Mapping[str, Definition],
    *,
    of_machine: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, str]:
    """Return what a machine sets, as a raw config has it: `=` begins an expression.

    engine     : all its settings
    of_machine : values of a quality, stronger than the machine and weaker than its extruder

    Raises SettingsError.
    """
    definitions = _definitions(folder / FOLDER, _state(folder / FOLDER))
    chain = _chain(definitions, identifier)
    trains: dict[str, object] = {}
    for each in reversed(chain):
        trains |= _object(_object(each, "metadata"), "machine_extruder_trains")
    settings: dict[str, str] = {}
    _take_chain(settings, chain, engine)
    settings |= of_machine
    extruder = trains.get("0")
    if isinstance(extruder, str) and extruder in definitions:
        _take_chain(settings, _chain(definitions, extruder), engine)
    return settings


def _take_chain(
    settings: dict[str, str], chain: list[JsonObject], engine: Mapping[str, Definition]
) -> None:
    for each in reversed(chain):
        for key, override in _object(each, "overrides").items():
            if isinstance(override, dict) and not not_used(key, engine):
                _take(settings, key, override, engine[key])


def _take(settings: dict[str, str], key: str, override: JsonObject, definition: Definition) -> None:
    if "value" in override:
        value = override["value"]
        # Some machines write an option where Cura expects an expression.
        is_expression = isinstance(value, str) and value not in definition.options
        settings[key] = f"={value}" if is_expression else to_text(value)
    elif "default_value" in override:
        expression = settings[key].startswith("=") if key in settings else definition.expression
        value = to_text(override["default_value"]).replace("\r\n", "\n").replace("\r", "\n")
        is_word = (
            definition.kind != "enum" or value in definition.options
        )  # Cura, too, passes over others
        if is_word and not expression:
            settings[key] = value


def _chain(definitions: Mapping[str, JsonObject], identifier: str) -> list[JsonObject]:
    """Return a definition and its parents without the root, the heir first."""
    chain: list[JsonObject] = []
    while identifier not in ROOTS:
        if identifier not in definitions or len(chain) >= DEEPEST:
            title = f"Cura's definition of the machine {identifier[:100]!r} is not installed."
            raise SettingsError(title)
        chain.append(definitions[identifier])
        identifier = str(chain[-1].get("inherits"))
    return chain


@lru_cache(maxsize=2)
def _definitions(folder: Path, _state: int) -> dict[str, JsonObject]:
    definitions: dict[str, JsonObject] = {}
    root = folder.parent / f"{ROOTS[0]}{ENDING}"
    for path in (root, *sorted(folder.glob(f"*{ENDING}"))):
        try:
            with path.open("rb") as file:
                content = json.loads(file.read(MAX_BYTES))
        except (OSError, ValueError, RecursionError):
            continue  # one that is damaged leaves the others
        if isinstance(content, dict):
            definitions[path.name.removesuffix(ENDING)] = content
    return definitions


def _state(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0


def _object(value: JsonObject, key: str) -> dict[str, object]:
    inner = value.get(key)
    return inner if isinstance(inner, dict) else {}


def _number(text: str | None) -> float | None:
    """A positive number; None for other expressions."""
    try:
        number = float((text or "").removeprefix("="))
    except ValueError:
        return None
    return number if math.isfinite(number) and number > 0 else None
