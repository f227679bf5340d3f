"""The page of a piece, to which its label leads."""

import pytest

from apps.erp.models import Order, Piece
from tests.console.visitor import PASSWORD, Browser, text_of


@pytest.fixture
def piece(confirmed) -> str:
    """The page of the second of three pieces of an order."""
    Order.objects.update(customer_name="Gates Ltd", customer_po="4711")
    return f"/piece/{Piece.objects.get(number=2).pk}/"


def test_piece_page_shows_part_order_reference_and_number(ada, piece):
    page = text_of(ada.get(piece))

    for text in ("cube", "2 of 3", "Gates Ltd", "4711", "Unscheduled", "PLA"):
        assert text in page


def test_piece_page_asks_for_a_sign_in_and_returns_to_the_piece(piece):
    browser = Browser()

    led = browser.get(piece)

    assert led["Location"].startswith("/sign-in/?next=")
    back = browser.send(led["Location"], username="ada", password=PASSWORD)
    assert back["Location"] == piece


def test_piece_page_is_hidden_from_strangers(piece, stranger):
    bob = Browser()
    bob.send("/sign-in/", username="bob", password=PASSWORD)

    assert bob.get(piece).status_code == 404
