"""Generic prints and filaments, for printers that a catalogue has none for."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from apps.slicing.configs.bundles import Settings

NOTE = "Generic settings of the platform: the catalogue has none for these printers."
MAX_SPEED, MAX_ACCELERATION = 150.0, 4000.0  # mm/s, mm/s2
SPEED_SHARE = 0.4  # of the speed that the firmware allows


class Generic(NamedTuple):
    """A filament: degrees Celsius of nozzle and bed, g/cm3, mm3/s."""

    material: str
    nozzle: int
    bed: int
    density: float
    flow: float


FILAMENTS = (
    Generic("PLA", 215, 60, 1.24, 12),
    Generic("PETG", 240, 80, 1.27, 9),
    Generic("ABS", 250, 100, 1.04, 11),
    Generic("ASA", 255, 100, 1.07, 11),
    Generic("TPU", 225, 50, 1.21, 3),
)


def generic_presets(
    sections: Mapping[str, Mapping[str, Settings]],
) -> Iterator[tuple[str, str, Settings]]:
    """Yield kind, name and settings of what printers have no preset for.

    sections : the presets that there are, by kind and name
    """
    printers = sections["printer"]
    for name in _without(printers, sections["print"].values()):
        settings = _print(printers[name])
        title = f"{settings['layer_height']} mm generic @{name}"
        yield "print", title, {**settings, "compatible_printers": f'"{name}"'}
    names = _without(printers, sections["filament"].values())
    if names:
        listed = ";".join(f'"{name}"' for name in names)
        for filament in FILAMENTS:
            settings = {**_filament(filament), "compatible_printers": listed}
            yield "filament", f"Generic {filament.material}", settings


def _without(printers: Iterable[str], presets: Iterable[Settings]) -> list[str]:
    """Return the printers that no preset is for."""
    listed: set[str] = set()
    for preset in presets:
        if "compatible_printers" not in preset:
            return []  # for all of them
        listed |= {name.strip('"') for name in preset["compatible_printers"].split(";")}
    return [name for name in printers if name not in listed]


def _print(printer: Settings) -> Settings:
    height = 0.5 * float(printer.get("nozzle_diameter", 0.4))
    speed = min(MAX_SPEED, SPEED_SHARE * float(printer.get("machine_max_feedrate_x", MAX_SPEED)))
    acceleration = min(
        MAX_ACCELERATION, float(printer.get("machine_max_acceleration_extruding", 1500))
    )
    speeds = ("perimeter", "infill", "solid_infill", "support_material")
    slow = ("external_perimeter", "top_solid_infill", "bridge", "gap_fill")
    return {
        "layer_height": f"{height:.4g}",
        "first_layer_height": f"{height:.4g}",
        "perimeters": "2",
        "top_solid_layers": "5",
        "bottom_solid_layers": "4",
        "fill_density": "15%",
        "fill_pattern": "grid",
        "brim_type": "no_brim",
        "default_acceleration": f"{acceleration:.6g}",
        "travel_speed": f"{2 * speed:.6g}",
        "first_layer_speed": f"{min(50.0, speed):.6g}",
        **{f"{name}_speed": f"{speed:.6g}" for name in speeds},
        **{f"{name}_speed": f"{speed / 2:.6g}" for name in slow},
    }


def _filament(filament: Generic) -> Settings:
    return {
        "filament_type": filament.material,
        "filament_diameter": "1.75",
        "filament_density": str(filament.density),
        "filament_max_volumetric_speed": str(filament.flow),
        "temperature": str(filament.nozzle),
        "first_layer_temperature": str(filament.nozzle),
        "bed_temperature": str(filament.bed),
        "first_layer_bed_temperature": str(filament.bed),
        "slowdown_below_layer_time": "6",
    }
