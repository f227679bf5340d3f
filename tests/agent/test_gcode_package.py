"""Packages for Bambu Lab printers: round trip through the platform's reader, and settings."""

import hashlib
import zipfile
from xml.etree import ElementTree

import pytest

from agent.gcode_package import EDGE, GcodeSettings, read_settings, write_package
from gcode.containers import unpack

GCODE = b"; HEADER\nG28\n" + b"G1 X10 Y10 E0.1\n" * 50_000 + b"; filament_type = PETG\n"


def test_plate_is_read_back_as_it_was(tmp_path):
    (tmp_path / "a.gcode").write_bytes(GCODE)

    write_package(tmp_path / "a.gcode", tmp_path / "a.3mf", GcodeSettings())

    assert unpack(tmp_path / "a.3mf", tmp_path / "out") == ("gcode.3mf", [1])
    assert (tmp_path / "out").read_bytes().rstrip() == GCODE.rstrip()


def test_package_has_checksum_and_metadata(tmp_path):
    (tmp_path / "a.gcode").write_bytes(GCODE)

    write_package(tmp_path / "a.gcode", tmp_path / "a.3mf", GcodeSettings('P"<&', "#00FF00"))

    with zipfile.ZipFile(tmp_path / "a.3mf") as package:
        assert package.testzip() is None
        checksum = package.read("Metadata/plate_1.gcode.md5").decode()
        assert checksum == hashlib.md5(GCODE).hexdigest().upper()
        for name in package.namelist():
            if not name.endswith((".gcode", ".md5")):
                ElementTree.fromstring(package.read(name))
        info = ElementTree.fromstring(package.read("Metadata/slice_info.config"))
    assert info.find("plate/metadata[@key='index']").get("value") == "1"
    assert info.find("plate/filament").get("type") == 'P"<&'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("; filament_type = PLA\n; filament_colour = #ff8000\n", ("PLA", "#FF8000", "")),
        ('; filament_type = petg;PLA\r\n; filament_colour = "#F00000"\r', ("PETG", "#F00000", "")),
        ("; printer_model = Bambu Lab X1 Carbon\n", ("", "", "Bambu Lab X1 Carbon")),
        ("; filament_colour = red\n", ("", "", "")),
        ("G1 X1 ; filament_type = PLA\n", ("", "", "")),
    ],
)  # fmt: skip
def test_settings_are_read_from_the_comments(tmp_path, text, expected):
    file = tmp_path / "a"
    file.write_bytes(b"G28\n" + text.encode())

    assert read_settings(file) == expected


@pytest.mark.parametrize("size", [0, EDGE - 30, EDGE, 2 * EDGE, 5 * EDGE])
def test_settings_at_the_end_of_a_long_file_are_read(tmp_path, size):
    file = tmp_path / "a"
    file.write_bytes(b"G1 X1\n" * (size // 6) + b"; filament_type = PLA\n")

    assert read_settings(file).material == "PLA"
