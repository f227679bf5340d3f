"""Customer links: the shop makes and revokes them, a customer follows the order by one."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.erp.base.domain.events import emit_status
from apps.erp.models import Order, Quote
from tests.console.visitor import Browser, drop, main_of, order


def new_link(ada, path: str) -> str:
    """The path of a new customer link of an order."""
    form = ada.get(f"{path}links/").content.decode()
    key = re.search(r'name="key" value="([^"]+)"', form)[1]
    page = ada.send(f"{path}links/", key=key)
    assert page.status_code == 201
    assert page["Cache-Control"] == "no-store"
    return re.search(r'value="http://platform.test(/o/[^"]+)"', page.content.decode())[1]


@pytest.fixture
def draft(ada, shop, upload, cube, run_jobs) -> str:
    """The page of an order of three cubes that waits to be quoted."""
    model = drop(ada, "cube")["Location"]
    upload({"uri": model}, cube)
    run_jobs()
    path = order(ada, model)["Location"].partition("?")[0]
    run_jobs()
    return path


def test_customer_follows_an_order_by_its_link(ada, confirmed):
    link = new_link(ada, confirmed)

    page = Browser().get(link)

    shown = main_of(page)
    assert page.status_code == 200
    assert page["X-Robots-Tag"] == "noindex"
    assert page["Referrer-Policy"] == "strict-origin"
    assert "Order #1" in shown
    # Received, quoted and confirmed today; production has not begun.
    assert (
        page.content.decode().count(f'<time class="day" datetime="{timezone.now():%Y-%m-%d}') == 3
    )
    assert "3 × cube" in shown
    assert "Total" in shown
    assert "Cost" not in shown


def test_customer_accepts_a_quote_with_their_name(ada, draft):
    ada.send(draft, action="offer")
    link = new_link(ada, draft)
    customer = Browser()
    form = customer.get(link).content.decode()
    key = re.search(r'name="key" value="([^"]+)"', form)[1]

    refused = customer.send(link, key=key, name="")
    accepted = customer.send(link, key=key, name="Joost van Dijk")

    assert refused.status_code == 400
    assert accepted.status_code == 303
    shown = main_of(customer.get(link))
    assert "Quote accepted by Joost van Dijk" in shown
    assert "Accept quote" not in shown
    again = customer.send(link, key="another", name="Joost van Dijk")
    assert again.status_code == 409


def test_form_of_another_site_accepts_nothing(ada, draft):
    ada.send(draft, action="offer")
    link = new_link(ada, draft)

    answer = Browser().send(link, origin="http://other.test", key="a", name="Joost")

    assert answer.status_code == 403


def test_revoked_link_is_not_found_at_the_next_request(ada, confirmed):
    link = new_link(ada, confirmed)
    assert Browser().get(link).status_code == 200
    page = ada.get(f"{confirmed}links/").content.decode()
    key = re.search(r'name="revoke" value="([^"]+)"', page)[1]

    ada.send(f"{confirmed}links/", revoke=key)

    assert Browser().get(link).status_code == 404
    assert "Revoked" in main_of(ada.get(f"{confirmed}links/"))


def test_order_with_an_expired_quote_is_under_review(ada, draft):
    ada.send(draft, action="offer")
    link = new_link(ada, draft)
    Quote.objects.update(expires=timezone.now() - timedelta(days=1))

    page = Browser().get(link)

    assert page.status_code == 200
    assert "Review" in main_of(page)
    assert "Accept quote" not in main_of(page)


def test_steps_have_the_times_of_production_and_shipping(ada, confirmed, client_of):
    token = new_link(ada, confirmed).split("/")[2]
    row = Order.objects.get()

    def times() -> dict[str, bool]:
        shown = client_of("sales").get(f"/shared-order/{token}/").json()["order"]
        return {step["name"]: step["at"] is not None for step in shown["steps"]}

    before = times()
    for status in (Order.Status.IN_PROGRESS, Order.Status.COMPLETE):
        row.move(status)
        emit_status(row)
    after = times()
    row.move(Order.Status.CANCELLED)
    emit_status(row)

    names = ("received", "quote", "confirmed", "production", "ready", "shipped")
    assert before == {name: name in names[:3] for name in names}
    assert after == {name: name != "ready" for name in names}
    assert times() == {"received": True, "cancelled": True}
