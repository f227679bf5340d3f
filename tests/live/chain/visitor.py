"""A visitor of the storefront, without an account: from files to a paid order."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from playwright.sync_api import expect

from tests.live.chain.page import Person
from tests.live.client import FACET, ball

RINGS = 39  # a ball of 5,928 triangles
HEADER = 84  # bytes before the triangles of an STL file
BALL = 40.0  # mm, diameter
ADDRESS = {"Street": "Havenstraat 22", "Postal code": "28195", "City": "Bremen"}


class Part(NamedTuple):
    """A part as it is ordered: its name, its size in mm, and the material that is chosen."""

    name: str
    size: float
    material: str


class Visitor(Person):
    """Somebody who orders at the storefront."""

    def order(self, slug: str, parts: list[Part], folder: Path, who: Mapping[str, str]) -> str:
        """Upload parts, choose a price of each, and order them; the path of the order's page."""
        self.open(f"s/{slug}/")
        files = [_written(part, folder) for part in parts]
        self.page.get_by_label("Choose files").set_input_files(files)
        for part in parts:
            card = self.main.locator("section.card").filter(
                has=self.page.get_by_role("heading", name=part.name, exact=True)
            )
            row = card.get_by_role("row").filter(has_text=part.material)
            row.get_by_role("radio").first.check()  # there once its price is final
        self.press("Checkout")
        self.see("Production starts once the order is paid.")
        self.fill({**ADDRESS, **who})
        self.press("Place order")
        expect(self.page.get_by_role("heading", name="Order #")).to_be_visible()
        return self.page.url.partition("?")[0].removeprefix(self.origin)

    def go_to_payment(self) -> None:
        """Go on to Stripe's page, once the order is confirmed."""
        self.press("Pay by card")
        expect(self.page.get_by_role("button", name="Pay", exact=True)).to_be_visible()

    def pay(self) -> float:
        """Pay there, and return the time of it; the platform's page says so."""
        self.page.get_by_role("button", name="Pay", exact=True).click(no_wait_after=True)
        return time.time()


def _written(part: Part, folder: Path) -> Path:
    """The file of a part: a ball with bumps."""
    data = ball(RINGS)
    facets = np.frombuffer(data[HEADER:], FACET).copy()
    facets["corners"] *= part.size / BALL
    path = folder / f"{part.name}.stl"
    path.write_bytes(data[:HEADER] + facets.tobytes())
    return path
