"""Parts and plates in three dimensions, drawn without a graphics card."""

import io
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import DRAWS, launch
from tests.browser.scenarios import (
    NAME,
    Hand,
    Keys,
    bring,
    faults_of,
    fits,
    make,
    order,
    register,
    register_for_parts,
    see_verdict,
    set_up_shop,
)
from tests.live.client import ball
from tests.live.processes import DOMAIN
from tests.waiting import wait_for

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def chromium(chromium) -> Iterator[Browser]:
    """A browser that draws in three dimensions."""
    with launch(chromium.browser_type, *DRAWS) as browser:
        yield browser


@pytest.fixture(scope="module")
def uploaded(chromium, platform, tmp_path_factory) -> tuple[str, Any]:
    """A model of a person: the path of its page, and the person's session."""
    file = tmp_path_factory.mktemp("viewer") / f"{NAME}.stl"
    file.write_bytes(ball(12))
    with chromium.new_context(locale="en-GB") as context:
        page = context.new_page()
        page.goto(f"http://{DOMAIN}:{platform.port}/")
        register_for_parts(Hand(page))
        page.get_by_label("Choose files").set_input_files(file)
        see_verdict(page)
        return urlsplit(page.url).path.removeprefix("/"), context.storage_state()


@pytest.fixture
def model(visit, uploaded):
    """`model(...)`: the page of a model of somebody's, whose browser is as Chromium is told."""
    path, session = uploaded

    def show(**options) -> Page:
        page = visit(path, storage_state=session, **options)
        see_verdict(page)
        return page

    return show


def canvas_of(page: Page) -> Locator:
    return page.get_by_role("application")


def drawn(page: Page) -> int:
    """How many frames have been drawn."""
    return page.evaluate("document.querySelector('[open]').stage.frames")


def come_to_rest(page: Page) -> int:
    """Wait until all that has changed is drawn; how many frames there were."""
    wait_for(lambda: page.evaluate("document.querySelector('[open]').stage?.isAtRest"))
    return drawn(page)


def share_of_part(page: Page) -> float:
    """The part of the canvas that is no background; what stands before it is left out."""
    page.evaluate(
        """() => {
            const around = document.querySelector("canvas").parentElement;
            around.style.background = "white";
            for (const one of around.querySelectorAll(".tools, .pin")) one.style.opacity = 0;
        }"""
    )
    picture = Image.open(io.BytesIO(canvas_of(page).screenshot())).convert("RGB")
    ground = picture.getpixel((3, picture.height // 2))
    same = sum(count for count, color in picture.getcolors(1 << 24) if color == ground)
    page.evaluate(
        """() => {
            for (const one of document.querySelectorAll(".canvas, .canvas *"))
                one.style.removeProperty("opacity");
        }"""
    )
    return 1 - same / (picture.width * picture.height)


def test_viewer_replaces_the_snapshot_and_rotates_the_part(model):
    page = model()
    picture = page.get_by_role("img", name=f"Preview of {NAME}")

    page.get_by_role("button", name="3D view", exact=True).click()

    expect(canvas_of(page)).to_be_focused()
    frames = come_to_rest(page)
    expect(picture).to_be_hidden()
    assert share_of_part(page) > 0.2
    page.get_by_role("button", name="Top").click()
    assert come_to_rest(page) > frames

    page.get_by_role("button", name="Close 3D view").click()
    expect(picture).to_be_visible()
    expect(page.get_by_role("button", name="3D view", exact=True)).to_be_focused()


def test_viewer_renders_no_frames_at_rest(model):
    page = model()
    page.get_by_role("button", name="3D view", exact=True).click()
    frames = come_to_rest(page)

    page.wait_for_timeout(5000)

    assert drawn(page) == frames


def test_viewer_is_operated_by_keyboard(model):
    page = model()
    hand = Keys(page)

    hand.push(page.get_by_role("button", name="3D view", exact=True))
    frames = come_to_rest(page)
    small = share_of_part(page)
    page.keyboard.press("ArrowLeft")
    assert come_to_rest(page) > frames
    page.keyboard.press("+")
    come_to_rest(page)
    assert share_of_part(page) > 1.2 * small
    page.keyboard.press("0")
    come_to_rest(page)

    assert share_of_part(page) == pytest.approx(small, abs=0.02)


def test_pin_and_its_finding_select_each_other(model):
    page = model()
    page.get_by_role("button", name="3D view", exact=True).click()
    come_to_rest(page)
    pin, line = page.get_by_role("button", name="Minimum wall thickness").all()

    line.click()
    expect(pin).to_have_attribute("aria-pressed", "true")
    come_to_rest(page)
    here, canvas = pin.bounding_box(), canvas_of(page).bounding_box()

    assert here["x"] + here["width"] / 2 == pytest.approx(canvas["x"] + canvas["width"] / 2, abs=2)
    page.get_by_role("button", name="Bottom").click()
    pin.click()
    expect(line).to_have_attribute("aria-pressed", "true")


def test_slider_removes_pieces_of_a_plate_in_unpacking_order(visit, part):
    page = visit()
    hand = Hand(page)
    register(hand)
    set_up_shop(hand)
    bring(hand, part)
    order(hand)
    make(hand)

    page.get_by_role("button", name="3D view", exact=True).click()
    come_to_rest(page)
    whole = share_of_part(page)
    slider = page.get_by_role("slider", name="Unpacking animation")
    expect(slider).to_have_attribute("aria-valuetext", "All parts in place.")
    slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"1 of 3: Ball .* No\. \d"))
    for _ in range(7):
        slider.press("ArrowRight")
    come_to_rest(page)
    expect(slider).to_have_attribute("aria-valuetext", re.compile("2 of 3"))

    assert 0.1 * whole < share_of_part(page) < 0.7 * whole
    slider.press("End")
    come_to_rest(page)
    assert share_of_part(page) < 0.05
    slider.press("Home")
    come_to_rest(page)
    assert share_of_part(page) == pytest.approx(whole, abs=0.02)
    box = canvas_of(page).bounding_box()
    canvas_of(page).click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    expect(page.get_by_role("status").filter(has_text="Ball")).to_be_visible()


def test_layer_slider_shows_layers_without_further_requests(model):
    page = model()
    page.get_by_role("link", name="Slice").click()
    page.get_by_label("Quality").select_option("low")
    page.get_by_role("button", name="Slice").click()
    expect(page.get_by_role("main").get_by_text("Completed")).to_be_visible()

    page.get_by_role("button", name="Layer view").click()
    slider = page.get_by_role("slider", name="Layer")
    expect(slider).to_be_focused()
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"Layer 1 of 1\d\d: 0\.\d+ mm"))
    expect(canvas_of(page)).to_have_attribute("data-layer", "1")
    lowest = share_of_part(page)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    for _ in range(60):
        slider.press("ArrowRight")
    expect(canvas_of(page)).to_have_attribute("data-layer", "61")

    assert 0.02 < share_of_part(page) != lowest
    assert [address for address in asked if "/content/" in address or "/paths/" in address] == []
    page.get_by_label("Go to height (mm)").fill("10")
    page.get_by_label("Go to height (mm)").press("Enter")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r": 10(\.\d+)? mm high"))
    page.get_by_label("Go to print time (min)").fill("0.5")
    page.get_by_label("Go to print time (min)").press("Enter")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"Layer [12] of"))
    page.get_by_role("button", name="Top solid infill").click()
    expect(slider).not_to_have_attribute("aria-valuetext", re.compile(r"Layer [12] of"))
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("button", name="Play")).to_have_attribute(
        "aria-pressed", "false"
    )  # it has come to the last one
    assert slider.input_value() == slider.get_attribute("max")
    assert faults_of(page, "layers") == []


def lose(page: Page) -> None:
    """What a browser does to a page that has drawn in too many places, or for too long."""
    canvas_of(page).evaluate(
        """async canvas => {
            const context = canvas.getContext("webgl2").getExtension("WEBGL_lose_context");
            const lost = new Promise(done => canvas.addEventListener("webglcontextlost", done));
            context.loseContext();
            await lost;
            setTimeout(() => context.restoreContext(), 100);
        }"""
    )


def test_lost_webgl_context_is_restored_twice_then_snapshots_are_shown(model):
    page = model()
    page.get_by_role("button", name="3D view", exact=True).click()
    for _ in range(2):
        frames = come_to_rest(page)
        lose(page)
        wait_for(lambda before=frames: come_to_rest(page) > before)
    assert share_of_part(page) > 0.2

    lose(page)

    expect(page.get_by_text("showing eight rendered views")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_viewer_is_accessible_on_a_phone(model, scheme):
    page = model(viewport={"width": 360, "height": 740}, has_touch=True, color_scheme=scheme)

    page.get_by_role("button", name="3D view", exact=True).tap()
    come_to_rest(page)

    assert fits(page)
    assert faults_of(page, "viewer") == []


def test_slow_rendering_falls_back_to_snapshots(model):
    page = model()
    page.evaluate("document.querySelector('part-view').setAttribute('patience', '0')")

    page.get_by_role("button", name="3D view", exact=True).click()

    expect(page.get_by_role("application", name="view 1 of 8")).to_be_visible()
    page.get_by_role("button", name="Close 3D view").click()
    expect(page.get_by_role("img", name=f"Preview of {NAME}")).to_be_visible()


def test_viewer_without_webgl_shows_eight_snapshots(chromium, model):
    with launch(chromium.browser_type, "--disable-3d-apis") as plain:
        page = model(browser=plain)

        page.get_by_role("button", name="3D view", exact=True).click()

        expect(page.get_by_text("showing eight rendered views")).to_be_visible()
        seen = []
        for number in (1, 2, 3):
            there = page.get_by_role("application", name=f"view {number} of 8")
            expect(there).to_be_focused()
            expect(there.locator("img")).to_have_js_property("naturalWidth", 400)
            seen.append(there.locator("img").get_attribute("src"))
            page.keyboard.press("ArrowRight")
        assert len(set(seen)) == 3
        page.get_by_role("button", name="Rotate left").click()
        expect(page.get_by_role("application", name="view 3 of 8")).to_be_visible()
        assert faults_of(page, "pictures") == []
        page.get_by_role("button", name="Close 3D view").click()
        expect(page.get_by_role("img", name=f"Preview of {NAME}")).to_be_visible()
