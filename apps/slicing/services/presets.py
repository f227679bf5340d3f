"""What a client may do with presets: make a config of three of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from apps.slicing.configs.base import RawConfigErrors
from apps.slicing.configs.overrides import overridden
from apps.slicing.configs.parameters import LAYER_HEIGHTS
from apps.slicing.configs.presets import SAME_HEIGHT, flattened
from apps.slicing.domain.catalogue import Catalogue, Preset, catalogue
from apps.slicing.models import Config, EngineName
from apps.slicing.services.configs import keep_text
from core.errors import ServiceError, UnknownResource

MOST_NAMED = 3  # presets that are told instead of one that does not fit


class PresetsDoNotFit(ServiceError):
    """A print is not for the printer, or a filament not for both."""

    code = "presets-do-not-fit"


class PresetNotUsable(ServiceError):
    """The installed engine cannot do with a preset."""

    code = "preset-not-usable"


class NoSuchPreset(ServiceError):
    """No preset is as the overrides ask for, or one that was named is not."""

    code = "property-value-not-in-allowed-values"


@dataclass(frozen=True)
class Picked:
    """The three presets that are sliced with."""

    printer: Preset
    print: Preset
    filament: Preset


@transaction.atomic
def create_preset_config(
    *,
    owner: Any,
    printer: str,
    print: str | None = None,  # noqa: A002  the contract's word
    filament: str | None = None,
    overrides: Mapping[str, Any],
    description: str = "",
) -> Config:
    """A config of a printer's preset, a print's and a filament's, on the engine's own defaults.

    What is flattened now is kept as text: a later version of the package changes nothing of it.
    """
    read = catalogue()
    chosen = _choose(read, printer, print, filament, overrides)
    triple = read.triple(chosen.printer, chosen.print, chosen.filament)
    try:
        raw = flattened(triple, read.defaults)
    except RawConfigErrors as refused:
        raise PresetNotUsable(f"The presets cannot be used together: {refused}") from refused
    settings = overridden(raw.settings, overrides)
    rows = {"printer": chosen.printer, "print": chosen.print, "filament": chosen.filament}
    return Config.objects.create(
        owner=owner,
        engine=EngineName.SLIC3R,
        kind=Config.Kind.PRESET,
        description=description,
        parameters=dict(overrides),
        notes=[note._asdict() for note in raw.notes],
        preset={
            "vendor": chosen.printer.vendor,
            "version": chosen.printer.version,
            "presets": {
                kind: {"key": str(row.uuid), "name": row.name, "digest": row.digest}
                for kind, row in rows.items()
            },
            "thumbnails": chosen.printer.facts["thumbnails"],
        },
        content_id=keep_text(read.engine.config_text(settings)),
    )


def _choose(
    read: Catalogue,
    printer: str,
    print_: str | None,
    filament: str | None,
    overrides: Mapping[str, Any],
) -> Picked:
    """The presets that are named, or else those that the overrides pick, or the defaults."""
    machine = _named(read, printer, "printer")
    _agree(machine, "nozzle_diameter", machine.nozzle_diameter, overrides, field="printer")
    quality = overrides.get("print_quality")
    height = LAYER_HEIGHTS[quality.lower()] if quality else None
    if print_:
        way = _named(read, print_, "print")
        _require_fit(read, way, machine, None)
        if height is not None and not _is_high(way, height):
            words = f"{way.name} has layers of {way.layer_height:g} mm"
            raise NoSuchPreset(f"{words}, and print_quality asks for {height:g}.", field="print")
    else:
        way = _print(read, machine, height)
    if filament:
        stuff = _named(read, filament, "filament")
        _require_fit(read, stuff, machine, way)
    else:
        stuff = _filament(read, machine, way, overrides.get("material"))
    _agree(stuff, "material", stuff.filament_type, overrides, field="filament")
    diameter = stuff.facts["filament_diameter"]
    _agree(stuff, "filament_diameter", diameter, overrides, field="filament")
    return Picked(machine, way, stuff)


def _named(read: Catalogue, uri: str, kind: str) -> Preset:
    found = read.find(uri, kind)
    if found is None:
        title = f"{uri} is no preset of a {kind} here: GET /preset/?filter[kind]={kind} lists them."
        raise UnknownResource(title, field=kind)
    if not found.usable:
        title = f"{found.name} cannot be used: {' '.join(found.reasons)}"
        raise PresetNotUsable(title, field=kind)
    return found


def _require_fit(read: Catalogue, row: Preset, printer: Preset, print_: Preset | None) -> None:
    fitting = read.fitting(row.kind, printer, print_)
    if row in fitting:
        return
    others = [one.name for one in fitting if one.usable][:MOST_NAMED]
    conditions = {key: text for key, text in row.wanted.items() if key.startswith("compatible_")}
    beside = f" and {print_.name}" if print_ else ""
    raise PresetsDoNotFit(
        f"{row.name} is not for {printer.name}{beside}. "
        f"For it there is, for example: {', '.join(others) or 'none'}.",
        field=row.kind,
        details={"conditions": conditions, "fitting": others},
    )


def _print(read: Catalogue, printer: Preset, height: float | None) -> Preset:
    """The printer's default print, or the first one with layers of this height."""
    default, _ = read.defaults_of(printer)
    fitting = [row for row in read.fitting("print", printer) if row.usable]
    high = [row for row in fitting if height is None or _is_high(row, height)]
    if default is None or not high:
        known = sorted({f"{row.layer_height:g}" for row in fitting if row.layer_height})
        title = f"No print for {printer.name} has layers of {height} mm: there are "
        raise NoSuchPreset(f"{title}{', '.join(known) or 'none'}.", field="overrides.print_quality")
    return default if default in high else min(high, key=lambda row: row.name)


def _filament(read: Catalogue, printer: Preset, print_: Preset, material: str | None) -> Preset:
    """The printer's default filament, or of this material the default, a generic one, any."""
    found = read.default_filament(printer, print_, material and material.upper())
    if found is None:
        known = {row.filament_type for row in read.fitting("filament", printer, print_)}
        words = ", ".join(sorted(filter(None, known))) or "none"
        title = f"No filament of {material or 'any type'} is for {printer.name}: there are {words}."
        raise NoSuchPreset(title, field="overrides.material")
    return found


def _agree(row: Preset, name: str, has: Any, overrides: Mapping[str, Any], *, field: str) -> None:
    """An override that only chooses must not contradict the preset."""
    asked = overrides.get(name)
    if asked is None:
        return
    same = has == asked.upper() if isinstance(asked, str) else abs((has or 0.0) - asked) < 1e-6
    if not same:
        title = f"{row.name} has {name} {has}, and the override asks for {asked}: choose another."
        raise NoSuchPreset(title, field=field)


def _is_high(row: Preset, height: float) -> bool:
    return row.layer_height is not None and abs(row.layer_height - height) < SAME_HEIGHT
