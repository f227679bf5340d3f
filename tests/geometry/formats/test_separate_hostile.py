"""Files made to do harm, taken apart as an upload is: named errors, soon, within little memory."""

import io
import zipfile

import pytest

from core.sandbox.sandbox import JobInputError, ResourceLimits, Sandbox
from tests.geometry.formats import model_files as files
from tests.geometry.formats.test_conversion_hostile import nested
from tests.geometry.formats.test_separate import PRODUCTION, made_of, package

JOB = "geometry.formats.split:separate"
LIMITS = ResourceLimits(seconds=5.0, memory=768 * 1024**2)  # of addresses: 250 MB are the imports'
ENTITIES = '<!DOCTYPE m [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>'


@pytest.fixture(scope="module")
def sandbox():
    sandbox = Sandbox("geometry.formats.split", "geometry.preload", limits=LIMITS)
    yield sandbox
    sandbox.close()


@pytest.fixture
def refused(sandbox, tmp_path):
    """The code that a file is refused with; nothing but the file is left in its folder."""

    def run(content, source="3mf"):
        files.save(tmp_path / "hostile", content)
        told = {"path": tmp_path / "hostile", "out": tmp_path / "out", "folder": tmp_path}
        with pytest.raises(JobInputError) as rejection:
            sandbox.run(JOB, source=source, **told)
        assert [path.name for path in tmp_path.iterdir()] == ["hostile"]
        assert rejection.value.title.endswith(".")
        return rejection.value.code

    return run


def circle_of_parts() -> bytes:
    """Two parts of a package that place each other's objects."""
    model = files.model_xml(
        made_of(1, 'p:path="/3D/other.model" objectid="1"'), '<item objectid="1"/>'
    ).replace("<model ", f'<model xmlns:p="{PRODUCTION}" requiredextensions="p" ')
    other = model.replace("/3D/other.model", "/3D/3dmodel.model")
    relations = files.RELATIONS.replace("/3D/3dmodel.model", "/3D/other.model")
    return package(model, {"3D/other.model": other, "3D/_rels/3dmodel.model.rels": relations})


@pytest.mark.parametrize(
    ("code", "content"),
    [
        ("too-large", nested(15, 2**4)),  # 2^60 copies
        ("unreadable", circle_of_parts()),
        ("unreadable", nested(40, 1)),
        ("unreadable", files.threemf(files.model_xml(doctype=ENTITIES))),
        ("archive-limit", files.threemf(files.model_xml() + " " * 40_000_000)),
        ("archive-limit", package(files.model_xml(), {f"{n}.txt": "" for n in range(2_001)})),
        ("unsafe-archive", package(files.model_xml(), {"../../evil.model": "x"})),
    ],
)
def test_hostile_package_is_rejected(refused, code, content):
    assert refused(content) == code


@pytest.mark.parametrize(
    "part",
    [
        "Metadata/model_settings.config",
        "Metadata/Slic3r_PE_model.config",
        "3D/_rels/3dmodel.model.rels",
    ],
)
def test_xml_entities_are_rejected_in_every_package_part(refused, part):
    assert refused(package(files.model_xml(), {part: ENTITIES + "<config/>"})) == "unreadable"


@pytest.mark.parametrize("name", ["/etc/x.stl", "../x.stl", "a/../../x.stl", "c:x.stl", "a\\x.stl"])
def test_archive_with_an_unsafe_path_is_rejected(refused, name):
    assert refused(files.archive({"cube.obj": files.obj(), name: "solid"}), "zip") == (
        "unsafe-archive"
    )


def test_model_limits_apply_within_an_archive(refused):
    bomb = files.archive({"bomb.3mf": nested(15, 2**4)})

    assert refused(bomb, "zip") == "too-large"


def test_deeply_nested_settings_and_invalid_thumbnails_are_left_out(sandbox, tmp_path):
    deep = "<config>" + "<a>" * 100_000 + "</a>" * 100_000 + "</config>"
    entries = {
        "Metadata/model_settings.config": deep,
        "Metadata/project_settings.config": "[" * 100_000,
        "Metadata/thumbnail.png": b"\x89PNG\r\n\x1a\n" + bytes(1_000_000),
    }
    files.save(tmp_path / "odd", package(files.model_xml(), entries))
    told = {"path": tmp_path / "odd", "out": tmp_path / "out", "folder": tmp_path}

    receipt = sandbox.run(JOB, source="3mf", **told)

    assert receipt["objects"] == 1
    whats = receipt["left_out_counts"]
    assert whats["picture that cannot be read"] == 1
    assert whats["settings that could not be read"] >= 1
    with zipfile.ZipFile(io.BytesIO((tmp_path / "out").read_bytes())) as archive:
        assert archive.namelist() == ["1.stl", "parts.json"]
