"""What people do on the console's pages, and what each of them must be."""

import re
from uuid import uuid4

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as Late

from tests.browser import pseudo_locale

PASSWORD = "a long pass phrase"
NAME = 'Ball <i> "№ 1" & more'  # none too easy
SOUND = "Watertight mesh: ready to print."
TABS = 120  # more than any page has things to come to
NAMED = re.compile("""- '?[a-z]+ "[^"]""")  # in an ARIA snapshot
# The texts of which a reader sees a part only.
CUT_OFF = """
    Array.from(document.querySelectorAll("body *")).filter(element =>
        !element.closest(".visually-hidden, .skip, .canvas, .clamp, .scrolls, svg, pre")
        && getComputedStyle(element).clipPath !== "inset(50%)"  // for screen readers alone
        && element.innerText?.trim() && (
            element.scrollWidth > element.clientWidth + 1 && element.clientWidth
            || getComputedStyle(element).overflowY === "hidden"
                && element.scrollHeight > element.clientHeight + 1)
    ).map(element => element.outerHTML.slice(0, 200))
"""
# The texts that are neither a user's nor the API's, and were not given to a translator. Three
# to five capitals are a code, as of a currency or a plastic, and a capital in the middle is in
# names of programs alone; what follows a number may be its unit; a choice with an address is
# called as its resource is.
UNMARKED = """
    (() => {
        const found = [], isUnmarked = words => /\\p{L}{3,}/u.test(
            words.replace(/⟦[^⟧]*⟧/g, "").replace(/(?<!\\p{L})[A-Z]{3,5}(?!\\p{L})/gu, "")
                .replace(/\\d [a-z]{1,3}(?!\\p{L})/gu, "")
                .replace(/(?<!\\p{L})[A-Z][a-z]+[A-Z][a-z]+(?!\\p{L})/gu, ""));
        const own = "bdi, code, pre, time, body [lang], script, style, template, "
            + "option[value*='/']";
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        for (let text; (text = walker.nextNode());) {
            const isOwn = text.parentElement.closest(own);
            if (isUnmarked(text.data) && !isOwn) found.push(text.data.trim());
        }
        for (const name of ["aria-label", "placeholder", "title", "alt"]) {
            for (const one of document.querySelectorAll(`[${name}]`)) {
                const words = one.getAttribute(name);
                if (isUnmarked(words) && !one.closest(own)) found.push(`${name}: ${words}`);
            }
        }
        return found;
    })()
"""


class Hand:
    """A person who uses a page by mouse.

    translations : into the language that they read, by English; empty for English
    """

    def __init__(self, page: Page):
        self.page = page
        self.translations: dict[str, str] = {}

    def say(self, text: str, **values: str) -> str:
        """A text of the console as they read it, with its values; KeyError without translation."""
        result = self.translations[text] if self.translations else text
        return result % values if values else result

    def push(self, there: Locator) -> None:
        there.click()

    def write(self, there: Locator, text: str) -> None:
        there.fill(text)

    def choose(self, there: Locator, words: str) -> None:
        """The choice of a list that has these words."""
        there.select_option(label=words)

    def tick(self, there: Locator) -> None:
        there.check()

    def bring(self, there: Locator, path: str) -> None:
        """Choose a file."""
        there.set_input_files(path)


class Finger(Hand):
    """Somebody with a phone."""

    def push(self, there: Locator) -> None:
        there.tap()


class Keys(Hand):
    """Somebody who has no more than a keyboard."""

    def push(self, there: Locator) -> None:
        press(self.page, there)

    def write(self, there: Locator, text: str) -> None:
        come_to(self.page, there)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)

    def choose(self, there: Locator, words: str) -> None:
        come_to(self.page, there)
        self.page.keyboard.type(words)

    def tick(self, there: Locator) -> None:
        if there.get_attribute("type") == "radio":
            return self._choose_radio(there)
        come_to(self.page, there)
        self.page.keyboard.press("Space")

    def _choose_radio(self, there: Locator) -> None:
        """Of a group, Tab reaches one; arrows lead to the others."""
        group = there.get_attribute("name")
        for _ in range(TABS):
            if self.page.evaluate("document.activeElement.name") == group:
                break
            self.page.keyboard.press("Tab")
        self.page.keyboard.press("Space")
        for _ in range(self.page.locator(f"input[name='{group}']").count()):
            if there.is_checked():
                return
            self.page.keyboard.press("ArrowDown")
        raise AssertionError(f"{there} is not reached by arrows")

    def bring(self, there: Locator, path: str) -> None:
        come_to(self.page, there)
        for key in ("Enter", "Space", "Enter", "Space"):  # a busy browser may miss the first
            try:
                with self.page.expect_file_chooser(timeout=15_000) as chosen:
                    self.page.keyboard.press(key)
                return chosen.value.set_files(path)
            except Late:
                come_to(self.page, there)
        raise AssertionError("no key opens the choice of files")


class Ear(Keys):
    """Somebody who hears the pages: whatever is used has a role and a name, in a page with parts.

    Nothing is looked for by what only eyes or programs see.
    """

    def push(self, there: Locator) -> None:
        self._hear(there)
        super().push(there)

    def write(self, there: Locator, text: str) -> None:
        self._hear(there)
        super().write(there, text)

    def choose(self, there: Locator, words: str) -> None:
        self._hear(there)
        super().choose(there, words)

    def tick(self, there: Locator) -> None:
        self._hear(there)
        super().tick(there)

    def bring(self, there: Locator, path: str) -> None:
        self._hear(there)
        super().bring(there, path)

    def _hear(self, there: Locator) -> None:
        """What a screen reader says on the way there, and of it."""
        for part in ("banner", "main"):
            expect(self.page.get_by_role(part)).to_have_count(1)
        expect(self.page.get_by_role("navigation", name="Pages")).to_have_count(1)
        expect(self.page.get_by_role("heading", level=1)).to_have_count(1)
        expect(self.page).to_have_title(re.compile(r"\S+ – "))
        assert NAMED.match(there.aria_snapshot()), there.aria_snapshot()


def register(hand: Hand) -> str:
    """A new account, signed in; its name."""
    page, say, name = hand.page, hand.say, f"user-{uuid4()}"
    hand.push(page.get_by_role("link", name=say("Create account")))
    hand.write(page.get_by_label(say("Full name")), "Ada")
    hand.write(page.get_by_label(say("Email")), f"{name}@example.com")
    hand.write(page.get_by_label(say("Username")), name)
    hand.write(page.get_by_label(say("Password")), PASSWORD)
    hand.push(page.get_by_role("button", name=say("Create account")))
    expect(page.get_by_text(say("Account created. Welcome!"))).to_be_visible()
    return name


def register_for_parts(hand: Hand) -> str:
    """A new account, on the page of the parts; its name."""
    name = register(hand)
    lead_to(hand, "Parts")
    expect(hand.page.get_by_role("heading", name="Parts", level=1)).to_be_visible()
    return name


def see_verdict(page: Page) -> None:
    """The model's page says that it can be printed, and shows what it looks like."""
    expect(page.get_by_role("heading", level=1)).to_have_text(NAME)
    expect(page.get_by_role("main").get_by_text(SOUND)).to_be_visible()
    picture = page.get_by_role("img", name=f"Preview of {NAME}")
    expect(picture).to_be_visible()
    expect(page.get_by_text("Minimum wall thickness")).to_be_visible()


def take_gcode(page: Page) -> None:
    """The slice's page comes to its end, and its gcode is taken home."""
    expect(page.get_by_role("main").get_by_text("Completed")).to_be_visible()
    expect(page.get_by_text("Print time")).to_be_visible()
    with page.expect_download() as taken:
        page.get_by_role("link", name="Download G-code").click()
    assert b"G1" in taken.value.path().read_bytes()


def set_up_shop(hand: Hand) -> None:
    """A shop whose printer is in no catalogue."""
    page = hand.page
    hand.push(page.get_by_role("link", name="Queue", exact=True))
    hand.write(page.get_by_label("Shop name"), "Parts & <b>Sons</b>")
    hand.choose(page.get_by_label("Printer", exact=True), "Other (custom bed size)")
    hand.push(page.get_by_role("button", name="Create shop"))
    expect(page.get_by_text("Shop created.")).to_be_visible()


def lead_to(hand: Hand, name: str) -> None:
    """Follow the navigation to a page; on a phone it may be behind "More"."""
    page, name = hand.page, hand.say(name)
    link = page.get_by_role("link", name=name, exact=True).first
    if not link.is_visible():
        hand.push(page.get_by_role("link", name=hand.say("More"), exact=True))
        link = page.get_by_role("main").get_by_role("link", name=name, exact=True)
    hand.push(link)


def menu_of_account(page: Page) -> None:
    """Open the menu of who is signed in."""
    menu = page.locator("details.menu:has(> summary.me)")
    if menu.count() and menu.get_attribute("open") is None:
        menu.locator("summary").click()


def sign_out(page: Page) -> None:
    menu_of_account(page)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("Signed out.")).to_be_visible()


def bring(hand: Hand, part: str) -> None:
    """A model that can be made."""
    page = hand.page
    lead_to(hand, "Parts")
    expect(page.get_by_role("heading", name="Parts", level=1)).to_be_visible()
    page.wait_for_load_state()  # there is a script, or none
    if page.get_by_label("Choose files").is_visible():
        hand.bring(page.get_by_label("Choose files"), part)
    else:
        hand.write(page.get_by_label("Name", exact=True), NAME)
        hand.push(page.get_by_role("button", name="Next: choose file"))
        hand.bring(page.get_by_label("File"), part)
        hand.push(page.get_by_role("button", name="Upload file"))
    see_verdict(page)


def order(hand: Hand, name: str = "Nr. 1") -> None:
    """Three of the model whose page is open, confirmed."""
    page = hand.page
    hand.push(page.get_by_role("link", name="Create order"))
    hand.write(page.get_by_label("Order name"), name)
    hand.write(page.get_by_label("Ball"), "3")
    hand.push(page.get_by_role("button", name="Create order"))
    expect(page.get_by_text("Order created.")).to_be_visible()
    expect(page.get_by_role("main").get_by_text("Awaiting confirmation")).to_be_visible()
    expect(page.get_by_text("Cost", exact=True)).to_be_visible()
    hand.push(page.get_by_role("button", name="Confirm order"))
    piece = page.get_by_role("listitem").filter(has_text="No. 3")
    expect(piece).to_contain_text("Unscheduled")


def make(hand: Hand) -> None:
    """What waits is packed and sliced, and its gcode taken home."""
    page = hand.page
    hand.push(page.get_by_role("main").get_by_role("link", name="Parts & <b>Sons</b>"))
    hand.tick(page.get_by_role("checkbox", name="Select Ball"))
    hand.push(page.get_by_role("button", name="Plan build"))
    expect(page.get_by_role("main").get_by_text("Packed")).to_be_visible()
    expect(page.get_by_role("img", name="Packed plate, top view")).to_be_visible()
    expect(page.get_by_role("link", name="Download G-code")).to_be_visible()
    with page.expect_download() as taken:
        hand.push(page.get_by_role("link", name="Download G-code"))
    assert b"G1" in taken.value.path().read_bytes()


def print_it(hand: Hand) -> None:
    """The run whose page is open is printed, and lies on the plate of its printer."""
    page = hand.page
    hand.push(page.get_by_role("link", name="Printer 1"))
    for words in (
        "Confirm empty bed",
        "Print here",
        "Mark as printing",
        "Mark as finished",
    ):
        expect(page.get_by_role("button", name=words)).to_be_visible()
        assert fits(page)
        hand.push(page.get_by_role("button", name=words))
    expect(page.get_by_role("button", name="Mark bed as cleared")).to_be_visible()


def clear(hand: Hand) -> None:
    """The plate of the printer whose page is open is cleared; one of three is made again."""
    page = hand.page
    hand.tick(page.get_by_role("checkbox", name="No. 2"))
    hand.write(page.get_by_label("Defect"), "Warped <b>")
    assert fits(page)
    hand.push(page.get_by_role("button", name="Mark bed as cleared"))
    expect(page.get_by_text("Bed cleared.")).to_be_visible()
    hand.push(page.get_by_role("main").get_by_role("link", name="Workshop", exact=True))
    expect(page.get_by_role("listitem").filter(has_text="Printer 1")).to_contain_text("Ready")
    assert fits(page)
    hand.push(page.get_by_role("main").get_by_role("link", name="Parts & <b>Sons</b>"))
    expect(page.get_by_role("checkbox", name="Select Ball")).to_be_visible()
    expect(page.get_by_role("main").get_by_text("1 line item · 1 piece")).to_be_visible()


def fits(page: Page) -> bool:
    """Whether nothing has to be scrolled sideways."""
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def come_to(page: Page, there: Locator) -> None:
    """Press Tab until the focus is there, and can be seen."""
    expect(there).to_be_attached()
    for _ in range(TABS):
        page.keyboard.press("Tab")
        if there.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"{there} is not reached by Tab")


def press(page: Page, there: Locator) -> None:
    come_to(page, there)
    page.keyboard.press("Enter")


def speak(page: Page, language: str) -> None:
    """Choose the language of the pages."""
    words = {"en": "English", "de": "Deutsch", pseudo_locale.CODE: pseudo_locale.NAME}[language]
    if page.locator("html").get_attribute("lang") == language:
        return
    menu_of_account(page)
    page.get_by_role("button", name=words).click()
    expect(page.locator("html")).to_have_attribute("lang", language)


def faults_of(page: Page, name: str) -> list[str]:
    """What keeps anybody from using this page: what axe finds, and what does not fit."""
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    fold(page, shut=False)
    found = [
        f"{name}: {one['id']}: {[node['html'] for node in one['nodes']]}"
        for one in Axe().run(page).response["violations"]
        if one["impact"] in ("serious", "critical")
    ]
    if not fits(page):
        found.append(f"{name} is wider than the screen")
    if page.locator("html").get_attribute("lang") == pseudo_locale.CODE:
        found += [f"{name}: cut off: {text}" for text in page.evaluate(CUT_OFF)]
        found += [f"{name}: not translated: {text}" for text in page.evaluate(UNMARKED)]
    fold(page, shut=True)  # as whoever goes on with the page expects it
    return found


def fold(page: Page, *, shut: bool) -> None:
    """Open or shut all that a page keeps folded."""
    page.evaluate(
        "open => { for (const one of document.querySelectorAll('details')) one.open = open }",
        not shut,
    )
