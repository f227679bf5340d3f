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
STEPS = TERMS * 150  # about, of a cell
ROOM = {"x": 200, "y": 200, "z": 200}


def _shop_with_long_formulas(client: Client) -> dict[str, Any]:
    """Return the request of a price table, without its quantities."""
    bureau = client.make("bureau", name="Parts")
    client.make("tax-rule", bureau=bureau, name="All", category="S", country="DE", rate=19)
    prices = client.make("price-list", bureau=bureau, name="Retail", country="DE", is_default=True)
    for at in range(TERMS):
        term = {"name": f"Term {at}", "step": "piece", "unit": "formula", "formula": FORMULA}
        client.make("price-term", price_list=prices, position=at, **term)
    material = client.make("material", bureau=bureau, name="Black")
    machine = {"name": "Large", "build_volume": ROOM, "materials": [material]}
    client.make("printer-type", bureau=bureau, config=client.config(), **machine)
    model = client.settled(client.model(ball(12)))["uri"]
    return {"bureau": bureau, "models": [model], "materials": [material]}


@contextmanager
def _price_tables(target: Target, cells: int, expected: int) -> Iterator[None]:
    client = target.client()
    request = _shop_with_long_formulas(client)
    numbers = itertools.count(1)
    own = threading.local()
    answers: set[int] = set()

    def ask() -> None:
        if not hasattr(own, "session"):
            own.session = target.session()
            own.session.auth = client.session.auth
        first = next(numbers)  # a table of its own
        body = {**request, "quantities": [first, *range(10_000, 10_000 + cells - 1)]}
        with suppress(requests.RequestException):
            answer = own.session.post(target.url("erp/price-table/"), json=body, timeout=60)
            answers.add(answer.status_code)

    with again([ask] * AT_ONCE):
        yield
    assert answers & {expected, 429, 503}, answers
    assert 500 not in answers


@contextmanager
def price_tables(target: Target) -> Iterator[None]:
    """40 price tables at once, each of 100 long formulas in 1,000 cells."""
    with _price_tables(target, 1_000, 400):
        yield


@contextmanager
def price_tables_at_limit(target: Target) -> Iterator[None]:
    """40 price tables at once, each of about as many steps as a table may have."""
    with _price_tables(target, 2_000_000 // STEPS // 2, 201):
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
