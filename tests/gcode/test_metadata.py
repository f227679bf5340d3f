"""What slicers state in G-code: printer, nozzle, filament, print time, objects."""

from dataclasses import replace

import pytest

from gcode import GcodeObject, figures, metadata, unpack
from gcode.firmware_labels import FirmwareLabel
from tests.gcode.slicer_files import FILES, SECONDS


@pytest.fixture
def plain(tmp_path):
    """`plain(content)`: the path of the plain G-code of a file."""

    def write(content: bytes):
        path, text = tmp_path / "file", tmp_path / "text"
        path.write_bytes(content)
        return text if unpack(path, text) else path

    return write


@pytest.mark.parametrize("slicer", FILES)
def test_metadata_of_each_slicer(plain, slicer):
    path = plain(FILES[slicer][1])

    result = metadata(path)

    assert result.slicer == slicer
    assert result.slicer_version
    assert result.stated_seconds == SECONDS
    assert result.objects == [GcodeObject("Bracket.stl", 2)]
    expected = {
        "Bambu Studio": ("Bambu Lab P1S", [0.4], ["PLA"], 0.2),
        "Cura": ("Creality Ender-3", [], [], 0.2),
        "ideaMaker": (None, [0.4], ["PLA"], None),
    }.get(slicer, ("MK4", [0.4], ["PLA"], 0.2))
    assert expected == (
        result.printer_model,
        result.nozzle_diameters,
        result.filament_types,
        result.layer_height,
    )


@pytest.mark.parametrize("slicer", FILES)
def test_own_print_time_is_within_five_percent_of_the_stated_one(plain, slicer):
    path = plain(FILES[slicer][1])

    assert figures(path).build_time_seconds == pytest.approx(SECONDS, rel=0.05)


def test_values_of_several_tools_keep_their_order(plain):
    listed = plain(b"; filament_type = PLA;PETG\n; nozzle_diameter = 0.4,0.6\nG1 X1 E1\n")
    assert metadata(listed).filament_types == ["PLA", "PETG"]
    assert metadata(listed).nozzle_diameters == [0.4, 0.6]

    cura = b";EXTRUDER_TRAIN.1.NOZZLE.DIAMETER:0.8\n;EXTRUDER_TRAIN.0.NOZZLE.DIAMETER:0.4\n"
    assert metadata(plain(cura + b"G1 X1 E1\n")).nozzle_diameters == [0.4, 0.8]


KLIPPER = (
    b"EXCLUDE_OBJECT_DEFINE NAME=Bracket.stl_id_0_copy_0 CENTER=1,-1.5 POLYGON=[[0,0]]\n"
    b"EXCLUDE_OBJECT_DEFINE CENTER=2,2 NAME='Bracket_stl_id_0_copy_1'\n"
)
KLIPPER_LABELS = [
    FirmwareLabel("Bracket.stl_id_0_copy_0", 0, "klipper", [1.0, -1.5]),
    FirmwareLabel("Bracket_stl_id_0_copy_1", 1, "klipper", [2.0, 2.0]),
]
VISITS = b"".join(b"; printing object Bracket.stl id:0 copy %d\n" % copy for copy in (1, 0, 1))


def of_marlin(*names: str) -> list[FirmwareLabel]:
    return [FirmwareLabel(name, number, "marlin") for number, name in enumerate(names, start=3)]


@pytest.mark.parametrize(
    ("lines", "labels"),
    [
        (VISITS + KLIPPER, KLIPPER_LABELS),
        (
            KLIPPER.replace(b"_stl_", b".stl_"),
            [KLIPPER_LABELS[0], replace(KLIPPER_LABELS[1], name="Bracket.stl_id_0_copy_1")],
        ),
        (
            b"M486 S3\nM486 ABracket.stl (Instance 1)\nM486 S4\nM486 ABracket.stl (Instance 2)\n",
            of_marlin("Bracket.stl (Instance 1)", "Bracket.stl (Instance 2)"),
        ),
        (
            b'M486 T2\nM486 S3 A"Bracket.stl id:0 copy 0"\nM486 S4 A"Bracket.stl id:0 copy 1"\n'
            b"M486 S3\nM486 S-1\n",
            of_marlin("Bracket.stl id:0 copy 0", "Bracket.stl id:0 copy 1"),
        ),
        (VISITS + b"M486 ABracket.stl\n", []),
    ],
)
def test_objects_have_the_labels_of_their_firmware(plain, lines, labels):
    (row,) = metadata(plain(lines * 3 + b"G1 X1 E1\n")).objects

    assert (row.name, row.count) == ("Bracket.stl", 2)
    assert row.labels == labels


def test_labels_that_no_command_can_name_are_left_out(plain):
    names = (b"'a b'", "Bügel".encode(), b"a%s" % (b"b" * 100), b"'a\"b'", b"ok")
    text = b"".join(b"EXCLUDE_OBJECT_DEFINE NAME=%s\n" % name for name in names)

    objects = metadata(plain(text + b"G1 X1 E1\n")).objects

    assert len(objects) == len(names)
    assert [label.name for each in objects for label in each.labels] == ["ok"]


def test_label_that_two_objects_may_mean_is_of_none(plain):
    lines = b"; printing object a-b id:0 copy 0\n; printing object ab id:1 copy 0\n"
    lines += b"EXCLUDE_OBJECT_DEFINE NAME=a_b\n"

    assert [each.labels for each in metadata(plain(lines)).objects] == [[], []]


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"; estimated printing time (normal mode) = soon\n;TIME:-4\n",
        b"; nozzle_diameter = nan,inf,-1\n",
        b"; printer_model = \n;MESH:NONMESH\n; printing object\n; filament_type = ;;\n",
        b";" + b"a" * 100_000 + b"=1\n",
        b"\xff\xfe\x00" * 1000,
    ],
)
def test_values_that_cannot_be_read_are_left_out(plain, text):
    result = metadata(plain(text + b"G1 X1 E1\n"))

    assert (result.printer_model, result.stated_seconds, result.nozzle_diameters) == (
        None,
        None,
        [],
    )
    assert (result.filament_types, result.objects) == ([], [])


def test_names_of_objects_are_bounded(plain):
    lines = b"".join(b"; printing object %d id:0 copy 0\n" % number for number in range(3000))

    assert len(metadata(plain(lines)).objects) == 1000
