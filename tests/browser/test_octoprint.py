"""The page of a printer in Chromium, while a real OctoPrint prints behind a real agent.

A piece is complete only if OctoPrint printed its last line and a person cleared the bed, or a
person reported the end of a print that no agent saw.
"""

import random
import re
from collections.abc import Iterator
from contextlib import suppress

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.page_errors import watch
from tests.live.client import Client
from tests.live.machine_shop import OctoPrintShop, octoprint_shop
from tests.live.processes import DOMAIN
from tests.waiting import wait_for

pytestmark = [pytest.mark.live, pytest.mark.slow]

PRESSES = 30
TIMEOUT_MS = 60_000
AT_WORK = ("printing", "paused", "stopping")  # of a machine
UNDER_WAY = ("planned", "sent", "armed", "printing")  # of an attempt
BRIEF = 8.0  # s, in which a short print comes to its end
RUNS = 12
# An agent is offline after a minute of silence, which a test does not wait for.
MAKE_SILENT = "UPDATE erp_agent SET seen = seen - interval '2 minutes' RETURNING 1"
# The visible buttons of the page's main part; one of them is pressed in the same step in which the
# page is read, so that no live update comes in between.
BUTTONS = r"""() => Array.from(document.querySelectorAll("main button, main a.btn"))
    .filter(one => one.offsetParent && !one.disabled
        && !/\/(edit|connection)\//.test(one.href || ""))"""
# Cancelling is rarer, else no print would come to its end.
PRESS = f"""([chosen, cancels]) => {{
    const text = document.querySelector("main").innerText, buttons = ({BUTTONS})()
        .filter(one => cancels || !["never", "stopped"].includes(one.value));
    if (!buttons.length) return null;
    const button = buttons[Math.floor(chosen * buttons.length)];
    button.click();
    return {{action: button.value || "", attempt: button.form?.attempt?.value || "", text}};
}}"""

# A form that the page does not show.
POST = """async fields => {
    const answer = await fetch(location.href, {method: "POST", body: new URLSearchParams(fields)});
    return [answer.status, await answer.text()];
}"""


@pytest.fixture(scope="module")
def shop(platform, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OctoPrintShop]:
    with octoprint_shop(Client(platform), tmp_path_factory.mktemp("shop")) as made:
        yield made


@pytest.fixture
def page(chromium: Browser, shop: OctoPrintShop) -> Iterator[Page]:
    """The printer's page, of the shop's owner. Refusals (409) are no faults of the page."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB")
    context.set_default_timeout(TIMEOUT_MS)
    with watch(context, DOMAIN) as faults:
        page = context.new_page()
        page.goto(f"http://{DOMAIN}:{shop.client.platform.port}/sign-in/")
        page.get_by_label("Username").fill(shop.client.person["username"])
        page.get_by_label("Password").fill(shop.client.person["password"])
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("navigation", name="Pages")).to_be_visible()
        page.goto(address(shop))
        yield page
        context.close()
    assert [fault for fault in faults if "status of 409" not in fault] == []


def address(shop: OctoPrintShop) -> str:
    uuid = shop.printer.split("/")[-2]
    return f"http://{DOMAIN}:{shop.client.platform.port}/printer/{uuid}/"


def button(page: Page, name: str | re.Pattern[str]):
    return page.get_by_role("main").get_by_role("button", name=name)


def printing(shop: OctoPrintShop) -> str:
    """An attempt of which OctoPrint has printed a few percent."""
    wait_for(lambda: shop.look(shop.printer)["machine"]["state"] not in AT_WORK)
    attempt = shop.plan(shop.long)
    wait_for(lambda: shop.status(attempt) == "printing" and shop.look(attempt)["progress"])
    return attempt


def complete(shop: OctoPrintShop) -> set[str]:
    query = "erp/piece/?filter[status]=complete&page[limit]=100"
    return {row["uri"] for row in shop.client.ask("GET", query, 200).json()["resources"]}


def test_print_under_way_can_be_cancelled_only(shop: OctoPrintShop, page: Page):
    attempt = printing(shop)
    page.reload()

    expect(page.get_by_role("progressbar", name="Progress")).to_be_visible()
    assert set(page.locator("main button:visible").all_inner_texts()) == {"Pause", "Cancel print"}
    assert 0 < shop.look(attempt)["progress"] < 0.5
    for action in ("clear", "done", "failed"):
        fields = {"action": action, "attempt": attempt.split("/")[-2]}
        status, text = page.evaluate(POST, fields)
        assert (status, "Mark bed as cleared" in text) == (409, False), action
    button(page, "Cancel print").click()
    expect(page.get_by_text("The machine stops at once")).to_be_visible()
    page.get_by_role("link", name="Continue printing").click()
    expect(button(page, "Pause")).to_be_visible()
    assert shop.status(attempt) == "printing"

    button(page, "Cancel print").click()
    button(page, "Cancel print").click()

    assert shop.end(attempt)["status"] == "stopped"
    expect(button(page, "Mark bed as cleared")).to_be_visible()
    assert complete(shop) == set()


def test_person_overrides_a_machine_whose_agent_is_silent(shop: OctoPrintShop, page: Page):
    before = complete(shop)
    attempt = printing(shop)
    shop.agent.kill()
    shop.client.platform.ask(MAKE_SILENT)
    page.reload()

    expect(page.get_by_role("main").get_by_text("Offline")).to_be_visible()
    expect(page.get_by_text(re.compile(r"last seen \d+.*ago"))).to_be_visible()
    expect(page.get_by_text("The last report of the machine was: Printing.")).to_be_visible()
    expect(page.get_by_text("your choice overrides the machine")).to_be_visible()
    button(page, "Mark as failed").click()
    expect(button(page, "Mark bed as cleared")).to_be_visible()

    assert shop.status(attempt) == "failed"
    shop.octoprint.ask("/api/job", json={"command": "cancel"})
    shop.agent.start()
    wait_for(lambda: shop.look(shop.printer)["status"] != "offline")
    assert (shop.status(attempt), complete(shop)) == ("failed", before)


def test_print_of_a_killed_octoprint_is_left_to_a_person(shop: OctoPrintShop, page: Page):
    before = complete(shop)
    attempt = printing(shop)
    shop.octoprint.kill()
    wait_for(lambda: shop.look(shop.printer)["status"] == "offline")
    page.reload()

    expect(page.get_by_role("main").get_by_text("Offline")).to_be_visible()
    expect(page.get_by_text("The last report of the machine was: Printing.")).to_be_visible()
    expect(button(page, "Mark bed as cleared")).to_have_count(0)
    shop.octoprint.start()
    expect(page.get_by_text("State unknown: check the printer.").first).to_be_visible()
    expect(page.get_by_role("heading", name="Event log")).to_be_visible()
    assert (shop.status(attempt), complete(shop)) == ("unclear", before)

    button(page, "Print failed").click()

    expect(button(page, "Mark bed as cleared")).to_be_visible()
    assert (shop.status(attempt), complete(shop)) == ("failed", before)


class Walk:
    """Random presses on the page, with agent and OctoPrint killed and started in between."""

    def __init__(self, shop: OctoPrintShop, page: Page, seed: int):
        self.shop, self.page, self.chance = shop, page, random.Random(seed)  # noqa: S311
        self.up = {"agent": True, "octoprint": True}
        self.finished = shop.octoprint.completed()
        self.complete = complete(shop)
        self.reported: set[str] = set()  # attempts that a person decided, where no agent saw them
        self.pressed: list[str] = []

    def step(self) -> None:
        self._disturb()
        if self.chance.random() < 0.25:
            self._watch()
        self.page.goto(address(self.shop) if self.chance.random() < 0.8 else self.page.url)
        with self.page.expect_event("load"):
            presses = [self.chance.random(), self.chance.random() < 0.2]
            pressed = self.page.evaluate(PRESS, presses)
            if pressed is None:
                self.page.reload()
                return
        self.pressed.append(pressed["action"])
        text = pressed["text"]
        if "overrides the machine" in text or "State unknown" in text:
            self.reported.add(pressed["attempt"])
        self._check(pressed["action"])

    def _watch(self) -> None:
        """Look on while a print is under way, until something becomes of it or for a while."""
        attempt = self.shop.look(self.shop.printer)["attempt"]
        if attempt and (before := self.shop.status(attempt)) in UNDER_WAY:
            with suppress(AssertionError):
                wait_for(lambda: self.shop.status(attempt) != before, BRIEF, pause=0.2)

    def _disturb(self) -> None:
        for name, share in (("agent", 0.12), ("octoprint", 0.06)):
            program = getattr(self.shop, name)
            if self.up[name] and self.chance.random() < share:
                program.kill()
                self.up[name] = False
                if name == "agent" and self.chance.random() < 0.7:
                    self.shop.client.platform.ask(MAKE_SILENT)
            elif not self.up[name] and self.chance.random() < 0.4:
                program.start()
                self.up[name] = True

    def _check(self, action: str) -> None:
        query = f"erp/attempt/?filter[printer]={self.shop.printer}&filter[status]=done"
        rows = self.shop.client.ask("GET", query, 200).json()["resources"]
        done = {row["uri"].split("/")[-2] for row in rows}
        assert len(done - self.reported) <= self.shop.octoprint.completed() - self.finished
        now = complete(self.shop)
        if now != self.complete:
            assert action in ("clear", "repeat"), f"pieces were completed by {action!r}"
            pieces = {piece for row in rows for piece in self.shop.look(row["run"])["pieces"]}
            assert now - self.complete <= pieces
        self.complete = now


@pytest.mark.long
def test_random_presses_complete_only_pieces_that_were_printed(shop: OctoPrintShop, page: Page):
    for run in [*shop.runs, *shop.pack(RUNS - len(shop.runs))]:
        shop.client.ask("PUT", run, 204, json={"gcode": shop.tiny})
    walk = Walk(shop, page, seed=1)

    for _ in range(PRESSES):
        walk.step()

    wait_for(lambda: walk.complete or walk.step())  # what nobody completes is no test
