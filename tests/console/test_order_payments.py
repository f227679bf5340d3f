"""Payments of an order: recorded and reversed by the shop, seen by the customer."""

import re

from tests.console.test_share_links import new_link
from tests.console.visitor import Browser, main_of


def field(page, name: str) -> str:
    return re.search(rf'name="{name}"[^>]* value="([^"]*)"', page.content.decode())[1]


def test_shop_records_and_reverses_a_payment_and_the_customer_sees_it(ada, confirmed):  # noqa: F811
    link = new_link(ada, confirmed)
    page = ada.get(f"{confirmed}payments/")
    values = {name: field(page, name) for name in ("amount", "paid_on", "key")}

    assert "Payment due" in main_of(Browser().get(link))
    refused = ada.send(f"{confirmed}payments/", **{**values, "amount": "0"})
    recorded = ada.send(f"{confirmed}payments/", **values, note="Statement 7")

    assert (refused.status_code, recorded.status_code) == (400, 303)
    shown = main_of(Browser().get(link))
    assert "Paid" in shown
    assert "Statement 7" not in shown
    listed = ada.get(f"{confirmed}payments/")
    assert "Statement 7" in main_of(listed)
    key = re.search(r'name="reverse" value="([^"]+)"', listed.content.decode())[1]
    assert ada.send(f"{confirmed}payments/", reverse=key).status_code == 303
    assert "Reversed" in main_of(ada.get(f"{confirmed}payments/"))
    assert "Payment due" in main_of(Browser().get(link))


def test_malformed_payment_cannot_be_reversed(ada, confirmed):  # noqa: F811
    assert ada.send(f"{confirmed}payments/", reverse="../order/1").status_code == 400


def test_customer_gets_account_and_code_of_the_transfer(ada, confirmed, client_of, person):  # noqa: F811
    erp = client_of("erp", person)
    (shop,) = erp.get("/bureau/").json()["resources"]
    account = {"account_holder": "Parts GmbH", "iban": "DE89 3704 0044 0532 0130 00"}
    made = erp.post("/bank-account/", {"bureau": shop["uri"], **account})
    assert made.status_code == 201, made.json()

    page = Browser().get(new_link(ada, confirmed))

    assert "DE89 3704 0044 0532 0130 00" in main_of(page)
    assert re.search(r'class="qr"[^>]*><svg [^>]*viewBox', page.content.decode())
