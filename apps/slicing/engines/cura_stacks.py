"""Stacks of Cura: a machine with a nozzle, a material, a quality and an intent.

From the weakest to the strongest, as in Cura: definition of the machine, quality of the machine,
definition of the extruder, nozzle, material, quality of the extruder, intent. What fits to what is
as in Cura's container tree (`MaterialNode`), what is chosen by default as well.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from apps.slicing.configs.cura import not_used
from apps.slicing.engines import cura_machines, cura_resources
from apps.slicing.engines.base import SettingsError
from apps.slicing.engines.cura_machines import Machine
from apps.slicing.engines.cura_resources import CuraMaterial, InstalledProfile
from apps.slicing.engines.cura_settings import Definition

NOT_SUPPORTED = "not_supported"
PREFERRED_QUALITY = "normal"


class UnknownChoice(SettingsError):
    """A machine has no nozzle, material, quality or intent of this name.

    field : nozzle, material, quality or intent
    names : those that it has
    """

    def __init__(self, field: str, name: str, names: Iterable[str]):
        self.field, self.names = field, list(names)
        what = f"no {field} {name[:100]!r}" if name else f"several: name one as {field}"
        super().__init__(f"The machine has {what}.")


class Stack(NamedTuple):
    """What was chosen, by names; empty where the machine has none to choose from."""

    machine: str
    nozzle: str
    material: str
    quality: str
    intent: str
    settings: dict[str, str]


class _About(NamedTuple):
    """What a machine has profiles of."""

    machine: Machine
    has_variants: bool
    has_materials: bool
    has_quality: bool
    excluded: frozenset[str]
    preferred: Mapping[str, object]


def nozzles(folder: Path, identifier: str) -> list[str]:
    """The names of a machine's nozzles; empty where it has none to choose from."""
    return [row.name for row in _variants(folder, _about(folder, identifier))]


def fitting_materials(
    folder: Path, identifier: str, nozzle: str, diameter: float
) -> dict[str, CuraMaterial]:
    """Materials of a machine by their identifiers. diameter : of its filament, mm"""
    about = _about(folder, identifier)
    if not about.has_materials:
        return {}
    rows = cura_resources.materials(_profiles(folder), _state(folder))
    return {
        key: row
        for key, row in rows.items()
        if key not in about.excluded
        and round(row.diameter) == round(diameter)
        and row.fits(identifier, nozzle)
    }


def resolve_stack(
    folder: Path,
    identifier: str,
    engine: Mapping[str, Definition],
    *,
    nozzle: str = "",
    material: str = "",
    quality: str = "",
    intent: str = "",
) -> Stack:
    """Return the settings of a machine with profiles; those left out are its preferred ones.

    material : identifier, or name such as "Generic PLA"
    quality  : type, such as draft, or name. intent: category

    Raises SettingsError, UnknownChoice.
    """
    about = _about(folder, identifier)
    plain = cura_machines.machine_settings(folder, identifier, engine)
    variants = {row.name: row for row in _variants(folder, about)}
    nozzle = _one("nozzle", nozzle, list(variants), str(about.preferred.get("nozzle", "")))
    diameter = _number(plain.get("material_diameter"), engine["material_diameter"].default)
    rows = fitting_materials(folder, identifier, nozzle, diameter)
    named = {row.name: key for key, row in rows.items()}
    wanted = _preferred_material(rows, str(about.preferred.get("material", "")), diameter)
    material = _one("material", named.get(material, material), list(rows), wanted)
    qualities = _qualities(folder, about, nozzle, rows.get(material))
    types = {row.name: row.quality for row in qualities}
    names = sorted({row.quality for row in qualities})
    preferred = str(about.preferred.get("quality", PREFERRED_QUALITY))
    quality = _one("quality", types.get(quality, quality), names, preferred)
    intents = [row for row in _intents(folder, about, nozzle, material) if row.quality == quality]
    if intent:
        intent = _one("intent", intent, sorted({row.intent for row in intents}), intent)
    of_machine, of_extruder = _split(row for row in qualities if row.quality == quality)
    layers = [
        variants[nozzle].values if nozzle else {},
        rows[material].values_for(identifier, nozzle) if material else {},
        of_extruder,
        next((row.values for row in intents if intent and row.intent == intent), {}),
    ]
    settings = cura_machines.machine_settings(
        folder, identifier, engine, of_machine=_used(of_machine, engine)
    )
    for layer in layers:
        settings |= _used(layer, engine)
    return Stack(identifier, nozzle, material, quality, intent, settings)


def _about(folder: Path, identifier: str) -> _About:
    found = cura_machines.machines(folder).get(identifier)
    if found is None:
        title = f"Cura's definition of the machine {identifier[:100]!r} is not installed."
        raise SettingsError(title)
    about = cura_machines.metadata_of(folder, identifier)
    excluded = about.get("exclude_materials")
    return _About(
        found,
        bool(about.get("has_variants")),
        bool(about.get("has_materials")),
        bool(about.get("has_machine_quality")),
        frozenset(map(str, excluded)) if isinstance(excluded, list) else frozenset(),
        {
            "nozzle": about.get("preferred_variant_name", ""),
            "material": about.get("preferred_material", ""),
            "quality": about.get("preferred_quality_type", PREFERRED_QUALITY),
        },
    )


def _profiles(folder: Path) -> Path:
    return folder / cura_resources.FOLDER


def _state(folder: Path) -> int:
    return cura_resources.state_of(_profiles(folder))


def _of(folder: Path, definition: str, kind: str) -> list[InstalledProfile]:
    rows = cura_resources.profiles_of(_profiles(folder), definition, _state(folder))
    return [row for row in rows if row.kind == kind]


def _variants(folder: Path, about: _About) -> list[InstalledProfile]:
    if not about.has_variants:
        return []
    rows = _of(folder, about.machine.identifier, "variant")
    return [row for row in rows if row.is_nozzle]


def _qualities(
    folder: Path, about: _About, nozzle: str, material: CuraMaterial | None
) -> list[InstalledProfile]:
    """The qualities of a nozzle with a material, of the extruder and of the machine."""
    rows = _of(folder, about.machine.quality, "quality")
    rows = [row for row in rows if row.quality and row.quality != NOT_SUPPORTED]
    of_machine = [row for row in rows if row.is_global]
    if not about.has_quality:
        return of_machine or rows
    of_extruder = [row for row in rows if not row.is_global]
    if nozzle:
        of_extruder = [row for row in of_extruder if row.variant == nozzle]
    if material is not None:
        of_extruder = _of_material(folder, of_extruder, material)
    types = {row.quality for row in of_extruder}
    return [*(row for row in of_machine if not types or row.quality in types), *of_extruder]


def _of_material(
    folder: Path, rows: list[InstalledProfile], material: CuraMaterial
) -> list[InstalledProfile]:
    """Those of the material; without any, those of another of its kind, or of the same GUID."""
    if exact := [row for row in rows if row.material == material.identifier]:
        return exact
    others = cura_resources.materials(_profiles(folder), _state(folder))
    for alike in (
        {key for key, other in others.items() if other.kind == material.kind},
        {key for key, other in others.items() if other.guid == material.guid},
    ):
        if fitting := [row for row in rows if row.material in alike]:
            first = fitting[0].material
            return [row for row in fitting if row.material == first]
    return []


def _intents(folder: Path, about: _About, nozzle: str, material: str) -> list[InstalledProfile]:
    rows = _of(folder, about.machine.quality, "intent")
    return [row for row in rows if (row.variant, row.material) == (nozzle, material)]


def _split(rows: Iterable[InstalledProfile]) -> tuple[dict[str, str], dict[str, str]]:
    """Values of the qualities of the machine, and of those of the extruder."""
    of_machine: dict[str, str] = {}
    of_extruder: dict[str, str] = {}
    for row in rows:
        (of_machine if row.is_global else of_extruder).update(row.values)
    return of_machine, of_extruder


def _preferred_material(rows: Mapping[str, CuraMaterial], preferred: str, diameter: float) -> str:
    """As Cura prefers: of the right diameter, or any."""
    names = (preferred, f"{preferred}_175" if round(diameter) == 2 else "")  # noqa: PLR2004  mm
    return next((name for name in names if name in rows), next(iter(rows), ""))


def _one(field: str, name: str, names: list[str], preferred: str) -> str:
    """The name that was chosen, or else the preferred one, or the first. Raises UnknownChoice."""
    if name:
        if name not in names:
            raise UnknownChoice(field, name, names)
        return name
    return preferred if preferred in names else next(iter(names), "")


def _used(values: Mapping[str, str], engine: Mapping[str, Definition]) -> dict[str, str]:
    """Those of values that the engine has.

    Some profiles have empty values, or options of earlier versions.
    """
    return {
        key: value
        for key, value in values.items()
        if not not_used(key, engine) and _is_usable(value, engine[key])
    }


def _is_usable(value: str, definition: Definition) -> bool:
    if definition.kind == "enum":
        return value.startswith("=") or value in definition.options
    return bool(value) or definition.kind == "str"


def _number(text: str | None, default: object) -> float:
    try:
        return float(text or str(default))
    except ValueError:
        return float(str(default))
