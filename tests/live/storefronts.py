"""A storefront of a new shop, and its visitors, who have no account."""

from typing import Any
from uuid import uuid4

import requests

from tests.live.client import OCTETS, Client

TIMEOUT = 60  # s
VISITS_AN_HOUR, MAX_FILES = 10_000, 20  # the most that a storefront may allow


def open_storefront(client: Client, *, materials: int = 1) -> str:
    """The slug of a storefront that sells so many materials, printed on one type of printer."""
    slug = f"shop-{uuid4()}"
    bureau, printer = client.shop()
    sold = [
        client.make("material", bureau=bureau, name=f"PLA {n}", cost=0.03, density=1.24)
        for n in range(1, materials + 1)
    ]
    kind = client.read(printer)["printer_type"]
    client.ask("PUT", kind, 204, json={"materials": sold, "config": client.config()})
    prices = client.make("price-list", bureau=bureau, name="Retail", country="DE", is_default=True)
    term = {"name": "Material", "step": "piece", "unit": "cc", "amount": 2}
    client.make("price-term", price_list=prices, **term)
    client.make("tax-rule", bureau=bureau, name="VAT", category="S", country="DE", rate=19)
    selling = {"price_list": prices, "materials": sold, "enabled": True}
    limits = {"visits_per_hour": VISITS_AN_HOUR, "max_files": MAX_FILES}
    client.make("storefront", bureau=bureau, slug=slug, **selling, **limits)
    return slug


class Visitor:
    """A visit of a storefront. Raises KeyError where an answer is not the expected one.

    answers : the status of each answer
    """

    def __init__(self, platform: Any, session: requests.Session, slug: str):
        self.platform, self.session = platform, session
        self.answers: list[int] = []
        visit = self.post(platform.url("sales/visit/"), {"storefront": slug}).json()
        self.uri = visit["uri"]
        session.auth = (visit["token"], visit["secret"])

    def post(self, url: str, body: dict[str, Any]) -> requests.Response:
        answer = self.session.post(url, json=body, timeout=TIMEOUT)
        self.answers.append(answer.status_code)
        return answer

    def upload(self, data: bytes) -> str:
        """The URI of a new part."""
        made = self.post(self.platform.url("models/model/"), {"name": "part", "type": "stl"})
        location = made.headers["X-Upload-Location"]
        sent = self.session.put(location, data=data, headers=OCTETS, timeout=TIMEOUT)
        self.answers.append(sent.status_code)
        return made.headers["Location"]

    def price(self, models: list[str], quantities: list[int]) -> str:
        """The URI of a price table."""
        request = {"models": models, "quantities": quantities}
        return self.post(f"{self.uri}price-table/", request).headers["Location"]

    def read(self, uri: str) -> dict[str, Any]:
        return self.session.get(uri, timeout=TIMEOUT).json()
