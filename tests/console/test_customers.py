"""The page of a customer."""

import re
from uuid import uuid4

import pytest

from apps.erp.models import BankAccount, Bureau, Customer, CustomerCompany, CustomerGroup, Order
from tests.console.visitor import choices, main_of, text_of


@pytest.fixture
def customer(shop, person) -> Customer:
    """A member of a company."""
    bureau = Bureau.objects.get()
    company = CustomerCompany.objects.create(bureau=bureau, name="Hansa Maritime GmbH")
    company.members.create(bureau=bureau, email="t@hansa.example", name="Tomke", role="buyer")
    return Customer.objects.create(
        bureau=bureau,
        company=company,
        name="Kai Reimers",
        contact="Purchasing",
        reference="K-17",
        email="k@hansa.example",
        phone="+49 421 555 0117",
        address="Überseetor 14\n28217 Bremen",
        vat_number="DE811204455",
        group=CustomerGroup.objects.create(bureau=bureau, name="Key accounts"),
    )


def test_page_shows_contact_terms_orders_and_people(ada, confirmed_sale, customer):
    account = {"account_holder": "Makers", "iban": "DE89370400440532013000"}
    BankAccount.objects.create(
        bureau=customer.bureau, creator=Order.objects.get().creator, **account
    )
    Order.objects.update(customer=customer)

    page = ada.get(f"/customer/{customer.pk}/")

    shown = main_of(page)
    for text in (
        *(
            "Purchasing",
            "K-17",
            "+49 421 555 0117",
            "Überseetor 14, 28217 Bremen",
            "DE811204455 Not verified",
        ),
        *("Key accounts", "14 days net", "PDF, English", "Hansa Maritime GmbH", "Tomke Buyer"),
        *("Orders 1 1 open", "Confirmed", "All 1 Orders", "EUR"),
    ):
        assert text in shown
    html = page.content.decode()
    assert 'href="mailto:k@hansa.example"' in html
    assert 'href="tel:+494215550117"' in html


def test_empty_page_leads_to_an_order_of_the_customer(ada, confirmed_sale, customer):
    page = ada.get(f"/customer/{customer.pk}/")
    path = f"/order/new/?customer={customer.pk}"
    assert path in page.content.decode()
    assert "No orders yet." in text_of(page)
    form = ada.get(path)
    assert "Customer: Kai Reimers" in text_of(form)

    ways = {"material": choices(form, "material")["PLA"]}
    ways["workflow"] = choices(form, "workflow")["Print"]
    part = re.search(r'name="(n-[^"]+)"', form.content.decode())[1]
    sent = ada.send(path, **ways, **{part: "2", "name": "Nr. 2", "key": str(uuid4())})

    assert sent.status_code == 303, text_of(sent)
    assert Order.objects.latest("number").customer == customer
