"""Profiles of a maker that the tests have made up, with G-code as current printers have it."""

import json
from pathlib import Path

PLAIN = "Terra One 0.4 nozzle"  # every placeholder has an equivalent
SMART = "Terra X 0.4 nozzle"  # one has none
START = """;===== Terra One =====
M140 S[bed_temperature_initial_layer_single] ; bed
M104 S{nozzle_temperature_initial_layer[initial_extruder] - 20}
G28 ; home
{if curr_bed_type == "Textured PEI Plate"}
G29.1 Z{-0.02}
{endif}
M190 S[bed_temperature_initial_layer_single]
M109 S[nozzle_temperature_initial_layer]
G29 A X{first_layer_print_min[0]} Y{first_layer_print_min[1]} I{first_layer_print_size[0]}
T[initial_no_support_extruder]
G92 E0
G90
G1 Z0.3 F3000
G1 X-2 Y20 F5000 ; beside the bed
G1 X-2 Y120 E9 F{outer_wall_volumetric_speed / (0.3 * 0.5) * 60}
G92 E0"""
END = """G91
G1 E-2 F2700
G1 Z2 F600
G90
{if max_layer_z < printable_height - 5}
G1 Z{max_layer_z + 4}
{endif}
M140 S0
M104 S0
M84 X Y E"""
LAYER = "; layer {layer_num + 1} of [total_layer_count]"
SMART_START = """M620 M
M620 S[initial_no_support_extruder]A
M109 S{nozzle_temperature_initial_layer[initial_no_support_filament_id]}
M621 S[initial_no_support_extruder]A
{if scan_first_layer}
M981 S1
{endif}
M142 P1 R{filament_map[initial_no_support_extruder] % 2}
G28"""


def _printer(name: str, **gcode: str) -> dict[str, object]:
    return {
        "type": "machine",
        "name": name,
        "printer_model": name.partition(" 0.4")[0],
        "nozzle_diameter": ["0.4"],
        "printable_area": ["0x0", "220x0", "220x220", "0x220"],
        "printable_height": "250",
        "gcode_flavor": "marlin2",
        "use_relative_e_distances": "1",
        "scan_first_layer": "1",
        "machine_max_speed_x": ["400", "200"],
        "machine_max_acceleration_extruding": ["9000", "5000"],
        "default_filament_profile": ["Terra PLA"],
        **gcode,
    }


PROFILES = [
    _printer(
        PLAIN,
        machine_start_gcode=START,
        machine_end_gcode=END,
        layer_change_gcode=LAYER,
        change_filament_gcode="M600",
    ),
    _printer(SMART, machine_start_gcode=SMART_START, machine_end_gcode="M104 S0\nM140 S0"),
    {
        "type": "process",
        "name": "0.20mm Terra",
        "layer_height": "0.2",
        "outer_wall_speed": "120",
        "compatible_printers": [PLAIN, SMART],
    },
    {
        "type": "filament",
        "name": "Terra PLA",
        "filament_type": ["PLA"],
        "filament_diameter": ["1.75"],
        "filament_density": ["1.24"],
        "nozzle_temperature": ["215"],
        "nozzle_temperature_initial_layer": ["220"],
        "hot_plate_temp": ["60"],
        "filament_max_volumetric_speed": ["12"],
        "compatible_printers": [PLAIN, SMART],
    },
]
SET = {"origin": "OrcaSlicer", "vendor": "Terra", "version": "2.1", "profiles": PROFILES}


def write_gcode_set(folder: Path) -> Path:
    """Write the set into a folder, which is made."""
    folder.mkdir(exist_ok=True)
    path = folder / "orca-Terra.json"
    path.write_text(json.dumps(SET))
    return path
