"""Parts and plates in three dimensions, drawn without a graphics card."""

import io

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import launch
from tests.browser.walking import NAME, Hand, Keys, faults_of, fits, register, see_verdict

pytestmark = pytest.mark.slow


@pytest.fixture
def model(visit, part):
    """`model(...)`: the page of a model of somebody's, whose browser is as Chromium is told."""

    def show(**options) -> Page:
        page = visit(**options)
        register(Hand(page))
        page.get_by_label("Choose files").set_input_files(part)
        see_verdict(page)
        return page

    return show


def canvas_of(page: Page) -> Locator:
    return page.get_by_role("application")


def drawn(page: Page) -> int:
    """How many frames have been drawn."""
    return page.evaluate("document.querySelector('[open]').stage?.frames ?? 0")


def come_to_rest(page: Page) -> int:
    """Wait until nothing more is drawn; how many frames there were."""
    before = -1
    while (now := drawn(page)) == 0 or now != before:
        before = now
        page.wait_for_timeout(500)
    return now


def share_of_part(page: Page) -> float:
    """The part of the canvas that is no background."""
    picture = Image.open(io.BytesIO(canvas_of(page).screenshot())).convert("RGB")
    ground = picture.getpixel((3, picture.height // 2))
    same = sum(count for count, color in picture.getcolors(1 << 24) if color == ground)
    return 1 - same / (picture.width * picture.height)


def test_a_part_is_turned_in_place_of_its_picture(model):
    page = model()
    picture = page.get_by_role("img", name=f"Picture of {NAME}")

    page.get_by_role("button", name="Turn it").click()

    expect(canvas_of(page)).to_be_focused()
    frames = come_to_rest(page)
    expect(picture).to_be_hidden()
    assert share_of_part(page) > 0.2
    page.get_by_role("button", name="From above").click()
    assert come_to_rest(page) > frames

    page.get_by_role("button", name="Back to the picture").click()
    expect(picture).to_be_visible()
    expect(page.get_by_role("button", name="Turn it")).to_be_focused()


def test_a_page_at_rest_draws_nothing(model):
    page = model()
    page.get_by_role("button", name="Turn it").click()
    frames = come_to_rest(page)

    page.wait_for_timeout(5000)

    assert drawn(page) == frames


def test_a_part_is_turned_by_keyboard_alone(model):
    page = model()
    hand = Keys(page)

    hand.push(page.get_by_role("button", name="Turn it"))
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


def test_a_mark_and_its_line_show_each_other(model):
    page = model()
    page.get_by_role("button", name="Turn it").click()
    come_to_rest(page)
    pin, line = page.get_by_role("button", name="The thinnest walls are").all()

    line.click()
    expect(pin).to_have_attribute("aria-pressed", "true")
    come_to_rest(page)
    here, canvas = pin.bounding_box(), canvas_of(page).bounding_box()

    assert here["x"] + here["width"] / 2 == pytest.approx(canvas["x"] + canvas["width"] / 2, abs=2)
    page.get_by_role("button", name="From below").click()
    pin.click()
    expect(line).to_have_attribute("aria-pressed", "true")


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


def test_a_context_that_is_lost_comes_back_twice_and_then_the_picture(model):
    page = model()
    page.get_by_role("button", name="Turn it").click()
    for _ in range(2):
        frames = come_to_rest(page)
        lose(page)
        page.wait_for_timeout(500)
        assert come_to_rest(page) > frames
    assert share_of_part(page) > 0.2

    lose(page)

    expect(page.get_by_role("img", name=f"Picture of {NAME}")).to_be_visible()
    expect(page.get_by_text("the picture stays")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_viewer_can_be_used_by_everybody_on_a_phone(model, scheme):
    page = model(viewport={"width": 360, "height": 740}, has_touch=True, color_scheme=scheme)

    page.get_by_role("button", name="Turn it").tap()
    come_to_rest(page)

    assert fits(page)
    assert faults_of(page, "viewer") == []


def test_without_webgl_the_picture_stays(chromium, model):
    with launch(chromium.browser_type, "--disable-3d-apis") as plain:
        page = model(browser=plain)

        page.get_by_role("button", name="Turn it").click()

        expect(page.get_by_text("This browser shows nothing in three")).to_be_visible()
        expect(page.get_by_role("img", name=f"Picture of {NAME}")).to_be_visible()
