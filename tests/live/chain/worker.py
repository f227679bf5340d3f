"""A worker of the shop: clears beds, rejects a piece, ships an order and traces a piece."""

import re

from playwright.sync_api import expect

from tests.live.chain.owner import Owner

PRINT_TIMEOUT_MS = 600_000  # until a print has ended


class Worker(Owner):
    """A person beside the printers."""

    def clear_bed(self, printer: str, *, reject: str = "") -> set[str]:
        """Wait for the end of a print and clear the bed; the pieces that were on it.

        reject : the piece that is no good, as the page names it
        """
        self.open_printer(printer)
        button = self.main.get_by_role("button", name="Mark bed as cleared")
        expect(button).to_be_visible(timeout=PRINT_TIMEOUT_MS)
        group = self.main.get_by_role("group", name="Select rejected pieces")
        names = {
            " ".join(text.split()) for text in group.locator("label.form-check").all_inner_texts()
        }
        if reject:
            self.main.get_by_role("checkbox", name=reject).check()
            self.fill({"Defect": "Warped"})
        button.click()
        self.see("Bed cleared.")
        return names

    def open_order(self, number: int) -> None:
        self.open("order/")
        self.follow(re.compile(rf"^#{number} "))
        expect(self.page.get_by_role("heading", name=f"#{number} ")).to_be_visible()

    def ship(self, order: int) -> None:
        """Ship all pieces of an order in one parcel."""
        self.open_order(order)
        self.fill({"Carrier": "DHL", "Tracking number": "00340434161094042557"})
        self.press("Create shipment")
        self.see("3 of 3 pieces shipped")

    def trace(self, part: str, number: int) -> list[str]:
        """From a piece by links to its build, its print, its order, and the payment of the order.

        Returns the texts of these pages.
        """
        self.open("piece/")
        self.follow(f"{part} · {number}")
        expect(self.page.get_by_role("heading", name=part, level=1)).to_be_visible()
        piece, texts = self.page.url, [self.main.inner_text()]
        for path in ("/run/", "/attempt/"):
            self.main.locator(f"a[href^='{path}']").first.click()
            self.page.wait_for_url(re.compile(path))
            texts.append(self.main.inner_text())
        self.page.goto(piece)
        self.main.locator("dd a[href^='/order/']").click()
        self.see("E-mails to the customer")
        texts.append(self.main.inner_text())
        self.follow("Payments")
        self.see("Card ·")
        return [*texts, self.main.inner_text()]
