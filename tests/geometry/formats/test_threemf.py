"""The reader of 3MF: XML as programs write it, and sentences for what is wrong in it."""

import codecs

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geometry.formats.threemf import xml as threemf_xml
from geometry.formats.threemf.model import parse_model
from tests.geometry.formats import model_files as files
from tests.geometry.formats.test_separate import made_of


def named(name: str, model: str | None = None) -> str:
    return (model or files.model_xml()).replace('id="1" type', f'id="1" name="{name}" type')


# XML


@pytest.mark.parametrize(
    "model",
    [
        named("Geh&#228;use"),
        named("Geh&#xE4;use"),
        named("Geha\u0308use"),  # decomposed, as macOS writes names
        b"\xef\xbb\xbf" + named("Gehäuse").encode(),
        b"\n \n" + named("Gehäuse").encode(),
        named("Gehäuse").encode() + b"\0\0\0",
        named("Gehäuse").replace("UTF-8", "utf8"),
        named("Gehäuse").replace("UTF-8", "ISO-8859-1").encode("latin-1"),
        named("Gehäuse").replace("UTF-8", "windows-1252").encode("cp1252"),
        named("Gehäuse").replace("UTF-8", "UTF-16").encode("utf-16"),
        codecs.BOM_UTF16_BE + named("Gehäuse").replace("UTF-8", "UTF-16").encode("utf-16-be"),
        named("Gehäuse").replace("UTF-8", "UTF-16").encode("utf-16-le"),
    ],
)
def test_object_name_is_read_in_every_xml_encoding(taken, model):
    _, (part,) = taken(files.threemf(model))

    assert part["name"] == "Gehäuse"
    assert part["written"] == pytest.approx(1000)


def test_comments_cdata_and_processing_instructions_are_ignored(taken):
    text = "<metadata name='Description'><![CDATA[<b>x</b> & <vertices>]]></metadata><!-- x -->"
    ignored = "<!-- <vertex x='0' y='0' z='0'/> --><?program <triangle?>"
    model = (
        files.model_xml()
        .replace("<resources>", f"{text}<resources><!-- made by hand -->")
        .replace("<vertices>", f"<vertices>{ignored}")
        .replace("</vertices>", f"{ignored}</vertices>")
    )

    receipt, (part,) = taken(files.threemf(model))

    assert part["written"] == pytest.approx(1000)
    assert receipt["left_out"] == [{"what": "metadata", "name": "Description"}]


@pytest.mark.parametrize(
    "change",
    [
        lambda model: model.replace('x="10.0"', "x='10.0'"),
        lambda model: model.replace('x="10.0"', 'x = "1e1"'),
        lambda model: model.replace('x="10.0"', 'x="&#49;0"'),
        lambda model: model.replace('x="10.0"', 'x="+10.00000000000000000001"'),
        lambda model: model.replace('x="10.0"', 'x=" 10 "'),
        lambda model: model.replace("/></vert", "></vertex></vert"),
        lambda model: model.replace("<vertex ", "<vertex\r\n\t"),
        lambda model: model.replace("<vertex ", '<vertex unknown="1" '),
    ],
)
def test_xml_spelling_variants_yield_the_same_mesh(taken, change):
    _, (part,) = taken(files.threemf(change(files.model_xml())))

    assert part["written"] == pytest.approx(1000)


def test_core_namespace_is_read_with_any_prefix(taken):
    model = files.model_xml().replace("xmlns=", "xmlns:k=")
    for tag in ("model", "resources", "object", "mesh", "vertices", "vertex", "triangles",
                "triangle", "build", "item"):  # fmt: skip
        model = model.replace(f"<{tag} ", f"<k:{tag} ").replace(f"<{tag}>", f"<k:{tag}>")
        model = model.replace(f"</{tag}>", f"</k:{tag}>")

    _, (part,) = taken(files.threemf(model))

    assert part["written"] == pytest.approx(1000)


def rows(draw, tag: str, keys: tuple[str, ...], values: list[list[str]]) -> str:
    """Elements of these values, written in the ways that programs write them."""
    blank = st.sampled_from(["", " ", "\n", "\r\n\t"])
    extra = st.sampled_from(["", ' pid="1"', ' p1="0"', " paint_color='4&#56;'", ' m:x="ü"'])
    out = []
    for row in values:
        pairs = draw(st.permutations(list(zip(keys, row, strict=True))))
        quote = draw(st.sampled_from("\"'"))
        words = " ".join(f"{key}={quote}{value}{quote}" for key, value in pairs)
        between = draw(st.sampled_from(["", "<!-- x -->", "\n", "<other/>"]))
        out.append(f"{draw(blank)}<{tag} {words}{draw(extra)}{draw(blank)}/>{between}")
    return "".join(out)


@st.composite
def models(draw):
    number = st.one_of(
        st.floats(-1e6, 1e6).map(repr),
        st.integers(-9999, 9999).map(str),
        st.decimals(-1000, 1000, places=6).map(str),
        st.floats(width=32, allow_nan=False, allow_infinity=False).map(
            lambda value: f"{value:.9e}"
        ),
    )
    vertices = draw(st.lists(st.lists(number, min_size=3, max_size=3), min_size=3, max_size=40))
    index = st.integers(0, len(vertices) - 1).map(str)
    triangles = draw(st.lists(st.lists(index, min_size=3, max_size=3), min_size=1, max_size=40))
    return files.model_xml(
        '<object id="1"><mesh><vertices>'
        + rows(draw, "vertex", ("x", "y", "z"), vertices)
        + "</vertices><triangles>"
        + rows(draw, "triangle", ("v1", "v2", "v3"), triangles)
        + "</triangles></mesh></object>"
    ).replace("<model ", '<model xmlns:m="urn:m" ')


@settings(max_examples=150, deadline=None)
@given(models())
def test_compiled_row_parser_matches_expat(model):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threemf_xml, "MAX_CHUNK_BYTES", 200)  # most is left to the loop
        fast = parse_model("m", model.encode())
    wide = model.replace("UTF-8", "UTF-16").encode("utf-16")  # which the loop does not read
    slow = parse_model("m", wide)

    for part in (fast, slow):
        assert len(part.objects) == 1
    ours, theirs = fast.objects["1"], slow.objects["1"]
    assert np.array_equal(ours.vertices, theirs.vertices)
    assert np.array_equal(ours.faces, theirs.faces)
    assert set(fast.left_out) == set(slow.left_out)


def test_invalid_number_in_a_large_mesh_is_reported_with_its_element(rejection_of):
    vertices = [(n, n % 7, n % 11) for n in range(9000)]
    faces = [(n, n + 1, n + 2) for n in range(8998)]
    model = files.model_xml(files.object_xml(vertices, faces))

    code, title = rejection_of(files.threemf(model.replace('x="8765"', 'x="8,765"')))

    assert code == "unreadable"
    assert "vertex 8,765, counted from 0, of object 1 in '3D/3dmodel.model'" in title
    assert "'8,765', which is not a number; write decimals with a point" in title
    _, title = rejection_of(files.threemf(model.replace('v3="8999"', 'v3="9001"')))
    assert "triangle 8,997" in title
    assert "vertex 9,001, counted from 0, of 9,000" in title


@pytest.mark.parametrize(
    ("wrong", "right", "said"),
    [
        ("1.0.0", "10.0", "'1.0.0', which is not a number"),
        ("nan", "10.0", "'nan', which is not a number"),
        ("1e999", "10.0", "'1e999', which is too large"),
        ("1_0", "10.0", "'1_0', which is not a number"),
        ("\u0661", "10.0", "which is not a number"),
    ],
)
def test_invalid_number_is_quoted_in_the_error(rejection_of, wrong, right, said):
    model = files.model_xml().replace(f'x="{right}"', f'x="{wrong}"', 1)

    assert said in rejection_of(files.threemf(model))[1]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda m: m.replace(' z="0.0"', "", 1), "vertex 0, counted from 0, of object 1"),
        (lambda m: m.replace(' v3="3"', "", 1), "it has no attribute 'v3'"),
        (lambda m: m.replace('v1="0"', 'v1="-1"', 1), "'-1', which is no index of a vertex"),
        (lambda m: m.replace('v1="0"', 'v1="0.5"', 1), "'0.5', which is no index of a vertex"),
        (lambda m: m.replace("millimeter", "parsec"), "its unit is 'parsec'"),
        (lambda m: m.replace("</build>", ""), "mismatched tag: line 1"),
        (lambda m: m.replace("UTF-8", "klingon"), "is not text in 'klingon'"),
        (lambda m: m.replace("UTF-8", "rot13"), "is not text in 'rot13'"),
        (lambda m: "<html><body/></html>", "its first element is 'html'"),
        (
            lambda m: m.replace("<item ", '<item transform="1 0 0 0 1 0 0 0 1 0 0" '),
            "the transform of item 1 of the build in '3D/3dmodel.model' has 11 numbers, not 12",
        ),
        (
            lambda m: m.replace("<item ", '<item transform="1 0 0 0 1 0 0 0 1 0,5 0 0" '),
            "holds '0,5', which is not a number",
        ),
        (lambda m: m.replace('objectid="1"', 'objectid="9"'), "item 1 of the build"),
        (
            lambda m: m.replace("<resources>", "<resources>" + files.object_xml()),
            "two objects have the id '1'",
        ),
        (
            lambda m: m.replace("<resources>", "<resources>" + made_of(2, 'objectid="7"')),
            "component 1 of object 2 in '3D/3dmodel.model' is the object '7', which is not in",
        ),
        (lambda m: m.replace("<mesh>", "<x>" * 300 + "</x>" * 300 + "<mesh>"), "more than 256"),
    ],
)
def test_invalid_model_xml_is_rejected_with_its_element(rejection_of, change, said):
    code, title = rejection_of(files.threemf(change(files.model_xml())))

    assert code == "unreadable"
    assert said in title
