"""Shipments of an order in the console, and on the page of its customer."""

import re

import pytest

from apps.console.views.orders import shipments
from apps.erp.models import Document, LineItem, Order, Piece, Shipment
from apps.erp.orders.domain.carriers import CARRIERS
from tests.console.test_share_links import new_link
from tests.console.visitor import Browser, main_of

CODE = "00340434161094042557"


@pytest.fixture
def made(confirmed_sale) -> str:
    """The page of an order of three cubes, two of which are made."""
    Piece.objects.filter(number__lte=2).update(status="complete")
    return confirmed_sale


@pytest.fixture
def key(ada, made) -> str:
    """The key of the forms on the page of the order."""
    return re.search(r'name="key" value="([^"]+)"', ada.get(made).content.decode())[1]


@pytest.fixture
def ship(ada, made, key):
    """`ship(quantity, ...)`: send the form of a new shipment."""
    field = f"n-{LineItem.objects.get().pk}"
    fields = {"action": "create-shipment", "key": key}
    return lambda quantity, **more: ada.send(made, **fields, **{field: quantity}, **more)


def test_shop_ships_a_part_of_an_order_and_the_customer_tracks_it(ada, made, ship, run_jobs):
    assert "0 of 3 pieces shipped" in main_of(ada.get(made))

    sent = ship("1", carrier="DHL", tracking_number=CODE, is_shipped="on")

    assert sent.status_code == 303
    shown = main_of(ada.get(made))
    assert "1 of 3 pieces shipped" in shown
    assert "1 ready" in shown
    page = Browser().get(new_link(ada, made)).content.decode()
    link = CARRIERS["DHL"].format(CODE)
    assert re.search(rf'href="{re.escape(link)}"[^>]*>Track shipment', page)
    assert "1 × <bdi>cube</bdi>" in page
    assert CODE in main_of(ada.get("/shipment/"))
    assert 'aria-current="page">Shipments' in ada.get("/shipment/").content.decode()


def test_packed_shipment_is_hidden_from_the_customer_until_it_is_shipped(ada, made, ship, key):
    ship("2", carrier="Bike")
    shipment = Shipment.objects.get()
    link = new_link(ada, made)
    assert "Bike" not in Browser().get(link).content.decode()

    fields = {"key": key, "shipment": str(shipment.pk)}
    assert ada.send(made, action="ship", **fields).status_code == 303

    assert "Bike" in main_of(Browser().get(link))
    assert 'value="cancel-shipment"' not in ada.get(made).content.decode()


def test_cancelled_shipment_leaves_its_pieces_ready(ada, made, ship, key):
    ship("2")

    fields = {"key": key, "shipment": str(Shipment.objects.get().pk)}
    assert ada.send(made, action="cancel-shipment", **fields).status_code == 303

    assert "2 ready" in main_of(ada.get(made))


def test_wrong_form_is_shown_again_with_what_is_wrong(ada, made, ship):
    page = ship("3", carrier="DHL", tracking_url="http://dhl.example")

    assert page.status_code == 400
    assert 'value="DHL"' in page.content.decode()
    page = ship("3")
    assert page.status_code == 409
    assert "Not so many pieces are ready to ship" in main_of(page)
    assert ship("").status_code == 400
    assert ada.send(made, action="ship", shipment="../order").status_code == 404
    assert not Shipment.objects.exists()


def test_delivery_note_is_on_both_pages_once_it_is_shipped(ada, made, ship, key, run_jobs):
    ship("1")
    shipment = Shipment.objects.get()
    fields = {"key": key, "shipment": str(shipment.pk)}
    link = new_link(ada, made)

    assert ada.send(made, action="issue-delivery-note", **fields).status_code == 303
    run_jobs()

    number = Document.objects.get().number
    note = rf'href="http://files[^"]+">Delivery note {number}<'
    assert len(re.findall(note, ada.get(made).content.decode())) == 2
    assert number not in Browser().get(link).content.decode()
    ada.send(made, action="ship", **fields)
    assert re.search(note, Browser().get(link).content.decode())


def test_order_that_is_partly_shipped_is_ready_for_its_customer(ada, made, ship):
    Piece.objects.update(status="complete")
    LineItem.objects.update(status="complete")
    Order.objects.update(status="complete")
    link = new_link(ada, made)

    ship("1", is_shipped="on")
    assert 'aria-current="step"' in Browser().get(link).content.decode()

    ship("2", is_shipped="on")
    assert 'aria-current="step"' not in Browser().get(link).content.decode()


def test_console_offers_the_carriers_of_the_api():
    assert shipments.CARRIERS == tuple(CARRIERS)
