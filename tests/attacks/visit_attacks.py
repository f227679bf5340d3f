"""Attacks by visitors of a storefront, who have no account."""

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from uuid import uuid4

import requests

from tests.attacks.network_attacks import again
from tests.attacks.ordinary_user import Target
from tests.live.client import OCTETS, ball

VISITS = int(os.environ.get("ATTACK_VISITS", "1000"))
AT_ONCE = 40
VISITS_AN_HOUR = 10_000  # the most that a storefront may allow one address
ODD_FILES = (
    b"",
    b"<!doctype html><title>404</title>",
    bytes(80) + struct.pack("<I", 4_000_000_000) + bytes(50),
    ball(20)[:-7],
    b"solid part\nfacet normal nan inf 0\nouter loop\n" * 2_000,
    ball(60),
)


@contextmanager
def visits(target: Target) -> Iterator[None]:
    """1,000 visits, 40 at once: each uploads odd files, and asks for the prices of all."""
    slug = _storefront(target)
    numbers = iter(range(VISITS))
    answers: set[int] = set()

    def visit() -> None:
        if next(numbers, None) is None:
            return
        with target.session() as session, suppress(requests.RequestException, KeyError):
            made = session.post(target.url("sales/visit/"), json={"storefront": slug}, timeout=60)
            answers.add(made.status_code)
            guest = made.json()
            session.auth = (guest["token"], guest["secret"])
            models = [_upload(target, session, data) for data in ODD_FILES]
            request = {"models": models, "quantities": [1, 5, 10, 25]}
            table = session.post(f"{guest['uri']}price-table/", json=request, timeout=60)
            answers.add(table.status_code)

    with again([visit] * AT_ONCE):
        yield
    assert answers, "nothing was answered"
    assert not any(status >= 500 and status != 503 for status in answers), answers


def _upload(target: Target, session: requests.Session, data: bytes) -> str:
    body = {"name": "part", "type": "stl"}
    made = session.post(target.url("models/model/"), json=body, timeout=60)
    session.put(made.headers["X-Upload-Location"], data=data, headers=OCTETS, timeout=60)
    return made.headers["Location"]


def _storefront(target: Target) -> str:
    """The slug of a storefront of a new shop that sells one material."""
    client, slug = target.client(), f"shop-{uuid4()}"
    bureau, printer = client.shop()
    pla = client.make("material", bureau=bureau, name="PLA", cost=0.03, density=1.24)
    kind = client.read(printer)["printer_type"]
    client.ask("PUT", kind, 204, json={"materials": [pla], "config": client.config()})
    prices = client.make("price-list", bureau=bureau, name="Retail", country="DE", is_default=True)
    term = {"name": "Material", "step": "piece", "unit": "cc", "amount": 2}
    client.make("price-term", price_list=prices, **term)
    client.make("tax-rule", bureau=bureau, name="VAT", category="S", country="DE", rate=19)
    selling = {"price_list": prices, "materials": [pla], "enabled": True}
    limits = {"visits_per_hour": VISITS_AN_HOUR, "max_files": 20}
    client.make("storefront", bureau=bureau, slug=slug, **selling, **limits)
    return slug
