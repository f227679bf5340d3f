"""Stacks of Cura: a machine with a nozzle, a material, a quality and an intent.

From the weakest to the strongest, as in Cura: definition of the machine, quality of the machine,
definition of the extruder, nozzle, material, quality of the extruder, intent. What fits to what is
as in Cura's container tree (`MaterialNode`), what is chosen by default as well.
"""

import math
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
LAYER_HEIGHT = "layer_height"


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


class QualityChoice(NamedTuple):
    """A quality of a machine.

    quality      : its type, such as draft
    layer_height : mm; None where an expression computes it
    """

    quality: str
    name: str
    layer_height: float | None


class MachineChoices(NamedTuple):
    """What can be chosen of a machine, and what is chosen; empty where there is nothing.

    intents : categories
    """

    nozzles: list[str]
    materials: list[CuraMaterial]
    qualities: list[QualityChoice]
    intents: list[str]
    nozzle: str
    material: str
    quality: str


class _Selection(NamedTuple):
    """Profiles to choose from by names, and the names that are chosen.

    qualities : those of nozzle and material; several of one type are of machine and extruder
    intents   : those of nozzle and material
    """

    identifier: str
    nozzles: dict[str, InstalledProfile]
    nozzle: str
    materials: dict[str, CuraMaterial]
    material: str
    qualities: list[InstalledProfile]
    quality: str
    intents: list[InstalledProfile]

    def quality_names(self) -> list[str]:
        """The types of the qualities."""
        return sorted({row.quality for row in self.qualities})

    def intent_names(self) -> list[str]:
        """The categories of the intents of the quality."""
        return sorted({row.intent for row in self.intents if row.quality == self.quality})


class _About(NamedTuple):
    """What a machine has profiles of."""

    machine: Machine
    has_variants: bool
    has_materials: bool
    has_quality: bool
    excluded: frozenset[str]
    preferred: Mapping[str, object]


def fitting_materials(folder: Path, identifier: str, nozzle: str) -> dict[str, CuraMaterial]:
    """Materials of a machine by their identifiers."""
    about = _about(folder, identifier)
    if not about.has_materials:
        return {}
    rows = cura_resources.materials(_profiles(folder), _state(folder))
    return {
        key: row
        for key, row in rows.items()
        if key not in about.excluded
        and round(row.diameter) == round(about.machine.diameter)
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
    selection = _select(folder, identifier, nozzle, material, quality)
    if intent:
        intent = _one("intent", intent, selection.intent_names(), intent)
    settings = _settings_of(folder, selection, selection.quality, engine, intent=intent)
    chosen = (selection.nozzle, selection.material, selection.quality)
    return Stack(identifier, *chosen, intent, settings)


def resolve_choices(
    folder: Path,
    identifier: str,
    engine: Mapping[str, Definition],
    *,
    nozzle: str = "",
    material: str = "",
    quality: str = "",
) -> MachineChoices:
    """Return what can be chosen of a machine; arguments as for `resolve_stack`.

    Materials are those that fit the nozzle, qualities those of nozzle and material, intents those
    of the quality. Raises SettingsError, UnknownChoice.
    """
    selection = _select(folder, identifier, nozzle, material, quality)
    names = {row.quality: row.name for row in reversed(selection.qualities)}
    usual = str(engine[LAYER_HEIGHT].default)
    heights = {
        quality: _settings_of(folder, selection, quality, engine).get(LAYER_HEIGHT, usual)
        for quality in selection.quality_names()
    }
    qualities = [
        QualityChoice(quality, names[quality], _literal(height))
        for quality, height in heights.items()
    ]
    return MachineChoices(
        list(selection.nozzles),
        list(selection.materials.values()),
        sorted(qualities, key=lambda row: (row.layer_height or math.inf, row.name)),
        selection.intent_names(),
        selection.nozzle,
        selection.material,
        selection.quality,
    )


def _select(folder: Path, identifier: str, nozzle: str, material: str, quality: str) -> _Selection:
    """Return what is chosen, and what it is chosen from. Raises SettingsError, UnknownChoice."""
    about = _about(folder, identifier)
    variants = {row.name: row for row in _variants(folder, about)}
    nozzle = _one("nozzle", nozzle, list(variants), str(about.preferred.get("nozzle", "")))
    rows = fitting_materials(folder, identifier, nozzle)
    named = {row.name: key for key, row in rows.items()}
    preferred = str(about.preferred.get("material", ""))
    wanted = _preferred_material(rows, preferred, about.machine.diameter)
    material = _one("material", named.get(material, material), list(rows), wanted)
    selection = _Selection(
        identifier=identifier,
        nozzles=variants,
        nozzle=nozzle,
        materials=rows,
        material=material,
        qualities=_qualities(folder, about, nozzle, rows.get(material)),
        quality="",
        intents=_intents(folder, about, nozzle, material),
    )
    types = {row.name: row.quality for row in selection.qualities}
    preferred = str(about.preferred.get("quality", PREFERRED_QUALITY))
    names = selection.quality_names()
    return selection._replace(
        quality=_one("quality", types.get(quality, quality), names, preferred)
    )


def _settings_of(
    folder: Path,
    selection: _Selection,
    quality: str,
    engine: Mapping[str, Definition],
    *,
    intent: str = "",
) -> dict[str, str]:
    """Return the settings of a machine with a quality of those to choose from."""
    nozzle, material = selection.nozzle, selection.material
    of_machine, of_extruder = _split(row for row in selection.qualities if row.quality == quality)
    intents = [row for row in selection.intents if row.quality == quality]
    layers = [
        selection.nozzles[nozzle].values if nozzle else {},
        selection.materials[material].values_for(selection.identifier, nozzle) if material else {},
        of_extruder,
        next((row.values for row in intents if intent and row.intent == intent), {}),
    ]
    settings = cura_machines.machine_settings(
        folder, selection.identifier, engine, of_machine=_used(of_machine, engine)
    )
    for layer in layers:
        settings |= _used(layer, engine)
    return settings


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


def _literal(text: str) -> float | None:
    """A number; None for other expressions."""
    try:
        return float(text.removeprefix("="))
    except ValueError:
        return None
