"""A person whose interactions with the pages are counted, and how they use them.

An interaction is what a person does with one control: a press, an entry, a choice, a tick.
"""

import time
from functools import cache
from typing import Any

import polib
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.pseudo_locale import WRITTEN
from tests.browser.scenarios import Finger, Hand, Keys, faults_of, fits

DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}
DARK: dict[str, Any] = {"color_scheme": "dark"}
GERMAN: dict[str, Any] = {"locale": "de-DE"}
SCRIPTLESS: dict[str, Any] = {"viewport": PHONE["viewport"], "java_script_enabled": False}
ON_A_DESK = pytest.param(Hand, DESK, id="on a desk")
ON_A_PHONE = pytest.param(Finger, PHONE, id="on a phone")
ON_A_DARK_PHONE = pytest.param(Finger, PHONE | DARK, id="on a phone in dark mode")
BY_KEYBOARD = pytest.param(Keys, DESK | DARK, id="by keyboard in dark mode")
WITHOUT_SCRIPT = pytest.param(Hand, SCRIPTLESS, id="without script at 390 px")
IN_GERMAN = pytest.param(Finger, PHONE | DARK | GERMAN, id="in German on a dark phone")
WAYS = [ON_A_DESK, BY_KEYBOARD, WITHOUT_SCRIPT, IN_GERMAN]
TEXTS = """
    Array.from(document.querySelectorAll("body *"))
        .filter(element => element.checkVisibility() && !element.closest("bdi, code, pre, [lang]"))
        .flatMap(element => Array.from(element.childNodes))
        .filter(node => node.nodeType === Node.TEXT_NODE)
        .map(node => node.data.trim())
"""


@cache
def german() -> dict[str, str]:
    """What the console says in German, by its English."""
    return {entry.msgid: entry.msgstr for entry in polib.pofile(WRITTEN) if entry.msgstr}


class Walker:
    """A person with a browser. What they see has to fit, and to be in their language."""

    def __init__(self, kind: type[Hand], page: Page, options: dict[str, Any]):
        self.page, self.count, self.begun = page, 0, time.monotonic()
        self.has_script = options.get("java_script_enabled", True)
        self.has_touch = options.get("has_touch", False)
        self.hand = kind(page)
        if options.get("locale") == "de-DE":
            self.hand.translations = german()
        self.say = self.hand.say
        for name in ("push", "write", "choose", "tick", "bring"):
            setattr(self.hand, name, self._counted(getattr(self.hand, name)))

    def _counted(self, do):
        def act(there: Locator, *texts: str) -> None:
            self.count += 1
            expect(there).to_be_visible()
            self.check()
            do(there, *texts)

        return act

    def check(self) -> None:
        """Whether the page has to be scrolled sideways, or says something in English."""
        assert fits(self.page), self.page.url
        if self.hand.translations:
            shown = {*self.page.evaluate(TEXTS)} & self.hand.translations.keys()
            english = shown - {*self.hand.translations.values()}
            assert english == set(), self.page.url

    def ended(self, what: str, most: int) -> None:
        """Report, and compare with what is allowed; what axe finds on the last page fails."""
        seconds = time.monotonic() - self.begun
        print(f"{what}: {self.count} interactions, {seconds:.0f} s by machine")
        assert self.count <= most, f"{what} took {self.count} interactions"
        self.check()
        assert not self.has_script or faults_of(self.page, what) == []

    def see(self, texts: str) -> None:
        """What was done is said."""
        message = self.page.get_by_role("status").filter(has_text=self.say(texts))
        expect(message).to_be_visible()
