"""Inventory of a bureau in figures."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.erp.models import StockMovement
from core.keys import first_key

pytestmark = pytest.mark.django_db


@pytest.fixture
def figures(erp, bureau):
    """`figures()`: of the bureau, without its URI."""

    def read() -> dict:
        answer = erp.get(f"{bureau['uri']}stock-figures/").json()
        assert answer.pop("bureau") == bureau["uri"]
        assert answer.pop("currency") == bureau["currency"]
        return answer

    return read


@pytest.fixture
def post_movement(erp):
    """`post_movement(lot, "use", -10)`: an entry in its book."""

    def post(lot: dict, kind: str, amount: float) -> None:
        body = {"stock": lot["uri"], "kind": kind, "amount": amount}
        assert erp.post("/stock-movement/", body).status_code == 201

    return post


def test_nothing_is_counted_without_lots(figures, make, location, material):
    make("stock", location=location["uri"], material=material, price=20)

    assert figures() == {"value": 0, "units": [], "low_materials": []}


def test_units_are_summed_apart(figures, make, post_movement, location, material, lot_of, run_of):
    lot_of(1000, price=21.9)
    half = lot_of(500, price=10)
    lot_of(250)  # whose price is not known
    make("stock", location=location["uri"], material=material, initial=200, unit="ml", price=30)
    for kind, amount in (("use", -200), ("reject", -50), ("correction", -50)):
        post_movement(half, kind, amount)
    run_of(10)  # 100 g

    assert figures() == {
        "value": 21.9 + 10 * 200 / 500 + 30,
        "units": [
            {"unit": "g", "lots": 3, "remaining": 1450, "reserved": 100, "used": 250},
            {"unit": "ml", "lots": 1, "remaining": 200, "reserved": 0, "used": 0},
        ],
        "low_materials": [],
    }


def test_empty_lot_has_no_value_and_older_use_is_left_out(figures, post_movement, lot_of):
    lot = lot_of(100, price=10)
    post_movement(lot, "use", -120)
    use = StockMovement.objects.filter(kind="use")
    use.update(uuid=first_key(timezone.now() - timedelta(days=31)))

    assert figures()["value"] == 0
    assert figures()["units"] == [
        {"unit": "g", "lots": 0, "remaining": -20, "reserved": 0, "used": 0}
    ]


def test_materials_below_their_reorder_point_are_named(figures, erp, lot_of, material):
    lot_of(100)
    assert erp.put(material, {"reorder_point": 150}).status_code == 204

    assert figures()["low_materials"] == [material]


def test_strangers_see_no_figures(bureau, client_of, stranger):
    answer = client_of("erp", stranger).get(f"{bureau['uri']}stock-figures/")

    assert answer.status_code == 404
