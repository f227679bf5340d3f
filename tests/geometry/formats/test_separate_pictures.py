"""The picture that a slicer puts into its project: found, bounded, and drawn anew."""

import io
import struct
import zipfile
import zlib

import pytest
from PIL import Image

from geometry.formats.split import separate
from tests.geometry.formats import model_files as files
from tests.geometry.formats.test_separate import package

GREEN, GROUND = (0, 200, 0), (238, 240, 243)
OPC = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/thumbnail"


def png(color=GREEN, size=(256, 256), *, format="PNG") -> bytes:
    drawn = io.BytesIO()
    Image.new("RGB", size, color).save(drawn, format)
    return drawn.getvalue()


@pytest.fixture
def picture(tmp_path):
    """Takes a project with these entries apart: the receipt, and the picture if there is one."""

    def run(entries, source="3mf", pack=None):
        content = (pack or (lambda project: project))(package(files.model_xml(), entries))
        out = tmp_path / "out.zip"
        receipt = separate(files.save(tmp_path / "source", content), str(out), source=source)
        with zipfile.ZipFile(out) as archive:
            if "picture.ppm" not in archive.namelist():
                return receipt, None
            return receipt, Image.open(io.BytesIO(archive.read("picture.ppm")))

    return run


@pytest.mark.parametrize(
    "name",
    ["Metadata/thumbnail.png", "Metadata/plate_1.png", "Auxiliaries/.thumbnails/thumbnail_3mf.png"],
)
def test_slicer_thumbnail_is_re_encoded_in_the_snapshot_aspect_ratio(picture, name):
    receipt, drawn = picture({name: png()})

    assert receipt["picture"] == name
    assert drawn.size == (341, 256)
    assert (drawn.getpixel((170, 128)), drawn.getpixel((5, 128))) == (GREEN, GROUND)


def test_thumbnail_named_by_the_package_is_preferred(picture):
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="m" Target="/3D/3dmodel.model" '
        'Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/>'
        f'<Relationship Id="t" Target="/art/me.jpg" Type="{OPC}"/></Relationships>'
    )

    def pack(project: bytes) -> bytes:
        with zipfile.ZipFile(io.BytesIO(project)) as archive:
            entries = {name: archive.read(name) for name in archive.namelist()}
        return files.archive({**entries, "_rels/.rels": relations})

    entries = {"art/me.jpg": png(size=(400, 300), format="JPEG"), "Metadata/plate_1.png": png()}

    receipt, drawn = picture(entries, pack=pack)

    assert (receipt["picture"], drawn.size) == ("art/me.jpg", (400, 300))


def test_thumbnail_with_too_many_pixels_is_not_decoded(picture):
    rows = zlib.compress(bytes(60_000), 9)
    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 0, 0, 0, 0)

    def chunk(kind: bytes, body: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + body))
        return struct.pack(">I", len(body)) + kind + body + check

    bomb = (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    )

    receipt, drawn = picture({"Metadata/thumbnail.png": bomb})

    assert (receipt["picture"], drawn) == (None, None)
    assert receipt["left_out"] == [
        {"what": "picture that cannot be read", "file": "Metadata/thumbnail.png"}
    ]


@pytest.mark.parametrize("cut", [0, 9, 40, 200])
def test_next_thumbnail_is_used_when_one_is_damaged(picture, cut):
    entries = {"Metadata/plate_1.png": png()[:cut], "Metadata/thumbnail.png": png(size=(40, 30))}

    receipt, drawn = picture(entries)

    assert receipt["picture"] == "Metadata/thumbnail.png"
    assert drawn.size == (40, 30)


def test_thumbnail_that_is_not_png_or_jpeg_is_ignored(picture):
    gif = io.BytesIO()
    Image.new("RGB", (9, 9)).save(gif, "GIF")

    assert picture({"Metadata/thumbnail.png": gif.getvalue()})[1] is None


def test_archive_has_the_thumbnail_of_its_only_model(picture):
    def alone(project: bytes) -> bytes:
        return files.archive({"a.3mf": project, "read.me": "hello"})

    def together(project: bytes) -> bytes:
        return files.archive({"a.3mf": project, "b.obj": files.obj()})

    entries = {"Metadata/thumbnail.png": png()}

    assert picture(entries, "zip", alone)[1].size == (341, 256)
    assert picture(entries, "zip", together)[1] is None
