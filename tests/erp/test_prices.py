"""Price lists over HTTP: from terms to line items, quotes and the trace."""

import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from apps.erp.models import LineItem
from tests.erp.conftest import key_of


@pytest.fixture
def seller(make, bureau, erp):
    """`seller(terms, ...)`: the bureau's default list, sold from Germany at 19 %."""

    def make_list(*terms: dict, **fields) -> dict:
        uri = bureau["uri"]
        if not erp.get("/tax-rule/").json()["resources"]:
            make("tax-rule", bureau=uri, name="Full", category="S", country="DE", rate=19)
        fields = {"name": "Retail", "country": "DE", "is_default": True, **fields}
        made = make("price-list", bureau=uri, **fields)
        for at, term in enumerate(terms):
            make("price-term", price_list=made["uri"], position=at, **term)
        return erp.get(made["uri"]).json()

    return make_list


TERMS = (
    {"name": "Material", "step": "piece", "unit": "cc", "amount": 0.4},
    {"name": "Machine time", "step": "piece", "unit": "hour", "amount": 3.9},
    {"name": "Dyeing", "step": "finish", "amount": 1.2, "post_processor_types": ["Dyeing"]},
    {"name": "Setting up", "step": "line", "amount": 5},
    {"name": "Parcel", "step": "order", "amount": 5.9},
)


@pytest.fixture
def terms(erp, priced):
    """TERMS with the bureau's own finish."""
    (dyeing,) = erp.get("/post-processor-type/").json()["resources"]
    found = [dict(term) for term in TERMS]
    found[2]["post_processor_types"] = [dyeing["uri"]]
    return found


def refused(answer) -> set[tuple[str, str | None]]:
    assert answer.status_code in (400, 403, 409, 429, 503), answer.content
    return {(error["code"], error.get("field")) for error in answer.json()["errors"]}


def test_line_item_and_quote_have_no_price_without_a_price_list(erp, make, bureau, pending):
    order = make("order", bureau=bureau["uri"], name="1")
    item = pending(quantity=2, order=order["uri"])

    quote = make("quote", order=order["uri"])

    assert (item["price"], item["review"], item["manual_price"]) == (None, None, None)
    assert (quote["amount"], quote["net"], quote["taxes"], quote["gross"]) == (
        72.75,
        None,
        [],
        None,
    )


def test_line_item_is_priced_by_the_default_price_list(seller, terms, pending):
    seller(*terms)

    item = pending(quantity=2)

    assert item["estimates"]["cost"]["amount"] == 72.75  # cost stays what it is
    assert item["review"] is None
    price = item["price"]
    # 2 x 8.1 x 0.4 + 2 x 1 x 3.9 + 2 x 1.2 + 5
    assert (price["net"], price["gross"], price["currency"]) == (21.68, 25.8, "EUR")
    assert price["taxes"] == [
        {"category": "S", "rate": 19, "basis": 21.68, "amount": 4.12, "sentence": None}
    ]
    assert (price["unit"], price["unit_of"], price["basis"], price["within"]) == (
        10.84,
        1,
        "slice",
        0,
    )
    assert [term["sentence"] for term in price["terms"]] == [
        "Material, 2 x 8.1 cm³ at 0.40",
        "Machine time, 2 x 1 h 0 min at 3.90",
        "Setting up",
        "Dyeing",
    ]
    assert {name for term in price["terms"] for name in term} == {"step", "sentence", "amount"}


def test_price_is_frozen_at_confirmation_and_included_in_the_trace(
    erp, make, bureau, seller, terms, pending
):
    sold_by = seller(*terms)
    order = make("order", bureau=bureau["uri"], name="1")
    item = pending(quantity=2, order=order["uri"])
    assert erp.put(item["uri"], {"status": "confirmed"}).status_code == 204
    for term in erp.get("/price-term/").json()["resources"]:
        assert erp.delete(term["uri"]).status_code == 204

    assert erp.put(order["uri"], {"due_date": "2030-01-01"}).status_code == 204
    assert erp.get(sold_by["uri"]).json()["tried"] == []
    assert erp.get(item["uri"]).json()["price"] == item["price"]
    nodes = erp.get("/trace/", {"uri": item["uri"]}).json()["nodes"]
    (facts,) = [node["facts"] for node in nodes if node["kind"] == "line-item"]
    assert (facts["net"], facts["currency"]) == (21.68, "EUR")


def test_quote_has_net_taxes_gross_and_one_order_level_charge(
    erp, make, bureau, seller, terms, pending
):
    seller(*terms)
    order = make("order", bureau=bureau["uri"], name="1")
    for _ in range(2):
        pending(quantity=2, order=order["uri"])

    quote = make("quote", order=order["uri"])

    assert (quote["amount"], quote["net"], quote["gross"]) == (49.26, 49.26, 58.62)
    assert [line["amount"] for line in quote["lines"]] == [21.68, 21.68, 5.9]
    assert quote["lines"][2]["price"]["terms"] == [
        {"step": "order", "sentence": "Parcel", "amount": 5.9}
    ]
    assert [tax["amount"] for tax in quote["taxes"]] == [9.36]
    assert erp.put(quote["uri"], {"status": "accepted"}).status_code == 204


def test_line_item_without_a_price_needs_manual_review_and_manual_price(
    erp, make, client_of, bureau, member, seller, terms, pending
):
    seller(*terms, {"name": "Odd", "step": "line", "formula": "1 / (quantity - 2)"})
    order = make("order", bureau=bureau["uri"], name="1")
    item = pending(quantity=2, order=order["uri"])

    assert item["price"] is None
    (reason,) = item["review"]
    assert (reason["code"], reason["title"]) == ("formula-broken", "We price this part by hand.")
    assert "The rule Odd" in reason["why"]
    theirs = client_of("erp", member)
    assert theirs.get(item["uri"]).json()["review"] == [
        {"code": "formula-broken", "title": "We price this part by hand."}
    ]
    quote = make("quote", order=order["uri"])
    assert (quote["amount"], quote["net"], quote["gross"]) == (None, None, None)

    by_hand = {"manual_price": {"net": 12.5, "note": "as last year"}}
    assert refused(theirs.put(item["uri"], by_hand)) == {("Unauthorized", None)}
    assert erp.put(item["uri"], by_hand).status_code == 204
    told = erp.get(item["uri"]).json()
    assert (told["price"]["net"], told["price"]["basis"], told["review"]) == (12.5, "manual", None)
    assert told["manual_price"]["note"] == "as last year" and "by" in told["manual_price"]
    assert erp.put(item["uri"], told).status_code == 204  # what was told is taken back
    assert theirs.put(item["uri"], told).status_code == 204
    assert theirs.put(item["uri"], {"notes": "seen"}).status_code == 204
    assert erp.put(item["uri"], {"manual_price": None}).status_code == 204
    assert erp.get(item["uri"]).json()["review"]


def test_missing_tax_rule_leaves_the_line_item_without_a_price(
    erp, make, bureau, seller, terms, pending
):
    sold_by = seller(*terms, country="FR")

    item = pending()

    assert [reason["code"] for reason in item["review"]] == ["tax-unclear"]
    assert erp.put(sold_by["uri"], {"country": "DE"}).status_code == 204


def test_customer_group_terms_apply_to_its_orders_only(erp, make, bureau, seller, terms, pending):
    group = make("customer-group", bureau=bureau["uri"], name="Schools")
    margin = {"name": "Less", "step": "group", "factor": 0.5, "customer_groups": [group["uri"]]}
    seller(*terms, margin)
    customer = make(
        "customer", bureau=bureau["uri"], name="School", country="DE", group=group["uri"]
    )
    order = make("order", bureau=bureau["uri"], name="1", customer=customer["uri"])

    item = pending(quantity=2, order=order["uri"])

    assert item["price"]["net"] == 10.84
    assert "0.5" not in str([term["sentence"] for term in item["price"]["terms"]])
    assert erp.put(order["uri"], {"customer": None}).status_code == 204
    assert erp.get(item["uri"]).json()["price"]["net"] == 21.68


def test_order_uses_its_own_price_list_and_currency(erp, make, bureau, seller, terms, pending):
    seller(*terms)
    special = seller(TERMS[0], TERMS[1], name="Special", is_default=False)
    make("currency-conversion", bureau=bureau["uri"], currency="JPY", value=162.5)
    order = make("order", bureau=bureau["uri"], name="1", currency="JPY", price_list=special["uri"])

    item = pending(quantity=2, order=order["uri"])

    assert item["review"][0]["code"] == "no-rule"  # it does not sell the dyeing
    assert erp.put(order["uri"], {"price_list": None}).status_code == 204
    told = erp.get(item["uri"]).json()["price"]
    assert (told["net"], told["currency"]) == (3523, "JPY")


def test_bureau_has_at_most_one_default_price_list(seller, make, erp, bureau):
    seller()

    body = {"bureau": bureau["uri"], "name": "Other", "is_default": True}

    assert refused(erp.post("/price-list/", body)) == {("resource-exists", None)}


@pytest.mark.parametrize(
    ("term", "field"),
    [
        ({"formula": "volume ** 2", "unit": "formula", "amount": None}, "formula"),
        ({"formula": "().__class__", "unit": "formula", "amount": None}, "formula"),
        ({"unit": "stone"}, "unit"),
        ({"breaks": [{"from": 10}], "by": "pieces"}, "breaks"),
        (
            {
                "by": "pieces",
                "kind_of_break": "whole",
                "breaks": [{"from": 100, "amount": 0.1}],
            },
            "may_fall",
        ),
        ({"sentence": {"en": "{cost}"}}, "sentence"),
    ],
)
def test_invalid_price_term_is_rejected_and_leaves_the_list_unchanged(erp, seller, term, field):
    sold_by = seller(TERMS[0])

    answer = erp.post("/price-term/", {"price_list": sold_by["uri"], **TERMS[0], **term})

    assert refused(answer) == {("invalid-price-term", field)}
    assert erp.get(sold_by["uri"]).json() == sold_by


def test_price_list_change_reprices_samples_and_reports_warnings(erp, seller, terms, pending):
    sold_by = seller(*terms)
    pending(quantity=2)
    (material,) = [
        term for term in erp.get("/price-term/").json()["resources"] if term["name"] == "Material"
    ]

    assert erp.put(material["uri"], {"formula": "1 / (z - 20)", "unit": "formula", "amount": None})
    told = erp.get(sold_by["uri"]).json()

    real = [each for each in told["tried"] if "line-item" in each["part"]]
    assert real and real[0]["net"] is None and "The rule Material" in real[0]["review"][0]
    plate = [each for each in told["tried"] if each["part"] == "a thin plate"][0]
    assert (plate["before"] is not None) and plate["net"] != plate["before"]
    assert {each["term"] for each in told["warnings"]} == {"Material"}


def test_price_list_document_can_be_exported_and_imported(erp, seller, terms):
    sold_by = seller(*terms)
    path = f"{sold_by['uri']}document/"

    document = erp.get(path).json()

    assert [term["name"] for term in document["terms"]] == [term["name"] for term in TERMS]
    assert document["terms"][2]["post_processor_types"] == ["Dyeing"]
    assert erp.put(path, document).status_code == 204
    assert erp.get(path).json() == document
    document["terms"][2]["post_processor_types"] = ["Plating"]
    document["terms"][0]["formula"] = "1 +"
    assert refused(erp.put(path, document)) == {
        ("invalid-price-term", "terms.2.post_processor_types")
    }
    assert len(erp.get(path).json()["terms"]) == len(TERMS)


def test_price_lists_and_customers_require_their_rights(
    erp, make, client_of, bureau, member, seller, terms
):
    sold_by = seller(*terms)
    customer = make("customer", bureau=bureau["uri"], name="School")
    theirs = client_of("erp", member)

    for uri in (sold_by["uri"], f"{sold_by['uri']}document/", customer["uri"]):
        assert theirs.get(uri).status_code == 404
    for kind in ("price-list", "price-term", "tax-rule", "customer", "customer-group"):
        assert theirs.get(f"/{kind}/").json()["resources"] == []
    body = {"bureau": bureau["uri"], "name": "Mine"}
    assert refused(theirs.post("/price-list/", body)) == {("Unauthorized", None)}
    term = {"price_list": sold_by["uri"], **TERMS[0]}
    assert refused(theirs.post("/price-term/", term)) == {("Unauthorized", None)}

    make("permission-bureau", bureau=bureau["uri"], user=member.uri, right="price.all")
    assert theirs.get(sold_by["uri"]).status_code == 200
    assert theirs.get(customer["uri"]).status_code == 404
    assert theirs.post("/price-term/", term).status_code == 201


@pytest.mark.parametrize(
    ("kind", "fields", "field"),
    [
        ("customer", {"vat_number": "DE123456789"}, "vat_number"),
        ("customer", {"country": "Germany"}, "country"),
        ("working-calendar", {"time_zone": "Mars/Base"}, "time_zone"),
        ("working-calendar", {"weekdays": [7]}, "weekdays.0"),
        ("working-calendar", {"holidays": ["tomorrow"]}, "holidays.0"),
        ("tax-rule", {"category": "X"}, "category"),
        ("tax-rule", {"category": "S", "since": "soon"}, "since"),
    ],
)
def test_invalid_field_of_selling_kinds_is_rejected(erp, bureau, kind, fields, field):
    body = {"bureau": bureau["uri"], "name": "New", **fields}

    assert {where for _, where in refused(erp.post(f"/{kind}/", body))} == {field}


def test_rush_term_depends_on_the_working_calendar_and_due_date(
    erp, make, bureau, seller, pending, priced
):
    calendar = make("working-calendar", bureau=bureau["uri"], name="Hall", holidays=["2031-01-01"])
    rush = {
        "name": "Rush",
        "step": "rush",
        "by": "weekdays",
        "breaks": [{"from": 2, "factor": 2}, {"from": 5, "factor": 1}],
    }
    (dyeing,) = erp.get("/post-processor-type/").json()["resources"]
    sold_by = seller(
        {"name": "Part", "step": "piece", "amount": 1},
        {"name": "Dye", "step": "finish", "amount": 1, "post_processor_types": [dyeing["uri"]]},
        rush,
        calendar=calendar["uri"],
    )
    assert sold_by["calendar"] == calendar["uri"]
    order = make("order", bureau=bureau["uri"], name="1", due_date="2031-01-01")

    item = pending(quantity=1, order=order["uri"])

    assert item["price"]["net"] == 2
    assert erp.put(order["uri"], {"due_date": "2020-01-01"}).status_code == 204
    assert erp.get(item["uri"]).json()["review"][0]["code"] == "not-due"
    assert LineItem.objects.get(pk=key_of(item)).price is None


def test_admin_edits_a_price_list_and_shows_its_warnings(operator, erp, seller, terms):
    client = Client(SERVER_NAME="admin.platform.test")
    client.post("/login/", {"username": "root", "password": "correct horse battery"})
    sold_by = seller(*terms)
    page = f"/erp/pricelist/{key_of(sold_by)}/change/"
    document = erp.get(f"{sold_by['uri']}document/").json()["terms"]
    document[0] = {**document[0], "unit": "formula", "formula": "1 / (z - 20)"}
    del document[0]["amount"]

    shown = client.get(page)
    saved = client.post(page, {"document": json.dumps(document)}, follow=True)

    assert b"a thin plate" in shown.content
    assert saved.status_code == 200
    assert "The rule Material gives no price" in saved.content.decode()
    assert erp.get(sold_by["uri"]).json()["warnings"]
    document[0]["formula"] = "1 +"
    refused_page = client.post(page, {"document": json.dumps(document)})
    assert b"cannot be read" in refused_page.content


def test_prices_check_command_names_terms_that_give_no_price(seller, erp):
    sold_by = seller({"name": "Part", "step": "piece", "amount": 1})
    out = io.StringIO()
    call_command("check_price_lists", stdout=out)
    assert "Every list gives a price" in out.getvalue()

    erp.post(
        "/price-term/",
        {"price_list": sold_by["uri"], "name": "Odd", "step": "line", "formula": "1 / (z - 1)"},
    )
    with pytest.raises(CommandError, match="[1-9][0-9]* warnings"):
        call_command("check_price_lists", stdout=out)
    assert "Odd" in out.getvalue()
