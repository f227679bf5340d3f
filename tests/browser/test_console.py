"""The console, used by people: by mouse, by keyboard alone, without script, on a phone."""

import io
import random
import zipfile

import pytest
from playwright.sync_api import Page, expect

from tests.browser import pseudo_locale
from tests.browser.scenarios import (
    NAME,
    SOUND,
    Ear,
    Hand,
    faults_of,
    fits,
    register_for_parts,
    see_verdict,
    sign_out,
    speak,
    take_gcode,
)
from tests.integrations.projects import PROJECT
from tests.live.client import ball
from tests.live.processes import DOMAIN

pytestmark = pytest.mark.slow


# ---------------------------------------------------------------- from a file to gcode


def test_file_is_uploaded_and_sliced_by_mouse(visit, part):
    page = visit()
    register_for_parts(Hand(page))

    page.get_by_label("Choose files").set_input_files(part)
    see_verdict(page)
    page.get_by_role("link", name="Slice").click()
    page.get_by_label("Quality").select_option("low")
    page.get_by_role("button", name="Slice").click()
    take_gcode(page)

    page.get_by_role("link", name="Parts").first.click()
    card = page.get_by_role("listitem").filter(has_text="Ball")
    expect(card).to_contain_text("Printable")
    expect(card.locator("img")).to_have_js_property("naturalWidth", 256)


def test_several_files_are_uploaded_by_drag_and_drop(visit, part):
    page = visit()
    register_for_parts(Hand(page))

    drop(page, {"one.stl": ball(8), "two.stl": b"solid nothing\nendsolid nothing\n"})

    one, two = (
        page.get_by_role("listitem").filter(has=page.get_by_text(name, exact=True))
        for name in ("one", "two")
    )
    expect(one).to_contain_text("Printable")
    expect(two).to_contain_text("Not printable")


def test_large_3mf_is_uploaded_in_chunks_and_shows_its_objects(visit, part):
    page = visit()
    register_for_parts(Hand(page))
    sent = []
    page.on("request", lambda asked: sent.append(asked.method) if "/upload/" in asked.url else None)
    packed = io.BytesIO(PROJECT)
    with zipfile.ZipFile(packed, "a") as archive:
        archive.writestr("Metadata/notes.bin", random.Random(1).randbytes(17 << 20))
    file = {"name": "box.3mf", "mimeType": "model/3mf", "buffer": packed.getvalue()}

    page.locator("#files").set_input_files(file)

    expect(page.get_by_role("heading", name="box")).to_be_visible()
    expect(page.locator("#verdict")).to_contain_text("2 objects found.")
    rows = page.locator("#objects tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("Printable")
    assert [method for method in sent if method != "OPTIONS"] == ["PATCH"] * 3


def drop(page: Page, files: dict[str, bytes]) -> None:
    """What a browser does when files are dropped on a page."""
    page.evaluate(
        """files => {
            const data = new DataTransfer();
            for (const [name, bytes] of Object.entries(files))
                data.items.add(new File([new Uint8Array(bytes)], name));
            dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
        }""",
        {name: list(data) for name, data in files.items()},
    )


def test_sample_part_can_be_used_without_a_file(visit):
    page = visit()
    register_for_parts(Hand(page))

    page.get_by_role("link", name="Use the sample part").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("bracket")
    expect(page.get_by_role("main").get_by_text(SOUND)).to_be_visible()


def test_file_is_uploaded_and_sliced_by_keyboard_and_screen_reader(visit, part):
    page = visit()
    hand = Ear(page)
    register_for_parts(hand)

    hand.bring(page.get_by_label("Choose files"), part)
    see_verdict(page)
    hand.push(page.get_by_role("link", name="Slice"))
    hand.choose(page.get_by_label("Quality"), "quick")
    hand.push(page.get_by_role("button", name="Slice"))
    expect(page.get_by_role("main").get_by_text("Completed")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="Completed")).to_be_attached()

    with page.expect_download():
        hand.push(page.get_by_role("link", name="Download G-code"))


def test_file_is_uploaded_and_sliced_without_javascript(visit, part):
    page = visit(java_script_enabled=False)
    register_for_parts(Hand(page))

    page.get_by_label("Name", exact=True).fill(NAME)
    page.get_by_role("button", name="Next: choose file").click()
    page.get_by_label("File").set_input_files(part)
    page.get_by_role("button", name="Upload file").click()
    see_verdict(page)
    page.get_by_role("link", name="Slice").click()
    page.get_by_role("button", name="Slice").click()
    take_gcode(page)

    sign_out(page)


def test_file_is_uploaded_and_sliced_on_a_phone(visit, part):
    page = visit(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    assert fits(page)
    register_for_parts(Hand(page))
    assert fits(page)

    page.get_by_label("Choose files").set_input_files(part)
    see_verdict(page)
    assert fits(page)
    page.get_by_role("link", name="Slice").tap()
    page.get_by_label("Quality").select_option("low")
    assert fits(page)
    page.get_by_role("button", name="Slice").tap()
    take_gcode(page)
    assert fits(page)


# ---------------------------------------------------------------- what changes by itself


def test_page_updates_from_events_of_another_tab(visit, platform, part):
    """Two tabs of one browser, of which one has the stream."""
    first = visit()
    register_for_parts(Hand(first))
    second = first.context.new_page()
    second.goto(f"http://{DOMAIN}:{platform.port}/model/")
    expect(second.get_by_text("No parts yet")).to_be_visible()

    first.get_by_label("Choose files").set_input_files(part)

    expect(second.locator("#models").get_by_text("Printable")).to_be_visible()


# ---------------------------------------------------------------- for everybody


@pytest.mark.parametrize(("scheme", "width"), [("light", 360), ("dark", 1600)])
def test_model_and_slice_pages_are_accessible(visit, part, scheme, width):
    page = visit(viewport={"width": width, "height": 900}, color_scheme=scheme)
    faults = []

    def look(name: str) -> None:
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        for language in ("de", pseudo_locale.CODE, "en"):
            speak(page, language)
            faults.extend(faults_of(page, f"{name}, {language}"))

    look("welcome")
    page.get_by_role("link", name="Sign in").first.click()
    look("sign in")
    page.get_by_role("link", name="Manufacturing platform").click()
    register_for_parts(Hand(page))
    look("No parts")
    page.get_by_label("Choose files").set_input_files(part)
    see_verdict(page)
    look("model")
    page.get_by_role("button", name="More").click()
    page.get_by_role("link", name="Delete …").click()
    look("delete")
    page.get_by_role("link", name="Cancel").click()
    page.get_by_role("link", name="Slice").click()
    look("slice form")
    page.get_by_label("Quality").select_option("low")
    page.get_by_role("button", name="Slice").click()
    expect(page.get_by_role("main").get_by_text("Completed")).to_be_visible()
    look("slice")
    page.get_by_role("link", name="Parts").first.click()
    look("models")

    assert faults == []
