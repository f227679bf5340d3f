"""Attacks by a shop's own work: prices that take long to compute, builds that take long to pack."""

import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import requests

from tests.attacks.network_attacks import again
from tests.attacks.ordinary_user import Target
from tests.live.client import Client, ball

AT_ONCE = 40
TERMS = 100
BUILDS, PIECES = 12, 75
FORMULA = f"min({','.join(['+'.join(['cc'] * 9)] * 15)})"
QUANTITIES, MATERIALS = 100, 10
ROOM = {"x": 200, "y": 200, "z": 200}


def _shop_with_long_formulas(client: Client) -> dict[str, Any]:
    """Return the request of a price table, without its quantities."""
    bureau = client.make("bureau", name="Parts")
    client.make("tax-rule", bureau=bureau, name="All", category="S", country="DE", rate=19)
    prices = client.make("price-list", bureau=bureau, name="Retail", country="DE", is_default=True)
    for at in range(TERMS):
        term = {"name": f"Term {at}", "step": "piece", "unit": "formula", "formula": FORMULA}
        client.make("price-term", price_list=prices, position=at, **term)
    materials = [
        client.make("material", bureau=bureau, name=f"Colour {at}") for at in range(MATERIALS)
    ]
    machine = {"name": "Large", "build_volume": ROOM, "materials": materials}
    client.make("printer-type", bureau=bureau, config=client.config(), **machine)
    model = client.settled(client.model(ball(12)))["uri"]
    return {"bureau": bureau, "models": [model], "materials": materials}


@contextmanager
def _price_tables(target: Target, *, at_limit: bool) -> Iterator[None]:
    client = target.client()
    request = _shop_with_long_formulas(client)
    count, expected = QUANTITIES, 400
    if at_limit:
        request["materials"] = request["materials"][:1]
        count, expected = _max_quantities(client, request), 201
    numbers = itertools.count(1)
    own = threading.local()
    answers: set[int] = set()

    def ask() -> None:
        if not hasattr(own, "session"):
            own.session = target.session()
            own.session.auth = client.session.auth
        first = next(numbers)  # a table of its own
        body = {**request, "quantities": [first, *range(9_000, 9_000 + count - 1)]}
        with suppress(requests.RequestException):
            answer = own.session.post(target.url("erp/price-table/"), json=body, timeout=60)
            answers.add(answer.status_code)

    with again([ask] * AT_ONCE):
        yield
    assert answers & {expected, 429, 503}, answers
    assert 500 not in answers


def _max_quantities(client: Client, request: dict[str, Any]) -> int:
    """Return about how many quantities a table may have at the most."""
    count = QUANTITIES
    url = client.platform.url("erp/price-table/")
    while True:
        body = {**request, "quantities": list(range(8_000, 8_000 + count))}
        answer = client.session.post(url, json=body, timeout=60)
        if answer.status_code == 201:
            return count
        assert answer.json()["errors"][0]["code"] == "limit-exceeded", answer.text
        count = count * 4 // 5


@contextmanager
def price_tables(target: Target) -> Iterator[None]:
    """40 price tables at once, each of 100 long formulas in 1,000 cells."""
    with _price_tables(target, at_limit=False):
        yield


@contextmanager
def price_tables_at_limit(target: Target) -> Iterator[None]:
    """40 price tables at once, each of about as many steps as a table may have."""
    with _price_tables(target, at_limit=True):
        yield


@contextmanager
def packings(target: Target) -> Iterator[None]:
    """12 builds of 75 pieces, each packed at length."""
    with _packings(target, "thorough"):
        yield


@contextmanager
def packings_quick(target: Target) -> Iterator[None]:
    """12 builds of 75 pieces, each said to be quick."""
    with _packings(target, "quick"):
        yield


@contextmanager
def _packings(target: Target, budget: str) -> Iterator[None]:
    client = target.client()
    bureau, printer = client.shop()
    model = client.settled(client.model(ball(40)))["uri"]
    runs = []
    for number in range(BUILDS):
        pieces = client.pieces(bureau, model, PIECES)
        about = {"printer": printer, "run_name": f"Plate {number}", "budget": budget}
        answer = client.session.post(
            target.url("erp/create-runs/"), json={"pieces": pieces, **about}, timeout=60
        )
        if answer.status_code == 429:
            break  # more than an account may have waiting
        assert answer.status_code == 201, answer.text
        runs.append(answer.headers["Location"])
    try:
        yield
    finally:
        for run in runs:
            client.session.delete(run, timeout=60)
