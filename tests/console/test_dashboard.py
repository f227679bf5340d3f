"""Dashboard: attention, due orders, key figures, first steps; the offer to who has no shop."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.erp.models import LineItem, Order, Piece, Printer
from tests.console.visitor import PASSWORD, Browser, main_of, set_up


@pytest.fixture
def ordered(confirmed) -> Order:
    """A confirmed order of three cubes."""
    return Order.objects.get()


def steps_done(page) -> dict[str, bool]:
    """The first steps of a page, and whether each is done."""
    shown = page.content.decode()
    (steps,) = re.findall(r"First steps</h2>.*?</ul>", shown, re.DOTALL)
    rows = re.findall(r'<li><span class="badge-i (ok)?">.*?fw-medium">([^<]+)', steps, re.DOTALL)
    return {title.strip(): bool(done) for done, title in rows}


def test_strangers_see_the_welcome_page(browser):
    assert "From 3D file to printed part" in main_of(browser.get("/"))


def test_who_has_no_shop_is_offered_a_shop_and_the_sample(ada):
    page = ada.get("/")

    assert "Hello, Ada" in main_of(page)
    assert 'action="/sample/"' in page.content.decode()
    assert 'href="/bureau/"' in page.content.decode()


def test_first_steps_are_marked_as_done(ada, shop):
    assert steps_done(ada.get("/")) == {
        "Add a printer": True,
        "Add a material": True,
        "Create a price list": False,
        "Upload a part": False,
        "Create an order": False,
        "Invite a person": False,
    }


def test_first_steps_end_with_the_first_completed_order(ada, ordered):
    assert steps_done(ada.get("/"))["Create an order"]

    Order.objects.update(status="complete")

    assert "First steps" not in main_of(ada.get("/"))


def test_orders_due_next_have_number_due_date_and_progress(ada, ordered):
    Order.objects.update(due_date=timezone.now() + timedelta(days=1), customer_name="Eve & Co")
    Piece.objects.filter(number=1).update(status="complete")

    page = ada.get("/")

    assert "#1 Eve &amp; Co Nr. 1" in main_of(page)
    assert "1 / 3 Confirmed" in main_of(page)
    assert f'href="/order/{ordered.pk}/"' in page.content.decode()
    assert "is late" not in main_of(page)


def test_late_orders_need_attention(ada, ordered):
    Order.objects.update(due_date=timezone.now() - timedelta(hours=1))

    shown = main_of(ada.get("/"))

    assert "Order #1 is late" in shown
    assert "0 / 3 Late" in shown


def test_unconfirmed_orders_are_not_due(ada, ordered):
    Order.objects.update(status="new", due_date=timezone.now() - timedelta(hours=1))

    assert "No confirmed orders." in main_of(ada.get("/"))


def test_printers_with_an_unclear_bed_need_attention(ada, shop):
    assert "Printer 1: Check bed" in main_of(ada.get("/"))

    Printer.objects.update(plate="clear")

    assert "Nothing waits for you." in main_of(ada.get("/"))


def test_of_many_printers_that_wait_a_few_are_named(ada, shop):
    (first,) = Printer.objects.all()
    for number in range(8):
        first.pk = first._meta.pk.get_default()
        first.name, first._state.adding = f"Extra {number}", True
        first.save()

    shown = main_of(ada.get("/"))

    assert "3 more printers" in shown
    assert "4 things need attention" not in shown
    assert "7 things need attention" in shown


def test_failed_jobs_and_short_materials_need_attention(ada, ordered, client_of, person):
    erp = client_of("erp", person)
    (place,), (material,) = (
        erp.get(f"/{kind}/").json()["resources"] for kind in ("location", "material")
    )
    erp.put(material["uri"], {"density": 1.24})
    lot = {"location": place["uri"], "material": material["uri"], "initial": 1}
    assert erp.post("/stock/", lot).status_code == 201
    LineItem.objects.create(
        bureau=ordered.bureau, quantity=1, status="error", creator=person, errors=[]
    )

    shown = main_of(ada.get("/"))

    assert re.search(r"PLA runs out: \d+ g missing", shown)
    assert "1 failed job" in shown


def test_sales_are_shown_to_sellers_alone(ada, ordered, client_of, person, stranger):
    LineItem.objects.update(price={"net": 1234.4, "currency": "EUR", "terms": []})

    shown = ada.get("/").content.decode()

    assert "1,234 EUR" in shown
    assert len(re.findall(r'<rect class="b1"', shown)) == 12

    member = {"bureau": ordered.bureau.uri, "user": stranger.uri}
    assert client_of("erp", person).post("/membership-bureau/", member).status_code == 201
    bob = Browser()
    bob.send("/sign-in/", username="bob", password=PASSWORD)
    shown = bob.get("/").content.decode()

    assert "Parts &amp; Sons" in shown
    assert "Sales" not in main_of(bob.get("/"))
    assert 'class="b1"' not in shown


def test_the_dashboard_is_that_of_the_chosen_shop(ada, shop):
    other = set_up(ada, "Second shop")
    ada.send("/shop/", shop=other.split("/")[2], next="/")

    assert "Second shop" in main_of(ada.get("/"))


def test_the_dashboard_asks_the_api_a_bounded_number_of_times(ada, ordered, api_requests):
    ada.get("/")

    assert len(api_requests) <= 32
