"""Temperatures of gcode files, as firmwares read them, against the limits of a printer."""

from io import BytesIO

import pytest

from agent.temperature_limits import MAX_LINE, check_file
from machines.drivers import Rejected

TOO_HOT = [
    "M104 S350",
    "N7 M109 R300.5 T0",
    "N7M109S350*71",
    "m190 s121 ; quick",
    "M140S121",
    "M0104 S350",
    "M 104 S 350",
    "M 1 0 4 S 3 5 0",
    "M104\tS350",
    "M104 S0 S350",
    "M104 S350 S0",
    "M109 S200 R350",
    "M104.1 S350",
    "M104 (S100) S350",
    "(heat) M104 S350",
    "G1 X10 M104 S350",
    'M118 S"a;b" M104 S350',
    "G28 M109 S350",
    "M141 S150",
    "M191 S150",
    "M303 E0 S350 C8",
    "M303 E-1 S150",
    "M568 P0 R150 S350 A2",
    "G10 P0 S350 R0",
    "G10 L1 P0 S350",
    "SET_TEMPERATURE_FAN_TARGET TEMPERATURE_FAN=chamber TARGET=350",
    "/M104 S350",
    "G10 P0 R350",
    "M143 H1 S500",
    "SET_HEATER_TEMPERATURE HEATER=extruder TARGET=350",
    "set_heater_temperature heater=heater_bed target=150",
    "SET_HEATER_TEMPERATURE TARGET=3.5e2 HEATER=extruder",
    'TEMPERATURE_WAIT SENSOR="heater_bed" MINIMUM=150',
    "PID_CALIBRATE HEATER=extruder TARGET=350",
    "START_PRINT EXTRUDER_TEMP=350 BED_TEMP=60",
    "START_PRINT EXTRUDER_TEMP=250 BED_TEMP=160",
    "PRINT_START EXTRUDER=350 BED=60",
    "\ufeffM104 S350",
    "M104\x00 S350",
]
UNREADABLE = [
    "M104 S1.2.3",
    "M104 S{300+50}",
    "M104 S",
    "M109 Rhot",
    "M104 S0x15E",
    "M104 S4E2",  # 400 degrees, where strtod() reads it
    "M109S4e2",
    "START_PRINT EXTRUDER_TEMP=nan",
    "SET_HEATER_TEMPERATURE HEATER=extruder TARGET=nan",
    "SET_HEATER_TEMPERATURE HEATER=extruder TARGET={target}",
    "SET_HEATER_TEMPERATURE HEATER=extruder TARGET=",
]
HARMLESS = [
    "M104 S300",
    "M104 T0 S-1",
    "M104",
    "M109 R215 ; wait",
    "M190 S120*12",
    "M1040 S900",
    "M10 S900",
    "M106 S255",
    "M204 P500 T500 S900",
    "M73 P12 R350",
    "G1 X10 E1.5 F9000",
    "G10",
    "G10 S1",
    "G4 S900",
    "; M104 S900",
    '; start_gcode = M862.3 P "[printer_model]"\\nM104 S{first_layer_temperature[0]}',
    'M117 hot ; "M104 S900"',
    "G28 ; M104 S900",
    "M117 Layer 350",
    "M303 E0 S220",
    "M303 S220 E0",
    "ACTIVATE_EXTRUDER EXTRUDER=extruder1",
    "SET_PRESSURE_ADVANCE EXTRUDER=extruder ADVANCE=0.05",
    "START_PRINT EXTRUDER_TEMP=250 BED_TEMP=60 MATERIAL=PLA",
    "SET_HEATER_TEMPERATURE HEATER=heater_bed TARGET=0",
    "EXCLUDE_OBJECT_DEFINE NAME=bed_350 CENTER=120,350 POLYGON=[[1,2],[350,4]]",
    "",
]


def check(text: str) -> None:
    check_file(BytesIO(text.encode()), nozzle=300, bed=120)


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("line", TOO_HOT)
def test_line_that_heats_above_the_limits_is_rejected(line, end):
    with pytest.raises(Rejected, match="at most"):
        check(f"G28{end}{line}{end}G1 X1{end}" if line[0] != "\ufeff" else line + end)


@pytest.mark.parametrize("line", UNREADABLE)
def test_heater_command_that_cannot_be_read_is_rejected(line):
    with pytest.raises(Rejected, match="cannot be read"):
        check(line)


@pytest.mark.parametrize("line", HARMLESS)
def test_line_within_the_temperature_limits_is_accepted(line):
    check(f"{line}\n")


def test_line_of_unlimited_length_is_rejected():
    with pytest.raises(Rejected, match="longer than"):
        check("G1 " + "X1" * MAX_LINE)


def test_last_line_without_an_end_is_checked():
    with pytest.raises(Rejected, match="nozzle to 350"):
        check("G28\nM104 S350")
