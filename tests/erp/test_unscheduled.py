"""Unscheduled pieces of a bureau, as they are listed for production."""

from datetime import UTC, datetime, timedelta

from apps.erp.models import LineItem, Order
from tests.erp.conftest import key_of


def test_unscheduled_pieces_are_listed_by_priority_due_date_and_age(erp, bureau, confirm, make):
    items = [confirm(quantity=n) for n in (5, 1, 2, 3)]
    for item, days in ((items[2], 9), (items[3], 2)):
        due = datetime.now(UTC) + timedelta(days=days)
        order = make("order", bureau=bureau["uri"], name="Spare parts", due_date=due.isoformat())
        LineItem.objects.filter(pk=key_of(item)).update(order=Order.objects.get(pk=key_of(order)))
    LineItem.objects.filter(pk=key_of(items[1])).update(priority=1)

    found = erp.get(f"{bureau['uri']}unscheduled/").json()

    by_item = [(row["line_item"], row["count"]) for row in found["resources"]]
    expected = [(items[1], 1), (items[3], 3), (items[2], 2), (items[0], 5)]
    assert by_item == [(item["uri"], pieces) for item, pieces in expected]
    assert found["resources"][0]["priority"] == 1
    first = erp.get(found["resources"][1]["pieces"][0]).json()
    assert (first["line_item"], first["number"]) == (items[3]["uri"], 1)
    assert found["meta"]["count"] == 4
    page = erp.get(f"{bureau['uri']}unscheduled/?page[limit]=1&page[offset]=1").json()
    assert [row["line_item"] for row in page["resources"]] == [items[3]["uri"]]


def test_unscheduled_pieces_are_hidden_from_strangers(client_of, stranger, bureau):
    assert client_of("erp", stranger).get(f"{bureau['uri']}unscheduled/").status_code == 404
