"""Lots of a material, and runs that take it: ten cubes of 8 cm3 are 100 g."""

import pytest
from django.db import transaction

from apps.erp import interface
from apps.erp.models import LineItem, Piece, Printer, Run
from apps.erp.production.domain import reservations
from tests.erp.conftest import key_of

DENSITY = 1.25


@pytest.fixture
def material(make, bureau) -> str:
    return make("material", bureau=bureau["uri"], name="PLA", density=DENSITY)["uri"]


@pytest.fixture
def lot_of(make, location, material):
    """`lot_of(1000, lot="A")`: so many g of the material."""

    def made(initial: float, **fields) -> dict:
        return make("stock", location=location["uri"], material=material, initial=initial, **fields)

    return made


@pytest.fixture
def run_of(confirm, pieces_of, print_run, printer, material, cube_model):
    """`run_of(10)`: a run of so many cubes on the printer, packed already; their lots set aside."""

    def made(quantity: int = 10) -> dict:
        item = confirm(quantity=quantity)
        LineItem.objects.filter(pk=key_of(item)).update(base_material=key_of({"uri": material}))
        Piece.objects.filter(line_item=key_of(item)).update(model_uri=cube_model["uri"])
        run = print_run(pieces_of(item))
        row = Run.objects.get(pk=key_of(run))
        row.printer = Printer.objects.get(pk=key_of(printer))
        row.save(update_fields=["printer"])
        with transaction.atomic():
            reservations.reserve(row)
        return run

    return made


@pytest.fixture
def machine(erp, printer) -> dict:
    """The printer, whose machine is a person, with an empty plate."""
    assert erp.put(printer["uri"], {"driver": "manual"}).status_code == 204
    assert erp.post(f"{printer['uri']}clear/", {}).status_code == 200
    return printer


@pytest.fixture
def book(erp):
    """`book(lot)`: [kind, amount] of its movements, the oldest first."""

    def read(lot: dict) -> list[list]:
        found = erp.get(f"/stock-movement/?filter[stock]={lot['uri']}&sort=created").json()
        return [[row["kind"], row["amount"]] for row in found["resources"]]

    return read


@pytest.fixture
def left(erp):
    """`left(lot)`: what remains of it, and what of that is reserved."""

    def read(lot: dict) -> tuple[float, float]:
        told = erp.get(lot["uri"]).json()
        return told["remaining"], told["reserved"]

    return read


@pytest.fixture(autouse=True)
def stock_is_consistent(db):
    """Whatever a test does, the books come to what there is."""
    yield
    assert interface.broken_rules() == []
