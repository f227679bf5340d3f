"""Quotes: an order's estimate, offered once and accepted as it was offered."""

import threading
from datetime import UTC, datetime, timedelta

import pytest

from apps.erp.models import LineItem, Quote
from tests.erp.conftest import key_of
from tests.erp.test_confirm_concurrently import in_threads
from tests.erp.test_line_items import errors_of

CROWD = 8


@pytest.fixture
def order(make, bureau) -> dict:
    return make("order", bureau=bureau["uri"], name="Nr. 1")


@pytest.fixture
def quote(make, order, pending) -> dict:
    """An open quote over two line items."""
    pending(quantity=2, order=order["uri"], name="Lid")
    pending(quantity=1, order=order["uri"], name="Box")
    return make("quote", order=order["uri"])


def test_quote_lines_equal_the_estimates_of_the_line_items(erp, order, quote, priced, cube_model):
    first, second = quote["lines"]

    assert (quote["status"], quote["currency"], quote["accepted"]) == ("open", "EUR", None)
    items = erp.get(order["uri"]).json()["line_items"]
    assert [line["line_item"] for line in quote["lines"]] == items
    assert {name: value for name, value in first.items() if name != "terms"} == {
        "line_item": items[0],
        "name": "Lid",
        "quantity": 2,
        "model": cube_model["uri"],
        "materials": priced["materials"],
        "workflow": priced["workflow"],
        "config": None,
        "amount": 72.75,
        "lead_time": 8400,
        "lead_time_reason": None,
        "conversion": None,
        "price": None,
        "review": None,
    }
    assert second["amount"] == 39.32  # half of 72.747 - 5.90, and 5.90
    assert quote["amount"] == 112.07
    assert quote["lead_time"] == 8400 + 4200


def test_quote_expires_after_thirty_days_or_its_valid_days(make, order, pending):
    pending(order=order["uri"])

    for fields, days in (({}, 30), ({"valid_days": 7}, 7)):
        expires = datetime.fromisoformat(make("quote", order=order["uri"], **fields)["expires"])
        left = expires - datetime.now(UTC)
        assert timedelta(days=days) - left < timedelta(minutes=5)


def test_accepting_a_quote_confirms_all_its_line_items(erp, order, quote, pieces_of):
    assert erp.put(quote["uri"], {"status": "accepted"}).status_code == 204

    accepted = erp.get(quote["uri"]).json()
    assert (accepted["status"], accepted["lines"]) == ("accepted", quote["lines"])
    assert accepted["accepted"] is not None
    items = [erp.get(line["line_item"]).json() for line in quote["lines"]]
    assert [item["status"] for item in items] == ["confirmed", "confirmed"]
    assert [len(pieces_of(item)) for item in items] == [2, 1]
    after = erp.get(order["uri"]).json()
    assert (after["status"], after["quote"]) == ("confirmed", quote["uri"])


def test_accepted_quote_can_be_neither_changed_nor_deleted(erp, quote):
    erp.put(quote["uri"], {"status": "accepted"})

    for status in ("open", "withdrawn"):
        answer = erp.put(quote["uri"], {"status": status})
        assert (answer.status_code, errors_of(answer)) == (409, [("illegal-transition", "status")])
    answer = erp.delete(quote["uri"])
    assert (answer.status_code, errors_of(answer)) == (409, [("quote-accepted", None)])
    assert erp.put(quote["uri"], {"status": "accepted"}).status_code == 204


def test_expired_quote_cannot_be_accepted(erp, quote):
    past = datetime.now(UTC) - timedelta(seconds=1)
    Quote.objects.filter(pk=key_of(quote)).update(expires=past)

    answer = erp.put(quote["uri"], {"status": "accepted"})

    assert (answer.status_code, errors_of(answer)) == (409, [("quote-expired", None)])


@pytest.mark.parametrize(
    "change",
    [{"quantity": 5}, {"status": "cancelled"}, {"order": None}, {"materials": {"support": None}}],
    ids=["quantity", "cancelled", "another order", "material"],
)
def test_quote_is_rejected_and_names_line_items_that_changed(erp, quote, change, estimate):
    changed, other = (line["line_item"] for line in quote["lines"])
    assert erp.put(changed, change).status_code == 204
    estimate()

    answer = erp.put(quote["uri"], {"status": "accepted"})

    assert (answer.status_code, errors_of(answer)) == (409, [("quote-changed", None)])
    assert answer.json()["errors"][0]["details"]["changed"] == [changed]
    assert erp.get(other).json()["status"] == "pending"


def test_quote_is_rejected_and_names_line_items_that_were_added(erp, order, quote, pending):
    new = pending(order=order["uri"])

    answer = erp.put(quote["uri"], {"status": "accepted"})

    assert answer.json()["errors"][0]["details"]["changed"] == [new["uri"]]


def test_quote_is_accepted_when_the_change_was_reverted(erp, quote, estimate):
    changed = quote["lines"][0]["line_item"]
    for quantity in (5, 2):
        erp.put(changed, {"quantity": quantity})
        estimate()

    assert erp.put(quote["uri"], {"status": "accepted"}).status_code == 204


def test_quote_is_accepted_when_a_line_item_is_already_confirmed(erp, quote, pieces_of):
    confirmed = quote["lines"][0]["line_item"]
    assert erp.put(confirmed, {"status": "confirmed"}).status_code == 204

    assert erp.put(quote["uri"], {"status": "accepted"}).status_code == 204

    assert len(pieces_of({"uri": confirmed})) == 2


def test_new_quote_withdraws_the_open_one(erp, make, order, quote):
    new = make("quote", order=order["uri"])

    assert erp.get(quote["uri"]).json()["status"] == "withdrawn"
    assert erp.get(order["uri"]).json()["quote"] == new["uri"]
    answer = erp.put(quote["uri"], {"status": "accepted"})
    assert errors_of(answer) == [("illegal-transition", "status")]


def test_open_quote_can_be_withdrawn_and_deleted(erp, order, quote):
    assert erp.put(quote["uri"], {"status": "withdrawn"}).status_code == 204
    assert erp.get(order["uri"]).json()["quote"] is None

    assert erp.delete(quote["uri"]).status_code == 204
    assert erp.get(quote["uri"]).status_code == 404


def test_line_item_without_estimate_cannot_be_quoted(erp, make, bureau, order, pending):
    pending(order=order["uri"])
    new = make(
        "line-item", bureau=bureau["uri"], order=order["uri"], quantity=1, no_model_upload=True
    )

    answer = erp.post("/quote/", {"order": order["uri"]})

    assert (answer.status_code, errors_of(answer)) == (409, [("estimate-not-ready", None)])
    assert answer.json()["errors"][0]["details"]["line_items"] == [new["uri"]]


def test_order_without_line_items_cannot_be_quoted(erp, order):
    answer = erp.post("/quote/", {"order": order["uri"]})

    assert (answer.status_code, errors_of(answer)) == (409, [("nothing-to-quote", None)])


def test_quote_sum_is_unknown_when_a_line_is_unknown(erp, make, bureau, order, pending, run_jobs):
    pending(order=order["uri"])
    make("line-item", bureau=bureau["uri"], order=order["uri"], quantity=1, no_model_upload=True)
    run_jobs()

    quote = make("quote", order=order["uri"])

    assert (quote["amount"], quote["lead_time"]) == (None, None)
    assert quote["lines"][0]["amount"] == 72.75
    assert quote["lines"][1]["lead_time_reason"] is not None


def test_order_shipping_is_a_quote_line_when_no_workflow_ships(
    erp, make, bureau, pending, estimate
):
    parcel = make("shipping", bureau=bureau["uri"], name="Air", cost=12.5)
    order = make("order", bureau=bureau["uri"], name="Nr. 1", shipping={"uri": parcel["uri"]})
    pending(order=order["uri"], workflow=None)

    quote = make("quote", order=order["uri"])

    line = quote["lines"][-1]
    assert (line["line_item"], line["name"], line["amount"]) == (None, "shipping", 12.5)
    assert line["terms"][0]["source"] == parcel["uri"]


@pytest.mark.parametrize("days", [0, 367, 1.5, "7"])
def test_valid_days_of_a_quote_are_bounded(erp, order, days):
    answer = erp.post("/quote/", {"order": order["uri"], "valid_days": days})

    assert answer.status_code == 400
    assert [field for _, field in errors_of(answer)] == ["valid_days"]


def test_members_create_and_list_quotes(client_of, order, quote, member, stranger, operator):
    assert client_of("erp", member).post("/quote/", {"order": order["uri"]}).status_code == 201
    (listed,) = client_of("erp", member).get("/quote/?filter[status]=open").json()["resources"]
    assert listed["order"] == order["uri"]


def test_strangers_can_neither_read_nor_create_quotes(client_of, order, quote, stranger):
    somebody = client_of("erp", stranger)

    assert somebody.get(quote["uri"]).status_code == 404
    assert somebody.post("/quote/", {"order": order["uri"]}).status_code == 403


@pytest.mark.django_db(transaction=True)
def test_concurrent_quotes_of_an_order_end_with_one_accepted(client_of, make, bureau, person):
    order = make("order", bureau=bureau["uri"], name="Nr. 1")
    item = LineItem.objects.create(
        bureau_id=key_of(bureau),
        order_id=key_of(order),
        quantity=5,
        no_model_upload=True,
        status="pending",
        creator=person,
    )
    together = threading.Barrier(CROWD)
    answers = []

    def offer_and_accept(_: int) -> None:
        client = client_of("erp", person)
        together.wait()
        offered = client.post("/quote/", {"order": order["uri"]})
        together.wait()
        if offered.status_code == 201:
            uri = offered.json()["uri"]
            answers.append(client.put(uri, {"status": "accepted"}).status_code)

    in_threads(offer_and_accept, CROWD)

    statuses = list(Quote.objects.values_list("status", flat=True))
    assert sorted(statuses) == ["accepted", *["withdrawn"] * (CROWD - 1)]
    assert sorted(answers) == [204, *[409] * (CROWD - 1)]
    assert item.pieces.count() == 5
