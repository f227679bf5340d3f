"""Names of downloads: as they are, in a header that they cannot break out of."""

from urllib.parse import unquote

import pytest

from apps.slicing.models import Gcode
from apps.warehouse.models import Model
from core.files.signed_urls import verify_download
from core.text.file_names import MAX_BYTES, content_disposition, safe_file_name


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ('Gehäuse "5"', 'Gehäuse "5".stl'),
        ("Geha\u0308use", "Geh\u00e4use.stl"),
        ("Ünïcode 🚀", "Ünïcode 🚀.stl"),
        ("../../etc/passwd", "-..-etc-passwd.stl"),
        ("C:\\temp\\part", "C:-temp-part.stl"),
        ("a\r\nSet-Cookie: b=c", "aSet-Cookie: b=c.stl"),
        ("part\u202elts.exe", "partlts.exe.stl"),
        ("\ud800lone", "lone.stl"),
        (" ..hidden. ", "hidden.stl"),
        ("v1.2", "v1.2.stl"),
        ("", "file.stl"),
        ("///", "file.stl"),
        ("...", "file.stl"),
        ("\x00\x7f", "file.stl"),
    ],
)
def test_file_name_is_stripped_of_unsafe_characters(name, safe):
    assert safe_file_name(name, "stl") == safe


@pytest.mark.parametrize("name", ["x" * 5000, "ü" * 5000, "🚀" * 5000])
def test_long_file_name_is_cut_between_characters_and_keeps_its_extension(name):
    short = safe_file_name(name, "stl")

    assert MAX_BYTES - 4 <= len(short.encode()) <= MAX_BYTES
    assert short == name[: len(short) - 4] + ".stl"
    assert safe_file_name(f"{name}.3mf").endswith(".3mf")


def test_content_disposition_has_utf8_name_and_ascii_fallback():
    assert content_disposition('Gehäuse "5".stl') == (
        "attachment; filename=\"Geh_use _5_.stl\"; filename*=UTF-8''Geh%C3%A4use%20%225%22.stl"
    )


@pytest.mark.parametrize("name", ['"; x="', "a\r\nb: c", "a\\", "%0d%0a", "'", "\u2028", ";", ""])
def test_file_name_cannot_inject_into_content_disposition(name):
    header = content_disposition(name)

    first, plain, encoded = header.split("; ")
    assert first == "attachment"
    assert plain.count('"') == 2
    assert "\\" not in plain
    assert header.isascii()
    assert header.isprintable()
    assert safe_file_name(name, otherwise="download") == unquote(encoded.partition("''")[2])


def named(location: str) -> str:
    path, _, query = location.partition("?")
    return verify_download("/content/" + path.rpartition("/")[2], query).filename


def test_model_and_gcode_downloads_are_named_after_the_resource(client_of, person, upload, cube):
    models = client_of("models", person)
    model = models.post("/model/", {"name": 'Gehäuse "5".STL'}).json()
    upload(model, cube)
    content = Model.objects.get().content_id
    row = {"owner": person, "status": Gcode.Status.PROCESSED, "content_id": content}

    names = [Gcode(name=name, **row).content_location() for name in ("Prüfling 2.gcode", "a/b")]

    assert named(models.get(model["uri"]).json()["content"]) == 'Gehäuse "5".stl'
    assert [named(location) for location in names] == ["Prüfling 2.gcode", "a-b.gcode"]
