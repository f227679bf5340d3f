import gzip
import tracemalloc
from io import BytesIO
from time import process_time
from zipfile import ZipFile

import numpy as np
import pytest

from geometry.formats.stl import read_triangles, write_binary
from geometry.formats.stl.ascii import CHUNK_BYTES
from geometry.formats.stl.reader import CHUNK_FACETS
from geometry.mesh import InvalidMesh

CORNERS = np.array([(0, 0, 0), (1.5, 0, 0), (0, -2.25, 0), (0, 0, 3e-5)], dtype=np.float32)
TETRAHEDRON = CORNERS[[(0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2)]]
FACET = """  facet normal 0 0 1
    outer loop
      vertex {}
      vertex {}
      vertex {}
    endloop
  endfacet
"""


def ascii_stl(triangles, number="%.9g", name="part"):
    def spelt(corner):
        return " ".join(number % float(value) for value in corner)

    facets = "".join(FACET.format(*map(spelt, triangle)) for triangle in triangles)
    return f"solid {name}\n{facets}endsolid {name}\n"


def zipped(name):
    file = BytesIO()
    with ZipFile(file, "w") as archive:
        archive.writestr(name, "<model/>")
    return file.getvalue()


def binary_stl(triangles, *, header=b"", count=None, after=b""):
    records = np.zeros(len(triangles), dtype="(3,)<f4,(9,)<f4,<u2")
    records["f1"] = np.asarray(triangles).reshape(-1, 9)
    promised = len(triangles) if count is None else count
    return header.ljust(80, b"\0") + promised.to_bytes(4, "little") + records.tobytes() + after


@pytest.fixture
def read(tmp_path):
    def read(content, **limits):
        path = tmp_path / "part.stl"
        path.write_bytes(content.encode("latin-1") if isinstance(content, str) else content)
        return read_triangles(path, **limits)

    return read


@pytest.fixture
def rejection(read):
    """What reading `content` is refused with: the code and the sentence."""

    def rejection(content, **limits):
        with pytest.raises(InvalidMesh) as refused:
            read(content, **limits)
        return refused.value.code, refused.value.title

    return rejection


TEXT = ascii_stl(TETRAHEDRON)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(binary_stl(TETRAHEDRON), id="binary"),
        pytest.param(binary_stl(TETRAHEDRON, header=b"solid part"), id="binary called solid"),
        pytest.param(
            binary_stl(TETRAHEDRON, header=b"solid facet normal "), id="binary like a text"
        ),
        pytest.param(binary_stl(TETRAHEDRON, after=b"\0made by"), id="binary with more bytes"),
        pytest.param(binary_stl(TETRAHEDRON, after=bytes(100)), id="binary with more zeros"),
        pytest.param(binary_stl(TETRAHEDRON, after=bytes(range(100))), id="two records of garbage"),
        pytest.param(
            binary_stl(np.where(TETRAHEDRON == 0, np.float32(-0.0), TETRAHEDRON)),
            id="negative zeros in binary",
        ),
        pytest.param(TEXT, id="text"),
        pytest.param(TEXT.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(TEXT.replace("\n", "\r"), id="CR"),
        pytest.param(TEXT.replace("\n", " "), id="one line"),
        pytest.param(TEXT.replace("\n", " ").replace("part", ""), id="one line, no name"),
        pytest.param(TEXT.replace(" ", "\t"), id="tabs"),
        pytest.param(TEXT.upper(), id="upper case"),
        pytest.param(TEXT.title(), id="mixed case"),
        pytest.param("\xef\xbb\xbf" + TEXT, id="byte order mark"),
        pytest.param("\r\n\n " + TEXT, id="blank lines first"),
        pytest.param(TEXT.replace("endsolid part\n", ""), id="no endsolid"),
        pytest.param(TEXT.replace("endfacet\n", ""), id="no endfacet"),
        pytest.param(TEXT.replace("endloop\n", ""), id="no endloop"),
        pytest.param(TEXT.replace("endfacet\n", "", 1), id="one endfacet less"),
        pytest.param(TEXT[: TEXT.rindex("endfacet")], id="no last endfacet"),
        pytest.param(TEXT.replace("endfacet\n", "").upper(), id="no endfacet, upper case"),
        pytest.param(TEXT.removeprefix("solid part\n"), id="no solid line"),
        pytest.param(TEXT.replace("part", ""), id="no name"),
        pytest.param(TEXT.replace("part", "a facet of h\xf6lle; 3 loop"), id="odd name"),
        pytest.param(TEXT.replace("part", "a\0b"), id="NUL in the name"),
        *(
            pytest.param(TEXT.replace("part", name), id=f"named {name}")
            for name in (
                *("facet normal vertex", "facet normal 0 0 1", "facet outer loop", "endfacet"),
                *("endloop endfacet", "vertex 1 2 3", "solid of solids", "ENDFACET"),
            )
        ),
        *(
            pytest.param(TEXT.replace("facet normal 0 0 1", line), id=line)
            for line in (
                *("facet of the outer skin", "facet 12", "facet vertex 3", "facet normal: 0 0 1"),
                *("facet color 1 0 0 normal 0 0 1", "facet normal 0 0 1 endfacet later"),
            )
        ),
        pytest.param(
            TEXT.replace("normal 0 0 1", "of a skin").replace("\n", " "), id="one line, free text"
        ),
        pytest.param(TEXT.replace("\n", " # a note\n"), id="comments"),
        pytest.param("# first\n" + TEXT.replace("\n", " // note\n"), id="comments with slashes"),
        pytest.param(TEXT.replace("normal 0 0 1", "normal nan 1.#IND x"), id="no real normals"),
        pytest.param(TEXT.replace(" normal 0 0 1", ""), id="no normals"),
        pytest.param(TEXT.replace(" 0 ", " -0.0 "), id="negative zeros"),
    ],
)
def test_stl_spelling_variants_yield_the_same_triangles(read, content):
    triangles = read(content)

    assert triangles.dtype == np.float32
    assert triangles.tobytes() == TETRAHEDRON.tobytes()


@pytest.mark.parametrize("count", [1, 3])
def test_facets_beyond_the_count_are_read_only_with_valid_normals(read, tmp_path, count):
    write_binary(TETRAHEDRON, tmp_path / "part.stl")
    content = bytearray((tmp_path / "part.stl").read_bytes())
    content[80:84] = count.to_bytes(4, "little")

    whole, cut = read(bytes(content)), read(bytes(content[:-1]))
    content[84 + 50 * 3 + 3] ^= 64  # in the normal of the last facet

    assert whole.tobytes() == TETRAHEDRON.tobytes()
    assert cut.tobytes() == TETRAHEDRON[:count].tobytes()
    assert len(read(bytes(content))) == count


def test_several_ascii_solids_are_concatenated(read):
    moved = TETRAHEDRON + np.float32(5)

    triangles = read(TEXT + ascii_stl(moved, name="other"))

    assert triangles.tolist() == np.concatenate([TETRAHEDRON, moved]).tolist()


@pytest.mark.parametrize("case", [str.lower, str.upper])
def test_keywords_in_names_of_many_solids_end_no_facet(read, case):
    solid = ascii_stl(TETRAHEDRON, name="endfacet of facet normal vertex")
    count = 3 * CHUNK_BYTES // len(solid)

    triangles = read(case(solid) * count)

    assert triangles.tobytes() == TETRAHEDRON.tobytes() * count


@pytest.mark.parametrize(
    "number",
    "%g %.9g %e %E %.8e %.9e %.10e %f %.3f %.9f %+.5e %.12g %.17g %s %.1f %.25f".split(),
)
def test_ascii_numbers_are_parsed_exactly_in_every_printf_format(read, number):
    random = np.random.default_rng(5)
    values = np.concatenate(
        [random.normal(0, 50, 900), 10.0 ** random.uniform(-30, 30, 90), np.arange(-45, 45)]
    )
    expected = np.array([float(number % value) for value in values], dtype=np.float32)

    triangles = read(ascii_stl(values.reshape(-1, 3, 3), number))

    assert (triangles.ravel() == expected).all()


@pytest.mark.parametrize(
    ("spelt", "value"),
    [
        ("1.", 1.0),
        (".5", 0.5),
        ("-.5e1", -5.0),
        ("+7", 7.0),
        ("1e3", 1000.0),
        ("1E+003", 1000.0),
        ("00012.50", 12.5),
        ("12345678901234567890", 12345678901234567890.0),
        ("0.000000000000000000000001", 1e-24),
        ("1e-0000000002", 0.01),
        ("1e-60", 0.0),
    ],
)
def test_ascii_number_spellings_are_parsed(read, spelt, value):
    triangles = read("solid\n" + FACET.format(f"{spelt} 0 0", "0 1 0", "0 0 1"))

    assert triangles[0, 0, 0] == np.float32(value)


@pytest.mark.parametrize("write", [ascii_stl, binary_stl])
def test_file_of_several_chunks_is_read_whole_and_in_order(read, write):
    corners = np.random.default_rng(1).normal(size=(CHUNK_FACETS + 7, 3, 3)).astype(np.float32)

    triangles = read(write(corners))

    assert len(ascii_stl(corners)) > 3 * CHUNK_BYTES
    assert triangles.tobytes() == corners.tobytes()


WRONG_NUMBER = TEXT.replace("1.5", "1.5mm", 1)


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (b"", "empty-file", "0 bytes"),
        (TEXT.encode("utf-16"), "not-stl", "UTF-16"),
        (TEXT.encode("utf-32"), "not-stl", "UTF-32"),
        (b"a letter to the printer", "not-stl", "'solid'"),
        (bytes(40), "not-stl", "40 bytes"),
        (binary_stl(TETRAHEDRON)[:-1], "truncated", "promises 4 triangles"),
        (binary_stl(TETRAHEDRON, count=0xFFFFFFFF), "truncated", "holds 4"),
        (binary_stl([]), "no-triangles", "promises 0"),
        (binary_stl(TETRAHEDRON, count=0), "no-triangles", "200 bytes"),
        ("solid part\nendsolid part\n", "no-triangles", "no triangles"),
        (TEXT[: TEXT.rindex("vertex") + 9], "truncated", "Triangle 4"),
        (TEXT[: TEXT.rindex("endloop") + 3], "truncated", "Triangle 4"),
        (WRONG_NUMBER, "bad-number", f"Triangle 1 (byte {WRONG_NUMBER.index('1.5mm')}): '1.5mm'"),
        (TEXT.replace("1.5", "1,5"), "bad-number", "decimals with a point"),
        (TEXT.replace("1.5", "1_5"), "bad-number", "'1_5' is not a number"),
        (TEXT.replace("1.5", "e5"), "bad-number", "'e5' is not a number"),
        (TEXT.replace("1.5", "--1"), "bad-number", "'--1' is not a number"),
        (TEXT.replace("1.5", "nan"), "not-finite", "'nan'"),
        (TEXT.replace("1.5", "1e39"), "not-finite", "Triangle 1"),
        (TEXT.replace("endloop", "vertex 1 1 1\nendloop", 1), "bad-facet", "found 'vertex'"),
        (TEXT.replace("0 0 0", "0 0", 1), "bad-facet", "expected a number, found 'vertex'"),
        (TEXT.replace("endloop", "endfacet", 1), "bad-facet", "expected 'facet', found 'endfacet'"),
        (TEXT[: TEXT.rindex("endloop")], "truncated", "Triangle 4"),
        (TEXT.replace("loop", "ring"), "bad-facet", "expected 'loop', found 'ring'"),
        (TEXT + "and a farewell", "bad-facet", "Triangle 5"),
        ("solid the endfacet of all", "no-triangles", "no triangles"),
        ("solid part\n" + "x" * 2 * CHUNK_BYTES, "bad-facet", "no 'endfacet'"),
    ],
)
def test_invalid_stl_is_rejected_with_position_and_reason(rejection, content, code, said):
    got, title = rejection(content)

    assert got == code
    assert said in title


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "a PNG image"),
        (b"\xff\xd8\xff\xe0" + bytes(100), "a JPEG image"),
        (gzip.compress(TEXT.encode()), "a gzip archive"),
        (b"7z\xbc\xaf\x27\x1c" + bytes(100), "a 7z archive"),
        (b"<!DOCTYPE html><p>solid", "a web page"),
        (b"\n<svg><!-- solid --></svg>", "XML"),
        (b'{"solid": 1}', "JSON"),
        (b"MZ\x90" + bytes(200), "a program"),
    ],
)
def test_unsupported_file_type_is_identified_in_the_error(rejection, content, name):
    assert rejection(content) == (
        "not-stl",
        f"The file is not an STL but looks like {name}. Export the model as STL.",
    )


@pytest.mark.parametrize(
    ("content", "name", "model_type"),
    [
        (zipped("3D/3dmodel.model"), "a 3MF package", "3mf"),
        (zipped("part.stl"), "a ZIP archive", "zip"),
        (b"%PDF-1.7 and so on", "a PDF document", "pdf"),
        (b"# Blender\nv 0 0 0\nf 1 1 1\n", "an OBJ model", "obj"),
        (b"ply\nformat ascii 1.0\n", "a PLY model", "ply"),
        (b"OFF\n8 6 0\n", "an OFF model", "off"),
        (b"glTF\x02\0\0\0" + bytes(100), "a GLB model", "glb"),
        (b'{\n"asset": {"version": "2.0"}}', "a glTF model", "gltf"),
        (b"ISO-10303-21;\nHEADER;", "a STEP model", "step"),
        (b"a part of ours".ljust(72) + b"S      1\n", "an IGES model", "iges"),
    ],
)
def test_convertible_file_type_is_identified_with_its_model_type(
    rejection, content, name, model_type
):
    code, title = rejection(content)

    assert code == "not-stl"
    assert f"looks like {name}. Create it as a model of type '{model_type}'" in title
    assert "file-conversion" in title


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("solid\nfacet " + "normal " * 18_000 + "endfacet", id="normals"),
        pytest.param("solid " + ("facet" + " " * 50) * 20_000, id="facets in a name"),
        pytest.param("  #\n" * 300_000 + "x", id="comments"),
        pytest.param(TEXT.replace("1.5", "1e" + "9" * 100_000), id="a long number"),
        pytest.param("solid\n" + "facet endloop " * 200_000, id="ends without vertices"),
        pytest.param("solid\n" + "endloop " * 400_000, id="ends alone"),
        pytest.param("solid endfacet\n" * 200_000, id="ends in names"),
        pytest.param("solid\n" + "facet outer loop endfacet " * 200_000, id="facets in one line"),
        pytest.param("solid " + "facet outer loop " * 200_000, id="facets begun in a name"),
    ],
)
def test_hostile_ascii_text_is_rejected_within_a_second(rejection, content):
    started = process_time()

    rejection(content)

    assert process_time() - started < 1


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_non_finite_coordinate_is_rejected_with_its_triangle(rejection, value):
    triangles = TETRAHEDRON.copy()
    triangles[2, 1, 0] = value

    code, title = rejection(binary_stl(triangles))

    assert code == "not-finite"
    assert title.startswith("Triangle 3 (byte 184)")


def test_overstated_triangle_count_allocates_no_memory(rejection):
    tracemalloc.start()
    rejection(binary_stl(TETRAHEDRON, count=0xFFFFFFFF))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 1 << 20


@pytest.mark.parametrize("content", [binary_stl(TETRAHEDRON), TEXT])
def test_file_above_the_triangle_limit_is_rejected(read, rejection, content):
    assert len(read(content, max_triangles=4)) == 4
    assert rejection(content, max_triangles=3)[0] == "too-many-triangles"


def test_written_stl_has_constant_header_normals_and_zero_attributes(tmp_path):
    square = np.array([[(0, 0, 0), (2, 0, 0), (2, 2, 0)], [(0, 0, 0), (2, 2, 0), (0, 2, 0)]])
    point = np.ones((1, 3, 3))

    write_binary(np.concatenate([square, point]), tmp_path / "out.stl")

    content = (tmp_path / "out.stl").read_bytes()
    records = np.frombuffer(content[84:], dtype="(3,)<f4,(3,3)<f4,<u2")
    assert content[:84] == b"binary STL, millimetres".ljust(80) + b"\3\0\0\0"
    assert records["f0"].tolist() == [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
    assert records["f1"].tolist() == [*square.tolist(), *point.tolist()]
    assert records["f2"].tolist() == [0, 0, 0]


def test_written_stl_is_read_back_bit_for_bit(tmp_path):
    triangles = np.random.default_rng(2).normal(size=(CHUNK_FACETS + 3, 3, 3)).astype(np.float32)

    write_binary(triangles, tmp_path / "out.stl")

    assert read_triangles(tmp_path / "out.stl").tobytes() == triangles.tobytes()


def test_coordinate_beyond_float32_leaves_no_file(tmp_path):
    with pytest.raises(InvalidMesh, match="not finite"):
        write_binary(np.full((1, 3, 3), 1e39), tmp_path / "out.stl")

    assert not (tmp_path / "out.stl").exists()
