"""Preset configs: printer, print and filament preset combined into a config."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple
from uuid import UUID

from django.db import transaction

from apps.slicing.configs import text
from apps.slicing.configs.base import SAME_HEIGHT, RawConfigErrors, above_nozzle
from apps.slicing.configs.extruders import for_extruder
from apps.slicing.configs.overrides import overridden
from apps.slicing.configs.parameters import LAYER_HEIGHTS, PARAMETERS
from apps.slicing.configs.presets import flattened
from apps.slicing.domain.catalogue import Catalogue, Preset, catalogue
from apps.slicing.domain.printer_gcodes import with_gcode
from apps.slicing.models import Config, EngineName, PrinterGcode
from apps.slicing.services.configs import find_or_make, stored_text
from apps.slicing.services.printer_gcodes import find_printer_gcode
from core.auth_user import Person
from core.errors import ServiceError, UnknownResource

MAX_NAMED = 3  # presets that are named instead of one that does not fit


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
class PresetRequest:
    """Presets by their URIs, and what else picks those that are not named.

    extruder      : of the printer, that prints all; 1 for the first
    layer_height  : mm, of the print
    filament_type : such as PETG
    overrides     : the curated parameters, null where nothing is wanted otherwise
    printer_gcode : URI of the printer's confirmed G-code; None: the preset's own
    """

    printer: str
    print: str | None = None
    filament: str | None = None
    extruder: int = 1
    layer_height: float | None = None
    filament_type: str | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict)
    printer_gcode: str | None = None


@dataclass(frozen=True)
class PresetTriple:
    """The three presets that are sliced with, and the extruder that prints.

    gcode : confirmed start and end G-code of the printer
    """

    printer: Preset
    print: Preset
    filament: Preset
    extruder: int
    gcode: PrinterGcode | None = None

    def kept(self) -> dict[str, object]:
        """Return the identification of the presets that a config stores."""
        rows = {"printer": self.printer, "print": self.print, "filament": self.filament}
        estimate = self.gcode is None and any(row.estimate_only for row in rows.values())
        return {
            **({"estimate_only": True} if estimate else {}),
            **({"printer_gcode": str(self.gcode.pk)} if self.gcode else {}),
            "vendor": self.printer.vendor,
            "version": self.printer.version,
            "presets": {
                kind: {"key": str(row.uuid), "name": row.name, "digest": row.digest}
                for kind, row in rows.items()
            },
            "extruder": self.extruder,
            "thumbnails": self.printer.facts["thumbnails"],
        }


def create_preset_config(
    *,
    owner: Person,
    printer: str,
    print: str | None = None,  # noqa: A002  the contract's word
    filament: str | None = None,
    extruder: int | None = None,
    overrides: Mapping[str, Any],
    printer_gcode: str | None = None,
    description: str = "",
) -> Config:
    """Create a config of a printer, a print and a filament preset.

    It is based on the engine's defaults. The settings are stored as text: a later version of the
    package does not change them.
    """
    presets = PresetRequest(
        printer,
        print,
        filament,
        extruder or 1,
        overrides=overrides,
        printer_gcode=printer_gcode or None,
    )
    flat = _flattened(presets, owner)
    with stored_text(flat.text) as record, transaction.atomic():
        return Config.objects.create(
            owner=owner,
            engine=EngineName.SLIC3R,
            kind=Config.Kind.PRESET,
            preset=flat.picked.kept(),
            content_id=record(),
            **_beside(presets, flat, description),
        )


def find_or_make_preset_config(
    *, owner: Person, asked: PresetRequest, description: str = ""
) -> Config:
    """A config of `owner`'s with the same content, made of the same presets; a new one at need.

    Confirmed G-code need not be readable to `owner`: the caller has checked who named it.
    """
    found = _flattened(asked, None)
    return find_or_make(
        owner=owner,
        engine=EngineName.SLIC3R,
        kind=Config.Kind.PRESET,
        text=found.text,
        same={"preset": found.picked.kept()},
        **_beside(asked, found, description),
    )


def current_settings(config: Config) -> tuple[dict[str, str], str]:
    """Return the settings that a config of presets would get now, and the version of the presets.

    Raises UnknownResource, PresetNotUsable and others, as for a new config.
    """
    stored: Mapping[str, Any] = config.preset or {}
    uris = {
        kind: Preset.uri_of(UUID(row["key"])) for kind, row in stored.get("presets", {}).items()
    }
    gcode = stored.get("printer_gcode")
    request = PresetRequest(
        uris["printer"],
        uris["print"],
        uris["filament"],
        stored.get("extruder", 1),
        overrides=config.parameters,
        printer_gcode=PrinterGcode.uri_of(UUID(gcode)) if gcode else None,
    )
    flat = _flattened(request, None)
    settings = {entry.key: entry.value for entry in text.entries(flat.text)}
    return settings, flat.picked.printer.version


class _Flattened(NamedTuple):
    picked: PresetTriple
    text: str
    notes: list[dict[str, object]]


def _flattened(asked: PresetRequest, user: Person | None) -> _Flattened:
    """Return the settings of presets; `user` must be able to read their G-code."""
    read = catalogue()
    picked = _pick(read, asked)
    if asked.printer_gcode:
        gcode = find_printer_gcode(uri=asked.printer_gcode, printer=picked.printer, user=user)
        picked = replace(picked, gcode=gcode)
    triple = read.triple(picked.printer, picked.print, picked.filament)
    try:
        raw = flattened(triple, read.known)
    except RawConfigErrors as refused:
        raise PresetNotUsable(f"The presets cannot be used together: {refused}") from refused
    settings = for_extruder(overridden(raw.settings, asked.overrides), picked.extruder)
    if picked.gcode:
        settings = with_gcode(settings, picked.gcode)
    text = read.engine.config_text(settings)
    return _Flattened(picked, text, [note._asdict() for note in raw.notes])


def _beside(asked: PresetRequest, found: _Flattened, description: str) -> dict[str, object]:
    """The columns of a config beside its content and its presets."""
    return {
        "description": description,
        "parameters": dict.fromkeys(PARAMETERS) | dict(asked.overrides),
        "notes": found.notes,
    }


def _pick(read: Catalogue, asked: PresetRequest) -> PresetTriple:
    """Return the presets that are named, or else those that the overrides pick, or the defaults."""
    overrides, extruder = asked.overrides, asked.extruder
    machine = _named(read, asked.printer, "printer")
    nozzle = _nozzle(machine, extruder)
    _agree(machine, "nozzle_diameter", nozzle, overrides, field="printer")
    quality = overrides.get("print_quality")
    height = LAYER_HEIGHTS[quality.lower()] if quality else asked.layer_height
    if asked.print:
        way = _named(read, asked.print, "print")
        _require_nozzle(way, nozzle)
        _require_fit(read, way, machine, None)
        if height is not None and not _is_high(way, height):
            words = f"{way.name} has layers of {way.layer_height:g} mm"
            raise NoSuchPreset(f"{words}, and {height:g} mm are asked for.", field="print")
    else:
        way = _print(read, machine, height)
        _require_nozzle(way, nozzle)
    if asked.filament:
        stuff = _named(read, asked.filament, "filament")
        _require_fit(read, stuff, machine, way, extruder)
    else:
        material = overrides.get("material") or asked.filament_type
        stuff = _filament(read, machine, way, material, extruder)
    _agree(stuff, "material", stuff.filament_type, overrides, field="filament")
    diameter = stuff.facts["filament_diameter"]
    _agree(stuff, "filament_diameter", diameter, overrides, field="filament")
    return PresetTriple(machine, way, stuff, extruder)


def _named(read: Catalogue, uri: str, kind: str) -> Preset:
    preset = read.find(uri, kind)
    if preset is None:
        title = f"{uri} is no preset of a {kind} here: GET /preset/?filter[kind]={kind} lists them."
        raise UnknownResource(title, field=kind)
    if not preset.usable:
        title = f"{preset.name} cannot be used: {' '.join(preset.reasons)}"
        raise PresetNotUsable(title, field=kind)
    return preset


def _nozzle(printer: Preset, extruder: int) -> float:
    """Return the nozzle diameter of an extruder. Raises NoSuchPreset."""
    nozzles = printer.nozzles
    if extruder <= len(nozzles):
        return nozzles[extruder - 1]
    allowed = f"1 to {len(nozzles)}" if len(nozzles) > 1 else "1"
    title = f"{printer.name} has no extruder {extruder}: choose {allowed}."
    raise NoSuchPreset(title, field="extruder")


def _require_nozzle(print_: Preset, nozzle: float) -> None:
    """Raise PresetNotUsable for layers, in mm, higher than the nozzle's diameter."""
    height = print_.layer_height or 0.0
    if height > nozzle + SAME_HEIGHT:
        title = f"{print_.name} cannot be used: {above_nozzle(height, nozzle)}"
        raise PresetNotUsable(title, field="print")


def _require_fit(
    read: Catalogue, row: Preset, printer: Preset, print_: Preset | None, extruder: int = 1
) -> None:
    fitting = read.fitting(row.kind, printer, print_, extruder)
    if row in fitting:
        return
    others = [one.name for one in fitting if one.usable][:MAX_NAMED]
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
        heights = sorted({f"{row.layer_height:g}" for row in fitting if row.layer_height})
        title = f"No print for {printer.name} has layers of {height} mm: there are "
        raise NoSuchPreset(
            f"{title}{', '.join(heights) or 'none'}.", field="overrides.print_quality"
        )
    return default if default in high else min(high, key=lambda row: row.name)


def _filament(
    read: Catalogue, printer: Preset, print_: Preset, material: str | None, extruder: int
) -> Preset:
    """Return the default filament; of a material the default one, a generic one, or any."""
    found = read.default_filament(printer, print_, material and material.upper(), extruder)
    if found is None:
        types = {row.filament_type for row in read.fitting("filament", printer, print_, extruder)}
        words = ", ".join(sorted(filter(None, types))) or "none"
        asked = f"No filament preset of type {material or 'any'} fits {printer.name}"
        title = f"{asked}: there are {words}."
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
