"""Plain G-code inside binary G-code and sliced plates."""

import struct
import zipfile
import zlib

import pytest

from gcode import InvalidGcode, figures, unpack

TEXT = (
    "G90\nM83\n;TYPE:Perimeter\nG1 Z0.2 F600\n"
    + "".join(f"G1 X{10 + 50 * (at % 2)} Y{at}.5 E2.5 F1800\n" for at in range(40))
).encode()
PACKED = {sign: code for code, sign in enumerate(b"0123456789. \nGX")}


def block(kind, content, *, compression=0, size=None, parameters=b"\0\0", checksum=True):
    head = struct.pack("<HHI", kind, compression, len(content) if size is None else size)
    if compression:
        head += struct.pack("<I", len(content))
    data = head + parameters + content
    return data + (struct.pack("<I", zlib.crc32(data)) if checksum else b"")


def bgcode(*blocks, version=1, checksum=1):
    return b"GCDE" + struct.pack("<IH", version, checksum) + b"".join(blocks)


def meatpack(text, *, no_spaces=False):
    codes = dict(PACKED)
    if no_spaces:
        codes[ord("E")] = codes.pop(ord(" "))
    out = b"\xff\xff\xfb" + (b"\xff\xff\xf7" if no_spaces else b"")
    for line in text.splitlines():
        if line.startswith(b";"):
            out += b"\xff\xff\xfa" + line + b"\n" + b"\xff\xff\xfb"
            continue
        line = (line.replace(b" ", b"") if no_spaces else line) + b"\n"
        for at in range(0, len(line), 2):
            first, second = line[at], line[at + 1] if at + 1 < len(line) else ord("\n")
            low, high = codes.get(first, 15), codes.get(second, 15)
            out += bytes([low | high << 4])
            out += bytes(sign for sign, code in ((first, low), (second, high)) if code == 15)
    return out


def heatshrink(data, window, lookahead):
    """Greedy, with a search of the last bytes alone."""
    bits, at = "", 0
    while at < len(data):
        best, back = 0, 0
        for start in range(max(0, at - (1 << window)), at):
            length = 0
            while (
                length < 1 << lookahead
                and at + length < len(data)
                and data[start + length] == data[at + length]
            ):
                length += 1
            if length > best:
                best, back = length, at - start
        if best > 1:
            bits += f"0{back - 1:0{window}b}{best - 1:0{lookahead}b}"
            at += best
        else:
            bits += f"1{data[at]:08b}"
            at += 1
    bits += "0" * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, "big")


@pytest.fixture
def unpacked(tmp_path):
    """`unpacked(data)`: the kind of container, and the path of the G-code in it."""

    def unpacked(data, plate=None):
        path, out = tmp_path / "file", tmp_path / "out"
        path.write_bytes(data)
        return unpack(path, out, plate=plate), out

    return unpacked


@pytest.mark.parametrize("compression", range(4))
@pytest.mark.parametrize("encoding", ["plain", "meatpack", "without blanks"])
def test_binary_gcode_has_the_figures_of_its_text(unpacked, read_gcode, compression, encoding):
    content = TEXT
    if encoding != "plain":
        content = meatpack(TEXT, no_spaces=encoding == "without blanks")
    parameters = struct.pack("<H", 0 if encoding == "plain" else 2)
    size = len(content)
    if compression == 1:
        content = zlib.compress(content)
    elif compression:
        content = heatshrink(content, 9 + compression, 4)
    thumbnail = block(5, b"png", parameters=bytes(6))
    settings = block(2, b"filament_diameter=2.85\nlayer_height=0.2\n")

    container, out = unpacked(
        bgcode(
            block(0, b"Producer=x"),
            thumbnail,
            settings,
            block(1, content, compression=compression, size=size, parameters=parameters),
        )
    )

    assert container == ("bgcode", [])
    assert figures(out) == read_gcode(TEXT + b"; filament_diameter = 2.85\n")


def test_binary_gcode_without_checksums_and_of_several_blocks_is_read(unpacked):
    data = bgcode(*(block(1, TEXT, checksum=False) for _ in range(3)), checksum=0)

    _, out = unpacked(data)

    assert figures(out).filament_mm == pytest.approx(300.0)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"GCDE\1\0\0", "damaged"),
        (bgcode(version=2), "unknown-version"),
        (bgcode(checksum=7), "unknown-version"),
        (bgcode(block(1, TEXT))[:-9], "damaged"),
        (bgcode(block(1, TEXT).replace(b"X10", b"X90")), "damaged"),
        (bgcode(block(1, TEXT, compression=4)), "unknown-compression"),
        (bgcode(block(1, TEXT, compression=1)), "damaged"),
        (bgcode(block(1, b"\xff" * 9, compression=2, size=5000)), "damaged"),
        (bgcode(block(1, TEXT, parameters=b"\3\0")), "unknown-encoding"),
        (bgcode(block(1, b"x", compression=1, size=1 << 31)), "damaged"),
    ],
)
def test_binary_gcode_that_cannot_be_read_is_refused(unpacked, data, code):
    with pytest.raises(InvalidGcode) as refused:
        unpacked(data)

    assert refused.value.code == code


def plate(tmp_path, members):
    path = tmp_path / "plate.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path.read_bytes()


def test_sliced_plate_has_the_figures_of_its_gcode(unpacked, read_gcode, tmp_path):
    data = plate(tmp_path, {"3D/3dmodel.model": "<model/>", "Metadata/plate_3.gcode": TEXT})

    container, out = unpacked(data)

    assert container == ("gcode.3mf", [3])
    assert figures(out) == read_gcode(TEXT)


def test_each_plate_of_a_file_is_unpacked_with_the_names_of_its_objects(unpacked, tmp_path):
    info = "".join(
        f'<plate><metadata key="index" value="{number}"/>'
        f'<object identify_id="{number}7" name="Lid &amp; Box {number}" skipped="false" /></plate>'
        for number in (1, 3)
    )
    members = {"Metadata/plate_1.gcode": TEXT, "Metadata/plate_3.gcode": TEXT + b"G1 X1 E1\n"}
    data = plate(tmp_path, members | {"Metadata/slice_info.config": f"<config>{info}</config>"})

    first, out = unpacked(data)
    assert first == ("gcode.3mf", [1, 3])
    assert out.read_bytes() == TEXT + b"\n; plate_object = 17 Lid & Box 1\n"
    _, out = unpacked(data, plate=3)
    assert out.read_bytes() == TEXT + b"G1 X1 E1\n\n; plate_object = 37 Lid & Box 3\n"
    with pytest.raises(InvalidGcode, match="no G-code of the plate 2"):
        unpacked(data, plate=2)


def test_file_of_more_plates_than_a_slicer_has_is_refused(unpacked, tmp_path):
    members = {f"Metadata/plate_{number}.gcode": TEXT for number in range(1, 38)}

    with pytest.raises(InvalidGcode, match="37 plates; at most 36"):
        unpacked(plate(tmp_path, members))


def test_archive_that_unpacks_to_far_more_than_its_size_is_refused(unpacked, tmp_path):
    members = {"Metadata/plate_1.gcode": b"G1 X1\n" * 5_000_000}

    with pytest.raises(InvalidGcode, match="more than is unpacked"):
        unpacked(plate(tmp_path, members))


def test_sliced_plate_with_a_damaged_member_is_refused(unpacked, tmp_path):
    data = bytearray(plate(tmp_path, {"Metadata/plate_1.gcode": TEXT}))
    data[60:70] = bytes(10)

    with pytest.raises(InvalidGcode, match="damaged"):
        unpacked(bytes(data))


@pytest.mark.parametrize("data", [b"", TEXT, b"PK\3\4..."])
def test_other_files_are_no_containers(unpacked, data):
    assert unpacked(data)[0] is None
