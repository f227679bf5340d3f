"""Production of an order that waits for its payment, as customer and shop see it."""

from apps.erp.actors import confirm_storefront_order
from apps.erp.models import LineItem, Order
from apps.users.models import User
from tests.console.test_storefront import ADDRESS, prepared, uploaded
from tests.console.visitor import Browser, main_of

SENTENCE = "Production starts once the order is paid."


def test_order_of_a_storefront_with_prepayment_is_on_hold_until_it_is_paid(
    storefront, upload, cube, run_jobs, sliced, client_of
):
    path, visitor = storefront(review="instant", prepayment=True), Browser()
    uploaded(visitor, path, upload, cube)
    run_jobs()
    key = prepared(visitor, path, sliced)
    assert SENTENCE in main_of(visitor.get(f"{path}checkout/"))
    page = visitor.send(f"{path}checkout/", key=key, **ADDRESS)["Location"]
    sliced()
    confirm_storefront_order.fn(str(Order.objects.get().pk))
    item, order = LineItem.objects.get(), Order.objects.get()
    assert (item.status, item.hold, order.status) == ("confirmed", True, "confirmed")
    assert SENTENCE in main_of(visitor.get(page))
    erp = client_of("erp", User.objects.get(username="ada"))

    def pay(**amount: float) -> bool:
        """Whether production still waits."""
        answer = erp.post("/order-payment/", {"order": order.uri, **amount})
        assert answer.status_code == 201, answer.json()
        run_jobs()
        return LineItem.objects.get().hold

    assert pay(amount=1)
    assert not pay()
    assert SENTENCE not in main_of(visitor.get(page))

    assert erp.put(item.uri, {"hold": True}).status_code == 204
    assert pay(amount=1)  # what the shop holds stays on hold


def test_order_of_which_nothing_is_to_be_paid_is_released_once_it_is_confirmed(
    storefront, upload, cube, run_jobs, sliced, client_of
):
    path, visitor = storefront(review="always", prepayment=True), Browser()
    uploaded(visitor, path, upload, cube)
    run_jobs()
    key = prepared(visitor, path, sliced)
    visitor.send(f"{path}checkout/", key=key, **ADDRESS)
    erp = client_of("erp", User.objects.get(username="ada"))
    item = LineItem.objects.get()
    assert item.hold
    free = {"manual_price": {"net": 0, "note": "Replacement"}}
    assert erp.put(item.uri, free).status_code == 204

    sliced()
    made = erp.post("/quote/", {"order": Order.objects.get().uri})
    assert made.status_code == 201, made.json()
    assert erp.get(made["Location"]).json()["totals"]["gross"] == 0
    assert erp.put(made["Location"], {"status": "accepted"}).status_code == 204
    run_jobs()

    item.refresh_from_db()
    assert (item.status, item.hold) == ("confirmed", False)
