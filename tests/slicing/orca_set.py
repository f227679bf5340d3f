"""A set of profiles of a maker that the tests have made up, as OrcaSlicer has them."""

import json
from pathlib import Path

PRINTER = "Nova One 0.4 nozzle"
START = "PRINT_START BED=[bed_temperature_initial_layer_single]"
PROFILES = [
    {
        "type": "machine",
        "name": "fdm_nova_common",
        "instantiation": "false",
        "printable_height": "180",
        "gcode_flavor": "klipper",
        "machine_max_speed_x": ["400", "200"],
        "machine_max_acceleration_extruding": ["9000", "5000"],
        "machine_start_gcode": START,
    },
    {
        "type": "machine",
        "name": PRINTER,
        "inherits": "fdm_nova_common",
        "printer_model": "Nova One",
        "nozzle_diameter": ["0.4"],
        "printable_area": ["0x0", "180x0", "180x180", "0x180"],
        "default_print_profile": "0.20mm Nova",
        "default_filament_profile": ["Nova PLA"],
        "scan_first_layer": "1",
    },
    {"type": "machine", "name": "Nova Broken", "inherits": "fdm_gone", "nozzle_diameter": ["0.4"]},
    {
        "type": "machine",
        "name": "Nova Bare",
        "inherits": "fdm_nova_common",
        "nozzle_diameter": ["0.6"],
        "printable_area": ["0x0", "120x0", "120x120", "0x120"],
    },
    {
        "type": "process",
        "name": "0.20mm Nova",
        "layer_height": "0.2",
        "outer_wall_speed": "200",
        "compatible_printers": [PRINTER],
    },
    {
        "type": "filament",
        "name": "Nova PLA",
        "filament_type": ["PLA"],
        "filament_diameter": ["1.75"],
        "filament_density": ["1.24"],
        "nozzle_temperature": ["220"],
        "hot_plate_temp": ["60"],
        "compatible_printers": [PRINTER],
    },
]
SET = {"origin": "OrcaSlicer", "vendor": "Nova", "version": "1.2", "profiles": PROFILES}


def write_set(folder: Path) -> Path:
    """Write the set into a folder, which is made."""
    folder.mkdir(exist_ok=True)
    path = folder / "orca-Nova.json"
    path.write_text(json.dumps(SET))
    return path
