"""The orders of a customer: their documents, and the number of statements."""

import pytest

from apps.erp.models import Order
from apps.erp.orders.domain.customer_messages.mailed_links import mailed_token
from apps.erp.orders.services.customer_orders import orders_of
from tests.erp.test_documents import customer, seller  # noqa: F401  fixtures
from tests.erp.test_order_totals import selling  # noqa: F401  fixture

pytestmark = pytest.mark.django_db
EMAIL = "kai@hansa.example"


@pytest.fixture
def place(erp, make, customer, pending, selling):  # noqa: F811
    """`place()`: an order of the customer whose quote is accepted."""
    erp.put(customer["uri"], {"email": EMAIL})

    def create() -> dict:
        row = make("order", bureau=customer["bureau"], name="Gears", customer=customer["uri"])
        pending(quantity=2, order=row["uri"])
        quote = make("quote", order=row["uri"])
        assert erp.put(quote["uri"], {"status": "accepted"}).status_code == 204
        mailed_token(Order.objects.order_by("-pk").first())
        return row

    return create


def test_more_orders_take_no_more_statements(place, seller, django_assert_num_queries):  # noqa: F811
    place()
    with django_assert_num_queries(6):
        orders_of(bureau=seller["uri"], email=EMAIL)
    place()
    place()

    with django_assert_num_queries(6):
        orders = orders_of(bureau=seller["uri"], email=EMAIL)

    assert [order["number"] for order in orders] == [3, 2, 1]
    assert {order["totals"]["gross"] for order in orders} == {30.94}


def test_documents_of_an_order_are_listed_once_their_pdf_is_made(
    erp,
    place,
    seller,  # noqa: F811
    run_jobs,
):
    order = place()
    assert erp.post("/document/", {"order": order["uri"], "type": "invoice"}).status_code == 201
    assert orders_of(bureau=seller["uri"], email=EMAIL)[0]["documents"] == []

    run_jobs()

    (document,) = orders_of(bureau=seller["uri"], email=EMAIL)[0]["documents"]
    assert document["type"] == "invoice"
    assert "pdf" in document["download"]
