"""The lists of resources: search, filters, order, pages, CSV export, deletion of many."""

import csv
import html
import io
import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.console.domain.resources.resource_kinds import BY_NAME
from apps.console.views.generic import lists
from apps.erp.models import (
    Bureau,
    Customer,
    Document,
    LineItem,
    Location,
    Material,
    Order,
    Quote,
    Stock,
)
from apps.sales.models import CustomerAccount
from apps.users.models import User
from core.keys import uuid7
from tests.console.visitor import PASSWORD, Browser, main_of, text_of


@pytest.fixture
def customers(shop, person) -> list[str]:
    """The paths of three customers, the oldest first."""
    bureau = Bureau.objects.get()
    rows = [
        Customer.objects.create(bureau=bureau, name=name, country=country)
        for name, country in (("Ahlers", "DE"), ("=Berg", "NL"), ("Zimmer", "DE"))
    ]
    return [f"/customer/{row.pk}/" for row in rows]


def names(page) -> list[str]:
    """The titles of the rows of a list."""
    listed = re.findall(r'<th scope="row">.*?<bdi>(.*?)</bdi>', page.content.decode(), re.DOTALL)
    return [html.unescape(each) for each in listed]


def links(page, word: str) -> str:
    """The address of the link with this text."""
    shown = page.content.decode()
    (listed,) = (
        address
        for address, text in re.findall(r'<a [^>]*href="([^"]*)"[^>]*>(.*?)</a>', shown, re.DOTALL)
        if re.sub("<[^>]+>", "", text).strip().startswith(word)
    )
    return html.unescape(listed)


def test_list_is_searched_and_sorted(ada, customers):
    page = ada.get("/customer/")
    assert names(page) == ["Zimmer", "=Berg", "Ahlers"], "the newest first"
    assert "1–3 of 3" in text_of(page)

    assert names(ada.get("/customer/", {"search[name]": "ahl"})) == ["Ahlers"]
    by_name = ada.get("/customer/?sort=name")
    assert names(by_name) == ["=Berg", "Ahlers", "Zimmer"]
    assert "sort=-name" in by_name.content.decode()
    nothing = ada.get("/customer/", {"search[name]": "nobody"})
    assert "Nothing matches" in text_of(nothing)
    assert names(ada.get("/customer/", {"sort": "password", "filter[secret]": "x"})) != []


def test_long_list_has_pages_with_totals(ada, customers, monkeypatch):
    monkeypatch.setitem(BY_NAME, "customer", replace(BY_NAME["customer"], page_size=2))
    first = ada.get("/customer/?sort=name&search[name]=e")
    assert "1–2 of 3" in text_of(first)
    second = ada.get(f"/customer/{links(first, 'Next')}")
    assert names(second) == ["Zimmer"]
    assert "3–3 of 3" in text_of(second)
    assert names(ada.get(f"/customer/{links(second, 'Previous')}")) == names(first)
    assert "bureau" not in links(first, "Next")


def test_empty_list_leads_to_the_form(ada, shop):
    page = ada.get("/customer/")
    assert "No customers yet" in text_of(page)
    assert 'href="/customer/new/"' in page.content.decode()


def test_user_without_shop_is_led_to_the_shop_setup(ada):
    page = ada.get("/customer/")
    assert "Set up a shop first." in text_of(page)
    assert 'href="/bureau/"' in page.content.decode()


def test_status_is_filtered_by_chips_with_counts(ada, shop, person):
    bureau = Bureau.objects.get()
    for name, status in (("One", "new"), ("Two", "new"), ("Three", "complete")):
        Order.objects.create(bureau=bureau, name=name, status=status, creator=person)

    page = ada.get("/order/")
    (bar,) = re.findall(r'<nav class="filters\b.*?</nav>', page.content.decode(), re.DOTALL)
    chips = re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", bar)).strip()
    assert chips == "All 3 Unconfirmed 2 Completed 1"
    done = ada.get(links(page, "Completed"))
    assert [name.rpartition(" ")[2] for name in names(done)] == ["Three"]


def test_list_shows_the_current_shop_alone(ada, customers, client_of, person):
    other = client_of("erp", person).post("/bureau/", {"name": "Second"}).json()["uri"]
    Customer.objects.create(bureau=Bureau.objects.get(name="Second"), name="Elsewhere")
    first = Bureau.objects.exclude(name="Second").get()
    ada.send("/shop/", shop=str(first.pk), next="/")
    assert "Elsewhere" not in names(ada.get("/customer/"))
    ada.send("/shop/", shop=other.split("/")[-2], next="/")
    assert names(ada.get("/customer/")) == ["Elsewhere"]


def test_list_by_another_resource_names_it_and_presets_the_form(ada, shop):
    material = Material.objects.get()
    place = Location.objects.get()
    Stock.objects.create(bureau=place.bureau, location=place, material=material, lot="L-1")
    page = ada.get("/stock/", {"filter[material]": material.uri})
    assert names(page) == ["PLA · L-1"]
    assert "Material: PLA" in main_of(page)
    form = ada.get(links(page, "New lot"))
    assert re.search(rf'<option value="{re.escape(material.uri)}" selected', form.content.decode())


def test_csv_export_has_all_rows_and_no_formulas(ada, customers, monkeypatch):
    monkeypatch.setattr(lists, "BATCH", 2)
    answer = ada.get("/customer/?sort=name&format=csv")

    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert answer["Content-Type"].startswith("text/csv")
    assert [row["name"] for row in rows] == ["'=Berg", "Ahlers", "Zimmer"]
    assert [row["country"] for row in rows] == ["NL", "DE", "DE"]
    monkeypatch.setattr(lists, "MAX_ROWS", 2)
    short = b"".join(ada.get("/customer/?format=csv").streaming_content).decode()
    assert len(short.splitlines()) == 3


def test_selected_rows_are_deleted_with_a_result_for_each(ada, shop):
    used = Material.objects.get()
    free = Material.objects.create(bureau=used.bureau, name="PETG")
    keys = [str(used.pk), str(free.pk)]

    query = ada.send("/material/", row=keys)
    assert "Delete 2 entries?" in text_of(query)
    assert Material.objects.count() == 2
    page = ada.send("/material/", row=keys, sure="yes")

    assert "1 of 2 deleted" in text_of(page)
    assert re.search("PLA .*Printer.* Not deleted", main_of(page)), "it says what uses it"
    assert "http" not in main_of(page)
    assert re.search("PETG +Deleted", main_of(page))
    assert Material.objects.get() == used
    assert ada.send("/material/")["Location"] == "/material/"


def test_rows_of_others_are_not_deleted(ada, customers, stranger):
    bob = Browser()
    bob.send("/sign-in/", username="bob", password=PASSWORD)
    page = bob.send("/customer/", row=[customers[0].split("/")[2]], sure="yes")

    assert "0 of 1 deleted" in text_of(page)
    assert "Ahlers" not in text_of(page)
    assert Customer.objects.count() == 3


def test_orders_have_picture_progress_payment_and_total(ada, confirmed_sale):
    Material.objects.update(color="#1798a5")
    Order.objects.update(due_date=timezone.now() - timedelta(days=1))

    page = ada.get("/order/")

    shown = text_of(page)
    for text in ("1 part, 3 pieces", "Confirmed", "0 / 3", "Not paid", "EUR"):
        assert text in shown
    net = Quote.objects.get().net
    assert f"1 open order, {net:.2f} EUR net · 1 late" in shown
    html = page.content.decode()
    assert 'id="tint-1798a5"' in html
    assert 'class="bad fw-medium">' in html  # the due date
    chosen = text_of(ada.get("/order/?columns=number,status"))
    assert "Not paid" not in chosen


def test_list_of_orders_takes_a_constant_number_of_statements(ada, confirmed_sale):
    order, item = Order.objects.get(), LineItem.objects.get()

    def add(count: int) -> None:
        """Add orders without a quote, each of another customer."""
        for number in range(count):
            order.customer = Customer.objects.create(bureau=order.bureau, name=f"C{number}")
            order.pk, order.number = uuid7(), 0
            order.save(force_insert=True)
            item.pk, item.order = uuid7(), order
            item.save(force_insert=True)

    def statements() -> int:
        with CaptureQueriesContext(connection) as context:
            page = ada.get("/order/")
        assert page.status_code == 200
        return len(context)

    add(1)
    statements()
    of_two = statements()

    add(20)

    assert statements() == of_two
    assert of_two <= 31


def test_customers_have_orders_revenue_and_balance(ada, confirmed_sale, client_of, person):
    erp, order = client_of("erp", person), Order.objects.get()
    Bureau.objects.update(address="Hafenstr. 1, 28195 Bremen", vat_number="DE136695976")
    buyer = Customer.objects.create(
        bureau=order.bureau, name="Gates", email="po@gates.example", country="DE", address="Kai 2"
    )
    Order.objects.update(customer=buyer)
    shown = main_of(ada.get("/customer/"))
    assert "Gates po@gates.example" in shown
    assert "1 – –" in shown  # nothing is invoiced

    invoice = erp.post("/document/", {"order": order.uri, "type": "invoice"}).json()

    shown = main_of(ada.get("/customer/"))
    assert f"{invoice['net']:.2f} EUR" in shown
    assert f"{invoice['gross']:.2f} EUR open" in shown
    page = main_of(ada.get(f"/customer/{buyer.pk}/"))
    assert f"Open balance {invoice['gross']:.2f} EUR" in page
    today = timezone.localdate().isoformat()
    paid = {"order": order.uri, "amount": invoice["gross"], "paid_on": today}
    assert erp.post("/order-payment/", paid).status_code == 201
    assert "EUR Paid" in main_of(ada.get("/customer/"))


def test_customers_are_filtered_by_segment(ada, customers, confirmed_sale):
    Order.objects.update(customer=Customer.objects.get(name="Zimmer"))
    page = text_of(ada.get("/customer/"))
    assert "3 customers · 1 with open orders" in page
    assert "Private" not in page  # all are
    Customer.objects.filter(name="Ahlers").update(vat_number="DE136695976")

    page = ada.get("/customer/?filter[segment]=open-orders&sort=-balance")

    assert names(page) == ["Zimmer"]
    assert "All 3 Companies 1 Private 2 Open orders 1" in text_of(page)
    assert "Unpaid" not in text_of(page)
    assert links(page, "Balance").endswith("&sort=balance")
    assert links(page, "Revenue, 12 months").endswith("&sort=-revenue")
    assert names(ada.get("/customer/", {"filter[segment]": "company"})) == ["Ahlers"]


def test_customers_are_filtered_by_their_accounts_at_the_storefront(ada, customers):
    assert "customer account" not in text_of(ada.get("/customer/"))  # none has one
    zimmer = Customer.objects.get(name="Zimmer")
    Customer.objects.filter(pk=zimmer.pk).update(email="Zimmer@example.com")
    CustomerAccount.objects.create(
        user=User.objects.create(username="guest"),
        bureau=zimmer.bureau.uri,
        email="zimmer@example.com",
        confirmed=timezone.now(),
    )

    page = ada.get("/customer/?filter[segment]=storefront")

    assert names(page) == ["Zimmer"]
    assert "All 3 With customer account 1 Without customer account 2" in text_of(page)


def test_inventory_has_key_figures(ada, shop, client_of, person):
    place, material = Location.objects.get(), Material.objects.get()
    erp = client_of("erp", person)
    assert "Key figures" not in ada.get("/stock/").content.decode()  # nothing is counted
    spool = {"location": place.uri, "material": material.uri, "initial": 2500, "price": 50}
    lot = erp.post("/stock/", spool).json()
    use = {"stock": lot["uri"], "kind": "use", "amount": -500}
    assert erp.post("/stock-movement/", use).status_code == 201
    erp.put(material.uri, {"reorder_point": 3000})

    shown = main_of(ada.get("/stock/"))

    for text in (
        "Stock by weight 2.0 kg 0 g reserved",
        "Stock value 40 EUR",
        f"Below reorder point 1 {material.name}",
        "Use, last 30 days 500 g about 120 days of stock left",
    ):
        assert text in shown


def test_selected_orders_are_invoiced_with_a_result_for_each(ada, confirmed_sale, person):
    order = Order.objects.get()
    draft = Order.objects.create(bureau=order.bureau, name="Draft", number=9, creator=person)
    Bureau.objects.update(address="Hafenstr. 1, 28195 Bremen", vat_number="DE136695976")
    buyer = Customer.objects.create(
        bureau=order.bureau, name="Gates", country="DE", address="Kai 2"
    )
    Order.objects.update(customer=buyer)
    assert "Create invoices" in main_of(ada.get("/order/"))
    rows = [str(order.pk), str(draft.pk)]

    query = ada.send("/order/", row=rows, action="invoice")
    assert "Create 2 invoices?" in text_of(query)
    assert not Document.objects.exists()
    key = re.search(r'name="key" value="([^"]+)"', query.content.decode())[1]
    sure = {"row": rows, "action": "invoice", "sure": "yes", "key": key}
    page = ada.send("/order/", **sure)

    assert "1 of 2 invoices created" in text_of(page)
    assert re.search(r"Draft .*confirmed.* Not created", main_of(page))
    assert Document.objects.get().order == order
    assert "1 of 2 invoices created" in text_of(ada.send("/order/", **sure))  # sent twice
    assert Document.objects.count() == 1
    assert ada.send("/order/", row=rows, action="explode")["Location"] == "/order/"
