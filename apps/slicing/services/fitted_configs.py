"""Fitted configs: the settings of a config on the bed of the printer that prints with them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.slicing.configs.base import RawConfigErrors
from apps.slicing.configs.overrides import overridden
from apps.slicing.configs.parameters import LAYER_HEIGHTS, PARAMETERS, infill_percent
from apps.slicing.configs.presets import SAME_HEIGHT
from apps.slicing.configs.priming import Excursion, excursions
from apps.slicing.configs.slic3r import numbers
from apps.slicing.domain.installed_engines import content_of, installed_engines, settings_of
from apps.slicing.domain.preset_beds import absolute_bed, preset_excursions
from apps.slicing.engines.base import Bed, Engine, SettingsError, SliceFailed
from apps.slicing.engines.bed_placement import TOLERANCE
from apps.slicing.engines.cura_raw import PrintOptions
from apps.slicing.engines.curaengine import CuraEngine
from apps.slicing.models import Config, EngineName
from apps.slicing.services.configs import find_config, find_or_make
from core.auth_user import Person
from core.errors import ServiceError

QUALITIES = {height: quality for quality, height in LAYER_HEIGHTS.items()}

NOZZLES = {EngineName.SLIC3R: "nozzle_diameter", EngineName.CURA: "machine_nozzle_size"}
THINNEST = 0.01  # mm, of a layer


class StartGcodeOffBed(ServiceError):
    """Its own start gcode goes where the printer does not reach."""

    code = "object-off-bed"


class NoSuchLayerHeight(ServiceError):
    """Layers that a config cannot print."""

    code = "property-value-not-in-allowed-values"


@dataclass(frozen=True)
class PrinterBed:
    """The bed that a config has to print on.

    volume : build volume, mm
    preset : URI of the printer's preset, whose bed it is then
    """

    volume: tuple[float, float, float]
    preset: str | None = None


@dataclass(frozen=True)
class FittedOptions:
    """What is to be other than the config says.

    layer_height : mm; None: as the config has it
    overrides    : curated parameters; a null one changes nothing
    """

    layer_height: float | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict)


def find_or_make_fitted_config(
    *, owner: Person, config: str, bed: PrinterBed, options: FittedOptions
) -> str:
    """The URI of a config with the settings of `config`, on this bed and with these options.

    That is `config` itself where it is so already. One that is made of a printer's presets keeps
    their bed.

    Raises UnknownResource, StartGcodeOffBed, NoSuchLayerHeight.
    """
    row = find_config(uri=config, user=owner)
    engine = installed_engines()[row.engine]
    try:
        settings = settings_of(row)
        fitted = _with_options(row, engine, settings, options)
        if row.kind != Config.Kind.PRESET:
            fitted = _on_bed(engine, fitted, bed)
    except (SliceFailed, SettingsError, RawConfigErrors):  # what is sliced with it tells why
        return row.uri
    if fitted == settings:
        return row.uri
    preset = row.kind == Config.Kind.PRESET
    made = find_or_make(
        owner=owner,
        engine=row.engine,
        kind=Config.Kind.PRESET if preset else Config.Kind.RAW,
        text=engine.config_text(fitted),
        same={"agent_engine": row.agent_engine, **({"preset": row.preset} if row.preset else {})},
        description=f"{row}: fitted to a printer type and its options"[:1000],
        parameters=dict.fromkeys(PARAMETERS),
        notes=row.notes,
        fitted=True,
    )
    return made.uri


def _on_bed(engine: Engine, settings: dict[str, str], bed: PrinterBed) -> dict[str, str]:
    now = engine.bed(settings)
    own = bed.preset and absolute_bed(bed.preset)
    named = now != _default_bed(engine)
    wanted = own or _cut(now, bed.volume, named=named)
    fitted = settings if wanted == now else engine.on_bed(settings, wanted)
    if own:
        _require_start_within(engine, fitted, preset_excursions(str(bed.preset)))
    elif wanted != now:
        _require_start_within(engine, fitted, _excursions(engine, settings) if named else {})
    return fitted


def _with_options(
    row: Config, engine: Engine, settings: dict[str, str], options: FittedOptions
) -> dict[str, str]:
    """The settings with the options."""
    overrides = {key: value for key, value in options.overrides.items() if value is not None}
    height = options.layer_height
    if row.kind == Config.Kind.CURATED:
        if quality := QUALITIES.get(height or 0.0):
            overrides, height = {**overrides, "print_quality": quality}, None
        settings, overrides = engine.settings({**row.parameters, **overrides}), {}
    if height is not None:
        height = _other_height(settings, height, NOZZLES[EngineName(engine.identifier)])
    if isinstance(engine, CuraEngine):
        density = overrides.get("infill_density")
        infill = None if density is None else infill_percent(density)
        chosen = PrintOptions(overrides.get("support"), infill, height)
        if not any(option is not None for option in chosen):
            return settings
        curated = row.kind == Config.Kind.CURATED
        content = engine.config_text(settings) if curated else content_of(row)
        return engine.with_options(content, chosen)
    if overrides:
        supports = "1" if overrides.get("support") else "0"
        if settings.get("support_material", "0") == supports:
            overrides.pop("support", None)
        settings = overridden(settings, overrides)
    return settings if height is None else _with_layers(settings, height)


def _other_height(settings: Mapping[str, str], height: float, nozzle: str) -> float | None:
    """The height of layers, mm, where it is not that of the settings; nozzle : name of its setting.

    Raises NoSuchLayerHeight.
    """
    now, width = ((numbers(settings[name]) or [height])[0] for name in ("layer_height", nozzle))
    if abs(now - height) < SAME_HEIGHT:
        return None
    _require_layers(height, width)
    return height


def _require_layers(height: float, nozzle: float) -> None:
    """Raise NoSuchLayerHeight for layers, mm, that a nozzle of this width cannot print."""
    if height < THINNEST:
        raise NoSuchLayerHeight(
            f"Layers of {height:g} mm are thinner than {THINNEST:g} mm, the least that is sliced: "
            "choose higher layers.",
            field="layer_thickness",
        )
    if height > nozzle:
        raise NoSuchLayerHeight(
            f"Layers of {height:g} mm are higher than the nozzle of {nozzle:g} mm is wide: choose "
            "lower layers, or a config of a wider nozzle.",
            field="layer_thickness",
        )


def _with_layers(settings: dict[str, str], height: float) -> dict[str, str]:
    """The settings with layers of another height, mm; floors and ceilings stay as thick."""
    before = (numbers(settings["layer_height"]) or [height])[0]
    nozzle = (numbers(settings["nozzle_diameter"]) or [height])[0]
    solid = {
        name: str(math.ceil(int(settings[name]) * before / height - 1e-9))
        for name in ("top_solid_layers", "bottom_solid_layers")
        if settings.get(name, "").isdigit()
    }
    first = f"{min(max(height, 0.2), 0.75 * nozzle):.6g}"
    return {**settings, **solid, "layer_height": f"{height:.6g}", "first_layer_height": first}


def _default_bed(engine: Engine) -> Bed:
    """The build volume of configs that name none."""
    return engine.bed(engine.settings({}))


def config_volume(config: str) -> tuple[float, float, float] | None:
    """The build volume that a config names itself, mm; None where it names none."""
    row = Config.objects.filter(pk__in=Config.keys_of(config), deleted=None).first()
    if row is None or row.kind == Config.Kind.CURATED:
        return None
    engine = installed_engines()[row.engine]
    try:
        bed = engine.bed(settings_of(row))
        return None if bed == _default_bed(engine) else bed[:3]
    except SliceFailed:
        return None


def _cut(bed: Bed, volume: tuple[float, float, float], *, named: bool) -> Bed:
    """A bed no larger than a build volume; its origin stays at a corner, or in the middle.

    named : whether the config names the bed, which then is the larger of the two at most
    """
    width, depth, height = map(min, bed[:3], volume) if named else volume
    if bed.outline:  # round: a box says nothing of it
        return bed._replace(height=height)
    left, front = bed.left * width / bed.width, bed.front * depth / bed.depth
    return Bed(width, depth, height, left, front)


def _excursions(engine: Engine, settings: Mapping[str, str]) -> Mapping[str, Excursion]:
    return excursions(engine.start_gcode(settings), engine.bed(settings).corners)


def _require_start_within(
    engine: Engine, settings: Mapping[str, str], reach: Mapping[str, Excursion]
) -> None:
    """Raise StartGcodeOffBed where the start gcode goes further beside the bed than the printer.

    reach : of the printer's preset, or else of the config on the bed that it names itself
    """
    for side, move in _excursions(engine, settings).items():
        limit = reach[side].reach if side in reach else 0.0
        if move.reach > limit + TOLERANCE:
            there = f"{limit:.3g} mm" if limit else "not"
            raise StartGcodeOffBed(
                f"The start G-code of the config goes to {move.description} beside the printer "
                f"type's bed, where the printer reaches {there}: shorten its purge line, or "
                "correct the build volume.",
                field="config",
            )


# Settings that each object on a plate may have for itself, of both engines.
OF_OBJECTS = {
    "fill_density",
    "fill_pattern",
    "support_material",
    "support_material_auto",
    "support_material_enforce_layers",
    # CuraEngine
    "bottom_layers",
    "cross_infill_pocket_size",
    "infill_line_distance",
    "infill_overlap",
    "infill_overlap_mm",
    "infill_pattern",
    "infill_sparse_density",
    "initial_bottom_layers",
    "min_skin_width_for_expansion",
    "support_enable",
    "top_layers",
}


def object_settings(*, of: str, on: str) -> dict[str, str] | None:
    """The settings that objects of the config `of` have on a plate that is sliced with `on`.

    None where the two differ in a setting that a plate has but once.
    """
    if of == on:
        return {}
    rows = [Config.objects.filter(pk__in=Config.keys_of(uri)).first() for uri in (of, on)]
    try:
        own, plate = ({} if row is None else settings_of(row) for row in rows)
    except SliceFailed:
        return None
    names = {name for name in own.keys() | plate.keys() if own.get(name) != plate.get(name)}
    if not names <= OF_OBJECTS:
        return None
    return {name: own[name] for name in sorted(names) if name in own}
