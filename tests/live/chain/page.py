"""What people do on pages of the console, in Chromium."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.live.processes import DOMAIN
from tests.waiting import wait_for


class Person:
    """Somebody with a browser, on the pages of a platform at a port."""

    def __init__(self, page: Page, port: int):
        self.page, self.origin = page, f"http://{DOMAIN}:{port}/"

    @property
    def main(self) -> Locator:
        return self.page.get_by_role("main")

    def open(self, path: str) -> None:
        self.page.goto(f"{self.origin}{path}")

    def fill(self, values: dict[str, str | bool]) -> None:
        """Fill in the form that is open, by the labels of its fields, also those that are folded.

        A text is entered or chosen; True and False are the state of a checkbox.
        """
        unfold = "document.querySelectorAll('main details').forEach(one => one.open = true)"
        self.page.evaluate(unfold)
        for label, value in values.items():
            # Required fields have an asterisk.
            # The first: the billing address follows, with the same labels.
            field = self.main.get_by_label(re.compile(rf"^{re.escape(label)}( \*)?$")).first
            if isinstance(value, bool):
                field.set_checked(value)
            elif field.evaluate("field => field.tagName") == "SELECT":
                field.select_option(label=value)
            else:
                field.fill(value)

    def press(self, name: str, within: Locator | None = None) -> None:
        """Press a button."""
        (within or self.main).get_by_role("button", name=name).first.click()

    def follow(self, name: str | re.Pattern[str], within: Locator | None = None) -> None:
        """Follow a link."""
        (within or self.main).get_by_role("link", name=name).first.click()

    def reload_until(self, text: str) -> None:
        """Reload the page until it shows a text."""
        wait_for(lambda: self.page.reload() and text in self.main.inner_text(), pause=1)

    def see(self, text: str | re.Pattern[str]) -> None:
        """Wait until the page shows a text."""
        expect(self.main.get_by_text(text).first).to_be_visible()

    def send(self, path: str, values: dict[str, str | bool], button: str = "Create") -> None:
        """Open the page of a form, fill it in, and send it; the next page says that it is done."""
        self.open(path)
        self.fill(values)
        self.press(button)
        expect(self.page).to_have_url(re.compile(r"[?&]done="))
