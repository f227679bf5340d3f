"""Events of an order, for all who read its bureau."""

import pytest

pytestmark = pytest.mark.django_db


@pytest.fixture
def events(make, bureau, erp, pending):
    """URI of the events of an order that was confirmed."""
    order = make("order", bureau=bureau["uri"], name="1")
    item = pending(order=order["uri"])
    assert erp.put(item["uri"], {"status": "confirmed"}).status_code == 204
    return f"{order['uri']}events/"


def test_colleagues_read_the_events_of_an_order_without_its_deliveries(
    erp, client_of, member, events
):
    own = erp.get(events).json()["resources"]

    theirs = client_of("erp", member).get(events).json()["resources"]

    assert [row["type"] for row in own] == ["order.confirmed"]
    assert [(row["type"], row["created"]) for row in theirs] == [
        (row["type"], row["created"]) for row in own
    ]
    assert [row["deliveries"] for row in theirs] == [[]]


def test_events_of_an_order_are_hidden_from_strangers(client_of, stranger, events):
    assert client_of("erp", stranger).get(events).status_code == 404
