"""Fitted configs: the settings of a config on the bed of the printer that prints with them."""

from collections.abc import Mapping
from dataclasses import dataclass

from apps.slicing.configs.parameters import PARAMETERS
from apps.slicing.configs.priming import reach_beside_bed
from apps.slicing.domain.installed_engines import installed_engines, settings_of
from apps.slicing.domain.preset_beds import absolute_bed
from apps.slicing.engines.base import Bed, Engine, SliceFailed
from apps.slicing.engines.bed_placement import PRIMING
from apps.slicing.models import Config
from apps.slicing.services.configs import find_config, find_or_make
from core.auth_user import Person
from core.errors import ServiceError


class StartGcodeOffBed(ServiceError):
    """Its own start gcode extrudes far beside the printer's bed."""

    code = "object-off-bed"


@dataclass(frozen=True)
class PrinterBed:
    """The bed that a config has to print on.

    volume : build volume, mm
    preset : URI of the printer's preset, whose bed it is then
    """

    volume: tuple[float, float, float]
    preset: str | None = None


def find_or_make_fitted_config(*, owner: Person, config: str, bed: PrinterBed) -> str:
    """The URI of a config with the settings of `config`, on this bed.

    That is `config` itself where its bed is this one, and where it is made of a printer's presets.

    Raises UnknownResource, StartGcodeOffBed.
    """
    row = find_config(uri=config, user=owner)
    engine = installed_engines()[row.engine]
    if row.kind == Config.Kind.PRESET:
        return row.uri
    try:
        settings = settings_of(row)
    except SliceFailed:  # what is sliced with it tells why
        return row.uri
    now = engine.bed(settings)
    own = bed.preset and absolute_bed(bed.preset)
    wanted = own or _cut(now, bed.volume, named=now != _default_bed(engine))
    if wanted == now:
        return row.uri
    fitted = engine.on_bed(settings, wanted)
    _require_priming_on_bed(fitted)
    made = find_or_make(
        owner=owner,
        engine=row.engine,
        kind=Config.Kind.RAW,
        text=engine.config_text(fitted),
        same={},
        description=f"{row} ({wanted.width:g} x {wanted.depth:g} x {wanted.height:g} mm)"[:1000],
        parameters=dict.fromkeys(PARAMETERS),
        notes=row.notes,
    )
    return made.uri


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


def _require_priming_on_bed(settings: Mapping[str, str]) -> None:
    reach = reach_beside_bed(settings.get("start_gcode", ""), settings.get("bed_shape", ""))
    if reach > PRIMING:
        raise StartGcodeOffBed(
            f"The start G-code of the config goes {reach:.3g} mm or more beside the printer type's "
            "bed: shorten its purge line, or correct the build volume.",
            field="config",
        )
