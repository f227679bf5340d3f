"""Create and update printer types; preset checks."""

from collections.abc import Iterator
from typing import Any

from apps.erp.base.models.bureaus import Bureau, Feature
from apps.erp.base.services import resources
from apps.erp.organisation.models.equipment import PrinterType
from apps.erp.organisation.models.master_data import Material
from apps.slicing import interface as slicing
from core.auth_user import Person
from core.errors import Conflict, InvalidFields, ServiceError, UnknownResource

SIDES = tuple(PrinterType.GROUPS["build_volume"].values())


class FeatureNotEnabled(Conflict):
    """Operators have not switched this on for the bureau."""

    code = "feature-not-enabled"


def create_printer_type(*, actor: Person, **values: Any) -> PrinterType:
    """A type of printer, whose packer the bureau may use."""
    if values.get("build_packer_type") == PrinterType.Packer.PREMIUM:
        require_feature(values["bureau"], Feature.PREMIUM_PACKER)
    _check_presets(
        values,
        bureau=values["bureau"],
        preset=values.get("preset_uri"),
        config=values.get("config_uri"),
    )
    _check_gcode(actor, values.get("printer_gcode_uri"), values.get("preset_uri"))
    _check_engine(values.get("engine_uri"), values["bureau"], values.get("preset_uri"))
    return resources.create(actor=actor, kind=PrinterType, **values)


def change_printer_type(*, actor: Person, row: PrinterType, **values: Any) -> None:
    """Change what was given; a type that has the premium packer already keeps it."""
    packer = values.get("build_packer_type", row.build_packer_type)
    if packer == PrinterType.Packer.PREMIUM != row.build_packer_type:
        require_feature(row.bureau, Feature.PREMIUM_PACKER)
    sides = {name: getattr(row, name) for name in SIDES}
    preset = values.get("preset_uri", row.preset_uri)
    config = values.get("config_uri", row.config_uri)
    changed = preset != row.preset_uri or config != row.config_uri
    if changed or any(name in values for name in (*SIDES, "filaments")):
        _check_presets(values, bureau=row.bureau, preset=preset, config=config, sides=sides)
    if preset != row.preset_uri:  # it is of the former printer
        values.setdefault("printer_gcode_uri", None)
    _check_gcode(actor, values.get("printer_gcode_uri"), preset)
    if changed or "engine_uri" in values:
        _check_engine(values.get("engine_uri", row.engine_uri), row.bureau, preset)
    resources.change(actor=actor, row=row, **values)


def _check_gcode(actor: Person, gcode: str | None, preset: str | None) -> None:
    """Raise ServiceError unless the actor may use confirmed G-code with a printer's preset."""
    if gcode and not preset:
        title = "Send the preset of the printer that the G-code is confirmed for."
        raise ServiceError(title, code="missing-parameter", field="preset")
    if gcode and preset:
        slicing.check_printer_gcode(uri=gcode, preset=preset, user=actor)


def _check_engine(engine: str | None, bureau: Bureau, preset: str | None) -> None:
    """Raise ServiceError unless the slicer is of the bureau, and for the printer's preset."""
    if engine:
        slicing.check_shop_engine(uri=engine, bureau=bureau.pk, preset=preset)


def _check_presets(
    values: dict[str, Any],
    *,
    bureau: Bureau,
    preset: str | None,
    config: str | None,
    sides: dict[str, float] | None = None,
) -> None:
    """Fill in the preset's outline, and its build volume where none is given.

    Raises InvalidFields.

    sides : those of a type that is there
    """
    faults: list[ServiceError] = []
    for name, kind in (("preset_uri", "printer"), ("print_preset_uri", "print")):
        if values.get(name) and slicing.preset_kind(values[name]) != kind:
            faults.append(_no_preset(values[name], kind, PrinterType.spelled(name)))
    faults += _faults_of_filaments(values.get("filaments", []), bureau)
    bed = slicing.preset_bed(preset) if preset else None
    if bed is not None or "preset_uri" in values:
        values["outline"] = bed.outline if bed else ()
    volume = (sides or {}) | {name: values[name] for name in SIDES if name in values}
    if bed is not None:
        for name, side in zip(SIDES, bed.size, strict=True):
            if name not in volume:
                values[name] = volume[name] = side
        faults += _faults_of_volume(volume, bed.name, bed.size)
    elif config and (size := slicing.config_volume(config)):
        faults += _faults_of_volume(volume, "The bed of the config", size)
    if bed is None and not faults and any(name not in volume for name in SIDES):
        words = "Send the build_volume, or the preset of a printer, which has one."
        faults.append(ServiceError(words, code="missing-parameter", field="build_volume"))
    if faults:
        raise InvalidFields(faults)


def _faults_of_volume(
    volume: dict[str, float], name: str, size: tuple[float, float, float]
) -> Iterator[ServiceError]:
    """What of a build volume is larger than the bed that it is on."""
    for side, limit in zip(SIDES, size, strict=True):
        if side in volume and volume[side] > limit + 1e-6:
            measures = " x ".join(f"{each:g}" for each in size)
            yield ServiceError(
                f"{name} builds {measures} mm: send a build_volume within that, or none.",
                code="property-value-not-in-allowed-values",
                field=PrinterType.spelled(side),
            )


def _faults_of_filaments(filaments: list[dict[str, str]], bureau: Bureau) -> Iterator[ServiceError]:
    for at, pair in enumerate(filaments):
        keys = Material.keys_of(pair["material"])
        if not Material.objects.filter(pk__in=keys, bureau=bureau).exists():
            title = f"{pair['material']} is not a material of the bureau's."
            yield UnknownResource(title, field=f"filaments.{at}.material")
        if slicing.preset_kind(pair["preset"]) != "filament":
            yield _no_preset(pair["preset"], "filament", f"filaments.{at}.preset")


def _no_preset(uri: str, kind: str, field: str) -> UnknownResource:
    words = f"{uri} is no preset of a {kind}: GET /preset/?filter[kind]={kind} of slicing lists "
    return UnknownResource(f"{words}them.", field=field)


def require_feature(bureau: Bureau, name: str) -> None:
    """Raise FeatureNotEnabled unless the bureau has the feature, and it is enabled."""
    if not Feature.objects.filter(bureau=bureau, name=name, enabled=True).exists():
        raise FeatureNotEnabled(
            f"The feature {name} is not enabled for {bureau.uri}: ask an administrator for it.",
            details={"feature": name, "bureau": bureau.uri},
        )
