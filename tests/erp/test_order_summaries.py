"""Orders in a few figures each, as lists show them."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.erp.models import Material, Piece
from tests.erp.test_customer_orders import place  # noqa: F401  fixture
from tests.erp.test_documents import customer, seller  # noqa: F401  fixtures
from tests.erp.test_order_totals import selling  # noqa: F401  fixture

pytestmark = pytest.mark.django_db


@pytest.fixture
def summaries(seller, erp):  # noqa: F811
    """`summaries(order, ..., by=erp)`: of these orders."""

    def read(*orders: dict, by=erp) -> list[dict]:
        uris = ",".join(order["uri"] for order in orders)
        answer = by.get(f"{seller['uri']}order-summaries/?orders={uris}")
        assert answer.status_code == 200, answer.content
        return answer.json()["summaries"]

    return read


def test_order_is_summarised(place, summaries, erp):  # noqa: F811
    order = place()
    Material.objects.update(color="#1798a5")
    Piece.objects.filter(pk=Piece.objects.order_by("pk").first().pk).update(status="complete")

    (summary,) = summaries(order)

    assert summary.pop("picture") is None
    assert summary == {
        "order": order["uri"],
        "stage": "confirmed",
        "line_items": 1,
        "pieces": 2,
        "made": 1,
        "color": "#1798a5",
        "net": 26.0,
        "gross": 30.94,
        "currency": "EUR",
        "payment": "open",
    }
    totals = erp.get(order["uri"]).json()["totals"]
    assert (summary["net"], summary["gross"]) == (totals["net"], totals["gross"])


def test_more_orders_take_no_more_statements(place, make, customer, pending, summaries):  # noqa: F811
    def place_two() -> list[dict]:
        draft = make("order", bureau=customer["bureau"], name="Gears", customer=customer["uri"])
        pending(quantity=3, order=draft["uri"])
        return [place(), draft]

    few = place_two()
    many = [order for _ in range(3) for order in place_two()]
    summaries(*few)
    with CaptureQueriesContext(connection) as of_few:
        summaries(*few)

    with CaptureQueriesContext(connection) as of_many:
        result = summaries(*many)

    assert len(of_many) == len(of_few)
    assert [each["order"] for each in result] == [order["uri"] for order in many]
    assert [each["stage"] for each in result] == ["confirmed", "review"] * 3
    assert {each["gross"] for each in result[::2]} == {30.94}
    assert all(each["gross"] > 30.94 for each in result[1::2])


def test_orders_of_another_bureau_are_left_out(place, summaries, make, erp):  # noqa: F811
    order = place()
    other = make("order", bureau=make("bureau", name="Another")["uri"], name="Another")

    assert [each["order"] for each in summaries(order, other, order)] == [order["uri"]]


def test_members_without_the_right_to_prices_see_no_amounts(place, summaries, client_of, member):  # noqa: F811
    order = place()

    (summary,) = summaries(order, by=client_of("erp", member))

    assert (summary["net"], summary["gross"], summary["payment"]) == (None, None, None)
    assert summary["pieces"] == 2


def test_more_than_a_hundred_orders_are_refused(seller, erp):  # noqa: F811
    uris = ",".join(["x"] * 101)

    answer = erp.get(f"{seller['uri']}order-summaries/?orders={uris}")

    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert "not 101" in error["title"]
