"""Printer models that the installed PrusaSlicer has presets for."""

from dataclasses import dataclass, field

from apps.slicing.domain.catalogue import Catalogue, Preset


@dataclass
class PrinterModel:
    """A model of a vendor, with what its presets say together.

    model     : its identity in the vendor's bundle, which stays when the name changes
    nozzles   : mm, of the first extruder of each preset
    extruders : how many its presets have
    reasons   : why none of its presets can be used; empty where one can
    """

    vendor: str
    model: str
    name: str
    nozzles: list[float] = field(default_factory=list)
    extruders: list[int] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)


def printer_models(read: Catalogue) -> list[PrinterModel]:
    """Return the models that lay down filament, by vendor and name."""
    presets: dict[tuple[str, str], list[Preset]] = {}
    for row in read:
        if row.kind == "printer" and not _is_resin(row):
            key = row.vendor, row.wanted.get("printer_model", row.name)
            presets.setdefault(key, []).append(row)
    models = [_model(vendor, model, rows) for (vendor, model), rows in presets.items()]
    return sorted(models, key=lambda model: (model.vendor.casefold(), model.name.casefold()))


def _model(vendor: str, model: str, rows: list[Preset]) -> PrinterModel:
    usable = any(row.usable for row in rows)
    return PrinterModel(
        vendor=vendor,
        model=model,
        name=rows[0].printer_model or rows[0].name,
        nozzles=sorted({row.nozzle_diameter for row in rows if row.nozzle_diameter}),
        extruders=sorted({len(row.nozzles) for row in rows}),
        reasons=[] if usable else sorted({reason for row in rows for reason in row.reasons}),
    )


def _is_resin(row: Preset) -> bool:
    return row.source.flat(row.kind, row.name).get("printer_technology") == "SLA"
