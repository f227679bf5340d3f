"""The kinds that a bureau sells by: taken back as told, and numbers that somebody confirmed."""

import pytest

from tests.erp.test_prices import TERMS, refused

pytestmark = pytest.mark.django_db

NUMBER = "FR40303265045"


def test_representations_of_selling_kinds_can_be_put_unchanged(erp, make, bureau):
    uri = bureau["uri"]
    calendar = make("working-calendar", bureau=uri, name="Hall", holidays=["2031-01-01"])
    sold_by = make("price-list", bureau=uri, name="Retail", calendar=calendar["uri"])
    group = make("customer-group", bureau=uri, name="Schools", price_list=sold_by["uri"])
    rule = {"category": "S", "rate": 19, "country": "DE", "since": "2026-01-01"}
    made = [
        calendar,
        sold_by,
        group,
        make("price-term", price_list=sold_by["uri"], sentence={"de": "{name}"}, **TERMS[0]),
        make("tax-rule", bureau=uri, name="Full", **rule),
        make("customer", bureau=uri, name="School", group=group["uri"], vat_number=NUMBER),
    ]

    for each in made:
        told = erp.get(each["uri"]).json()
        assert erp.put(each["uri"], told).status_code == 204
        now = {"updated": None, "tried": None}  # a list is tried anew
        assert {**erp.get(each["uri"]).json(), **now} == {**told, **now}


def test_vat_confirmation_is_kept_until_the_number_changes(
    erp, make, client_of, bureau, member, person
):
    customer = make("customer", bureau=bureau["uri"], name="School", vat_number=NUMBER)
    uri = customer["uri"]
    assert (customer["vat_confirmed"], customer["vat_confirmed_by"]) == (False, None)
    make("permission-bureau", bureau=bureau["uri"], user=member.uri, right="customer.all")

    assert erp.put(uri, {"vat_confirmed": True}).status_code == 204
    told = erp.get(uri).json()
    assert client_of("erp", member).put(uri, told).status_code == 204
    assert erp.get(uri).json()["vat_confirmed_by"] == person.uri == told["vat_confirmed_by"]
    assert erp.get(uri).json()["vat_confirmed_on"] == told["vat_confirmed_on"]

    assert erp.put(uri, {**told, "vat_number": "FR83404833048"}).status_code == 204
    told = erp.get(uri).json()
    assert (told["vat_confirmed"], told["vat_confirmed_by"]) == (False, None)
    assert told["vat_confirmed_on"] is None


def test_vat_confirmation_requires_a_number_and_records_the_user(erp, bureau):
    body = {"bureau": bureau["uri"], "name": "School", "vat_confirmed": True}

    assert refused(erp.post("/customer/", body)) == {("missing-parameter", "vat_number")}
    answer = erp.post("/customer/", {**body, "vat_number": NUMBER, "vat_confirmed_by": "x"})
    assert answer.status_code == 201
    assert answer.json()["vat_confirmed_by"].startswith("http://users.")
