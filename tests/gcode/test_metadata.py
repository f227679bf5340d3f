"""What slicers state in G-code: printer, nozzle, filament, print time, objects."""

import pytest

from gcode import GcodeObject, figures, metadata, unpack
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


@pytest.mark.parametrize(
    "labels",
    [
        b"EXCLUDE_OBJECT_DEFINE NAME=Bracket.stl_id_0_copy_0 CENTER=1,1\n"
        b"EXCLUDE_OBJECT_DEFINE NAME=Bracket.stl_id_0_copy_1 CENTER=2,2\n",
        b"M486 S0\nM486 ABracket.stl (Instance 1)\nM486 S1\nM486 ABracket.stl (Instance 2)\n",
    ],
)
def test_objects_of_firmware_labels_are_counted(plain, labels):
    assert metadata(plain(labels * 3 + b"G1 X1 E1\n")).objects == [GcodeObject("Bracket.stl", 2)]


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
