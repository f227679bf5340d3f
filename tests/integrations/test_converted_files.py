"""What a file that was converted shows: its own picture, and its objects with their verdicts."""

import io
import re
import zipfile

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from apps.integrations.domain.converted_objects import picture_in
from apps.slicing.domain.installed_engines import prusaslicer
from apps.slicing.models import Config
from core.files import blobs
from tests.console.visitor import PASSWORD, Browser, drop, text_of
from tests.geometry.formats import model_files as files
from tests.integrations.projects import PROJECT, with_settings
from tests.slicing.project_files import prusa_text

GREEN = (0, 200, 0)


@pytest.fixture
def pictured() -> bytes:
    """The project with a thumbnail as slicers write it, and with words of a modifier."""
    drawn, packed = io.BytesIO(), io.BytesIO(PROJECT)
    Image.new("RGB", (256, 256), GREEN).save(drawn, "PNG", pnginfo=_secret())
    config = """<config><object id="2"><part id="9" subtype="modifier_part"/></object></config>"""
    with zipfile.ZipFile(packed, "a") as archive:
        archive.writestr("Metadata/thumbnail.png", drawn.getvalue())
        archive.writestr("Metadata/model_settings.config", config)
    return packed.getvalue()


def _secret() -> PngInfo:
    told = PngInfo()
    told.add_text("Comment", "of the stranger")
    return told


def test_project_uses_its_embedded_thumbnail_and_children_are_rendered(
    project, models, split_file, pictured
):
    assert models.get(project).json()["snapshot"] is None

    split_file(pictured)

    parent = models.get(project).json()
    receipt = parent["conversion"]["receipt"]
    assert receipt["picture"] == "Metadata/thumbnail.png"
    assert parent["snapshot"] == parent["snapshot_content"]
    whole, small = (_stored(parent[name]) for name in ("snapshot", "thumbnail_content"))
    assert (Image.open(whole).size, Image.open(small).size) == ((341, 256), (256, 192))
    assert Image.open(small).getpixel((128, 96)) == GREEN
    assert b"stranger" not in whole.getvalue()
    pin = models.get(parent["conversion"]["models"][0]).json()
    assert pin["snapshot"] != parent["snapshot"]


def _stored(location: str) -> io.BytesIO:
    """The file behind a location."""
    with blobs.local_copy(location.partition("/content/")[2].partition("?")[0]) as path:
        return io.BytesIO(path.read_bytes())


@pytest.mark.parametrize(
    "content", [b"P6 9999 9999 255\n", b"P6 2 2 255\nabc", b"\x89PNG", b"P6 0 0 255\n"]
)
def test_malformed_thumbnail_from_provider_is_rejected(tmp_path, content):
    path = tmp_path / "parts.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("picture.ppm", content)

    with pytest.raises(ValueError):
        picture_in(path)


def test_archive_objects_are_listed_with_their_analyses(
    models, upload, run_jobs, converter, split_file, open_box
):
    packed = files.archive({"box.3mf": PROJECT, "open.stl": open_box, "bad.ply": "ply"})
    model = models.post("/model/", {"name": "order.zip", "type": "zip"}).json()
    upload(model, packed)
    run_jobs()

    split_file(packed)

    query = {"filter[parent]": model["uri"], "sort": "created"}
    listed = models.get("/model/", query).json()
    told = [
        (row["name"], row["source"]["file"], row["status"], row["analyses"]["manifold"])
        for row in listed["resources"]
    ]
    assert listed["meta"]["count"] == 3
    assert told == [
        ("Pin", "box.3mf", "processed", True),
        ("Lid", "box.3mf", "processed", True),
        ("open", "open.stl", "processed", False),
    ]
    receipt = models.get(model["uri"]).json()["conversion"]["receipt"]
    assert receipt["left_out_counts"] == {"file that cannot be read": 1}


def test_model_page_shows_objects_of_a_file_with_their_analyses(
    converter, upload, run_jobs, split_file, pictured, person
):
    browser = Browser()
    assert browser.send("/sign-in/", username="ada", password=PASSWORD).status_code == 303
    path = drop(browser, "box", type="3mf")["Location"]
    assert "data-upload" in browser.get(path).content.decode()
    upload({"uri": path}, pictured)
    run_jobs()
    assert "Splitting into objects…" in text_of(browser.get(path))

    split_file(pictured)

    page = browser.get(path)
    assert "2 objects found." in text_of(page)
    assert re.search(r"Pin 2 \W*Printable", text_of(page))
    assert "1 × modifier" in text_of(page)
    assert '<img src="http://files.platform.test/content/' in page.content.decode()
    assert "Printable" in text_of(browser.get("/model/"))


@pytest.mark.engine
@pytest.mark.usefixtures("presets_folder")
@pytest.mark.skipif(prusaslicer().version() is None, reason="PrusaSlicer is not installed")
def test_settings_of_a_project_are_offered_on_the_page_of_its_part(
    converter, upload, run_jobs, split_file, models
):
    browser = Browser()
    browser.send("/sign-in/", username="ada", password=PASSWORD)

    def uploaded(content: bytes) -> str:
        path = drop(browser, "box", type="3mf")["Location"]
        upload({"uri": path}, content)
        run_jobs()
        split_file(content)
        return path

    path = uploaded(with_settings(prusa_text()))
    shown = text_of(browser.get(path))
    assert "The file has settings of PrusaSlicer 2.7.4." in shown
    assert "Printer My Flat Print settings Coarse Filament My PETG" in shown
    made = browser.send(f"{path}profile/", key="k")
    assert made["Location"] == "/settings/profiles/?done=created"
    assert "My Flat · Coarse · My PETG" in text_of(browser.get(made["Location"]))

    path = uploaded(with_settings(prusa_text(post_process="/bin/true")))
    refused = browser.send(f"{path}profile/", key="k")
    assert refused.status_code == 400
    assert "programs are not run on the gcode here" in text_of(refused)
    assert Config.objects.count() == 1
