"""Bytes of gcode files: padding, line ends and encodings that are read, and those refused."""

from dataclasses import replace

import pytest

from gcode import InvalidGcode, LayerIndex, figures, laid_paths
from gcode.texts import BLOCK_BYTES

LINES = "M83\nG1 Z0.2 F600\n" + "G1 X60 E2.5 F1800\nG1 X10 E2.5\n" * 25 + "G1 Z0.4\nG1 X60 E2\n"
MANY = LINES + "G1 X10 Y1 E1\nG1 X60 Y2 E1\n" * (BLOCK_BYTES // 20)


@pytest.mark.parametrize("text", [LINES, MANY], ids=["short", "long"])
@pytest.mark.parametrize(
    "change",
    [
        lambda data: data + bytes(64),
        lambda data: data + bytes(3 * BLOCK_BYTES),
        lambda data: data + bytes(100) + b"\r\n\n" + bytes(7),
        lambda data: data.rstrip(b"\n") + b"\0",
        lambda data: data + b"\x1a",
        lambda data: b"\xef\xbb\xbf" + data + bytes(9),
        lambda data: data.replace(b"\n", b"\r"),
        lambda data: data.replace(b"\n", b"\r") + bytes(9),
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.replace(b"E2.5\n", b"E2.5\r"),
        lambda data: data.replace(b"F1800\n", b"F1800\r\n"),
    ],
)
def test_figures_do_not_depend_on_padding_and_line_ends(read_gcode, text, change):
    data = text.encode()

    plain, changed = read_gcode(data), read_gcode(change(data))

    assert changed.build_time_seconds == pytest.approx(plain.build_time_seconds, rel=1e-12)
    assert replace(changed, build_time_seconds=plain.build_time_seconds) == plain


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (LINES.encode()[:60] + bytes(20) + LINES.encode()[60:], "from byte 60 (line 5)"),
        (LINES.encode() + bytes(600_000) + b"G1 X1\n", f"from byte {len(LINES)} (line 55)"),
        (MANY.encode() + bytes(600_000) + b"G1 X1\n", f"from byte {len(MANY)} (line"),
        (b"G28\nG1 X\x01 Y1\n" + bytes(9), "byte 8 (line 2) is 0x01"),
        (b"G28\nG1 X1\n\x1aG1 X2\n", "byte 10 (line 3) is 0x1A"),
        (LINES.encode("utf-16"), "UTF-16"),
        (LINES.encode("utf-16-le"), "UTF-16"),
        (LINES.encode("utf-16-be"), "UTF-16"),
        (LINES.encode("utf-32"), "UTF-32"),
        (bytes(1000), "no commands"),
    ],
)
def test_binary_content_error_states_the_encoding_or_byte_and_line(read_gcode, data, words):
    with pytest.raises(InvalidGcode) as rejection:
        read_gcode(data)

    assert words in rejection.value.title


@pytest.mark.parametrize(
    "change", [lambda data: data.replace(b"\n", b"\r"), lambda data: data + bytes(2 << 20)]
)
def test_layer_toolpaths_are_read_from_padded_and_cr_files(tmp_path, change):
    path, index_path = tmp_path / "file.gcode", tmp_path / "index"
    data = change(LINES.encode())
    path.write_bytes(data)

    figures(path, layers=index_path)

    index = LayerIndex(index_path.read_bytes())
    paths, complete = laid_paths(data[slice(*index.span(1))], index, 1)
    assert complete
    assert paths[0].points == [10.0, 0.0, 60.0, 0.0]
