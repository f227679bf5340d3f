"""A customer signs in at the storefront of a shop, and sees orders, parts and addresses."""

import re

import pytest
from django.core import mail

from apps.erp.models import Document, Order, ShareLink
from apps.sales.models import CustomerAccount
from apps.users.models import ApiToken
from tests.console.test_storefront import ADDRESS, ordered, prepared, uploaded
from tests.console.visitor import Browser, main_of, text_of

SENTENCE = "If this is the address of a customer, a mail with a link is on its way to it."


@pytest.fixture
def path(storefront, upload, cube, run_jobs, sliced, made_once) -> str:
    """The path of a storefront at which one order was placed."""
    path = storefront(review="instant")

    def order() -> None:
        visitor = Browser()
        uploaded(visitor, path, upload, cube)
        run_jobs()
        ordered(visitor, path, sliced)
        sliced()

    made_once("order of a visitor", order)
    mail.outbox.clear()
    return path


@pytest.fixture
def link(path, run_jobs):
    """`link("joost@example.com")`: the path of the page of the mailed link; empty without one."""

    def request(email: str = ADDRESS["email"]) -> str:
        sent = Browser().send(f"{path}account/", email=email)
        assert sent.status_code == 303
        assert SENTENCE in main_of(Browser().get(sent["Location"]))
        run_jobs()
        bodies = [str(message.body) for message in mail.outbox]
        links = [re.search(r"http://platform.test(/s/\S+)", body)[1] for body in bodies]
        mail.outbox.clear()
        return links[0] if links else ""

    return request


@pytest.fixture
def customer(link) -> Browser:
    """A browser in which the customer is signed in."""
    browser = Browser()
    assert browser.send(link()).status_code == 303
    return browser


def test_customer_signs_in_by_a_link_that_only_its_button_uses_up(link, path):
    page, browser = link("Joost@Example.com"), Browser()

    opened = browser.get(page)
    assert "Sign in to your account" in main_of(opened)
    assert not CustomerAccount.objects.exists()

    assert browser.send(page)["Location"] == f"{path}account/"
    assert "joost@example.com" in main_of(browser.get(f"{path}account/"))
    assert Browser().send(page).status_code == 404  # it works once


def test_strangers_get_the_same_answer_and_no_mail(link):
    assert link("stranger@example.com") == ""


def test_customer_sees_orders_and_parts_and_orders_one_again(customer, path, sliced):
    page = customer.get(f"{path}account/")

    assert "Order #1" in main_of(page)
    assert "Confirmed" in main_of(page)
    assert "cube" in main_of(page)
    html = page.content.decode()
    order = re.search(r'href="http://platform.test(/o/[^"]+)"', html)[1]
    assert "Order #1" in main_of(customer.get(order))
    fields = dict(re.findall(r'name="(token|part|key)" value="([^"]+)"', html))
    again = customer.send(f"{path}reorder/", **fields)
    assert again["Location"].startswith(path)
    assert "1 × cube" in main_of(customer.get(again["Location"]))


def test_checkout_is_filled_in_with_the_details_of_the_customer(
    customer, path, upload, cube, run_jobs, sliced
):
    details = {"name": "Joost van Dijk", "vat_number": "NL010000446B01"}
    delivery = {"street": "Kade 1", "postcode": "3011", "city": "Rotterdam", "country": "NL"}
    fields = {f"delivery_address.{name}": text for name, text in delivery.items()}
    saved = customer.send(f"{path}account/details/", **details, **fields)
    assert saved.status_code == 303, main_of(saved)
    uploaded(customer, path, upload, cube)
    run_jobs()
    prepared(customer, path, sliced)

    form = customer.get(f"{path}checkout/").content.decode()

    for value in ("joost@example.com", "Joost van Dijk", "NL010000446B01", "Kade 1", "3011"):
        assert f'value="{value}"' in form
    assert '<option value="NL" selected>' in form


def test_faults_of_details_are_shown_at_their_fields(customer, path):
    fields = {"vat_number": "DE1", "password": "short", "billing_address.street": "Kade 1"}

    answer = customer.send(f"{path}account/details/", **fields)

    assert answer.status_code == 400
    assert "No country of the EU writes its VAT numbers so" in main_of(answer)
    assert 'id="id_billing_address.city_error"' in answer.content.decode()


def test_customer_sets_a_password_and_signs_in_by_it(customer, path, link):
    chosen = "correct horse battery"
    other = Browser()
    other.send(link())
    assert customer.send(f"{path}account/details/", password=chosen).status_code == 303
    assert "Sign in by e-mail" in main_of(other.get(f"{path}account/"))  # other sessions ended

    wrong = other.send(f"{path}account/", email=ADDRESS["email"], password="wrong horse")
    right = other.send(f"{path}account/", email=ADDRESS["email"], password=chosen)

    assert wrong.status_code == 403
    assert "The e-mail address or the password is wrong." in main_of(wrong)
    assert right.status_code == 303
    assert "Order #1" in main_of(other.get(f"{path}account/"))


def test_customer_signs_out(customer, path):
    customer.send(f"{path}account/sign-out/")

    assert "Sign in by e-mail" in main_of(customer.get(f"{path}account/"))
    assert not ApiToken.objects.filter(name="customer").exists()


def test_account_page_does_not_show_an_order_whose_link_was_revoked(customer, path):
    ShareLink.objects.update(revoked=True)

    assert "Order #1" not in text_of(customer.get(f"{path}account/"))


def test_billing_address_of_the_checkout_is_on_the_invoice_and_on_the_account_page(
    customer, path, upload, cube, run_jobs, sliced, client_of, person
):
    erp = client_of("erp", person)
    shop = erp.get("/bureau/").json()["resources"][0]
    values = {"address": "Werk 1", "vat_number": "DE136695976", "automatic_invoices": "confirmed"}
    assert erp.put(shop["uri"], values).status_code == 204
    uploaded(customer, path, upload, cube)
    run_jobs()
    key = prepared(customer, path, sliced)
    billing = {"street": "Postbus 7", "postcode": "2501", "city": "Den Haag", "country": "NL"}
    fields = {f"billing_address.{name}": text for name, text in billing.items()}

    placed = customer.send(f"{path}checkout/", key=key, **ADDRESS, **fields)
    assert placed.status_code == 303, main_of(placed)
    sliced()
    run_jobs()

    assert Order.objects.order_by("-pk").first().customer.address == "Postbus 7\n2501 Den Haag\nNL"
    invoice = Document.objects.get()
    assert "Postbus 7" in invoice.data["buyer"]["address"]
    assert "Havenstraat 22" in invoice.data["ship_to"]
    assert f"Invoice {invoice.number}" in main_of(customer.get(f"{path}account/"))


def test_billing_address_that_lacks_a_line_is_explained_in_the_checkout(
    customer, path, upload, cube, run_jobs, sliced
):
    uploaded(customer, path, upload, cube)
    run_jobs()
    key = prepared(customer, path, sliced)

    street = {"billing_address.street": "Postbus 7", "billing_address.country": "NL"}
    answer = customer.send(f"{path}checkout/", key=key, **ADDRESS, **street)

    assert answer.status_code == 400
    assert 'id="id_billing_address.city_error"' in answer.content.decode()
    assert '<details class="card" open>' in answer.content.decode()


def test_order_billed_in_another_country_is_reviewed(
    customer, path, upload, cube, run_jobs, sliced
):
    uploaded(customer, path, upload, cube)
    run_jobs()
    key = prepared(customer, path, sliced)
    billing = {"street": "Kai 1", "postcode": "20457", "city": "Hamburg", "country": "DE"}
    fields = {f"billing_address.{name}": text for name, text in billing.items()}

    assert customer.send(f"{path}checkout/", key=key, **ADDRESS, **fields).status_code == 303
    sliced()

    assert Order.objects.order_by("-pk").first().status == "new"
