"""A walk of the document: whoever may read a price reads neither costs nor what made it."""

import json
import re
from collections.abc import Iterator

import pytest

from apps.erp.actors import refresh_price_tables
from apps.erp.models import LineItem
from apps.slicing.models import Slice
from apps.users.models import User
from tests.erp.conftest import key_of

pytestmark = pytest.mark.django_db

# Written nowhere but in costs, and in what a list is made of.
COSTS = ("0.3537", "17.7713", "0.4391")
FACTORS = ("1.3917", "0.4771")
MARGIN = "Margin of schools"
# Kinds that say what something costs, and the names of amounts and factors in them.
PRICED = {"price-table", "line-item", "quote", "order", "trace"}
AMOUNTS = {"amount", "net", "gross", "tax", "price", "unit", "factor", "parts", "charges"}


@pytest.fixture
def eve(db) -> User:
    return User.objects.create_user("eve", "eve@example.com", "correct horse battery")


@pytest.fixture
def sold(erp, make, bureau, priced, cube_model, estimate, eve) -> dict[str, dict]:
    """All kinds of a sale to Eve, by their names: from list and table to a quote."""
    uri = bureau["uri"]
    (machine,) = [
        each for each in erp.get("/printer-type/").json()["resources"] if each["name"] == "FDM"
    ]
    material = make("material", bureau=uri, name="Black", cost=0.3537, density=1.1)
    fields = {"materials": [material["uri"]], "running_cost_per_hour": 17.7713}
    assert erp.put(machine["uri"], {**fields, "power": 137}).status_code == 204
    assert erp.put(uri, {"electricity_price": 0.4391}).status_code == 204
    sold_by = make("price-list", bureau=uri, name="Retail", country="DE", is_default=True)
    group = make("customer-group", bureau=uri, name="Schools")
    terms = [
        {"name": "Parts", "step": "piece", "unit": "cost", "amount": 2},
        {"name": "Setting up", "step": "line", "formula": "0.4771 * 10"},
        {"name": MARGIN, "step": "group", "factor": 1.3917, "customer_groups": [group["uri"]]},
    ]
    made = [make("price-term", price_list=sold_by["uri"], **term) for term in terms]
    tax = make("tax-rule", bureau=uri, name="Full", category="S", country="DE", rate=19)
    about = {"name": "Eve", "country": "DE", "user": eve.uri, "group": group["uri"]}
    customer = make("customer", bureau=uri, **about)
    asked = {"models": [cube_model["uri"]], "materials": [material["uri"]], "quantities": [3]}
    table = make("price-table", bureau=uri, customer=customer["uri"], **asked)
    (row,) = Slice.objects.all()
    row.move("processing")
    row.move("processed", estimates={"build_time_seconds": 3600, "build_volume_cc": 8.1})
    refresh_price_tables.fn(row.uri)
    order = make("order", bureau=uri, name="1", customer=customer["uri"])
    answer = erp.put(table["uri"], {"order": order["uri"], "cells": [0]})
    assert answer.status_code == 409, "a cost that is not known is no price"
    row.estimates = {**row.estimates, "support_volume_cc": 0.0}
    row.save()
    table = make("price-table", bureau=uri, customer=customer["uri"], **asked | {"quantities": [4]})
    assert erp.put(table["uri"], {"order": order["uri"], "cells": [0]}).status_code == 204
    estimate()
    (item,) = erp.get("/line-item/").json()["resources"]
    quote = make("quote", order=order["uri"])
    found = [bureau, machine, material, sold_by, group, *made, tax, customer, table]
    return {each["uri"]: each for each in (*found, order, item, quote)}


def walk(client, resources) -> Iterator[tuple[str, str]]:
    """Every GET of the host, for every resource: the path and the text of what is answered."""
    for path, verbs in client.get("/openapi.json").json()["paths"].items():
        kind = path.strip("/").partition("/")[0]
        if "get" not in verbs or path == "/openapi.json":
            continue
        of = [each for uri, each in resources.items() if f"/{kind}/" in uri]
        for each in of if "{" in path else [None]:
            asked = re.sub(r"\{seq\}", "1", path)
            asked = asked if each is None else re.sub(r"\{\w+\}", key_of(each), asked)
            answer = client.get(asked)
            if answer.status_code == 200:
                yield asked, answer.content.decode(errors="replace")
    for uri in resources:
        answer = client.get("/trace/", {"uri": uri})
        if answer.status_code == 200:
            yield f"/trace/?uri={uri}", answer.content.decode()


def sources(resources) -> list[str]:
    """The URIs of what a price is made from."""
    return [uri for uri in resources if re.search("/(price-list|price-term|tax-rule)/", uri)]


def has(text: str, secret: str) -> bool:
    """Whether a text has a secret, as a whole number where it is one: times have many digits."""
    return re.search(rf"(?<!\d){re.escape(secret)}(?!\d)", text) is not None


def test_customer_reads_their_table_but_no_costs_or_price_list(client_of, eve, sold):
    found = dict(walk(client_of("erp", eve), sold))

    (table,) = [uri for uri in sold if "/price-table/" in uri]
    assert f"/price-table/{key_of({'uri': table})}/" in found
    told = [path for path, text in found.items() if '"net"' in text]
    assert {path.split("/")[1] for path in told} <= {"price-table", "trace"}
    for path, text in found.items():
        for secret in (*COSTS, *FACTORS, MARGIN, *sources(sold)):
            assert not has(text, secret), path


def amounts(value: object) -> Iterator[float]:
    """Every amount of money in a response, and every factor of one."""
    if isinstance(value, dict):
        for name, part in value.items():
            if name in AMOUNTS and isinstance(part, int | float):
                yield part
            yield from amounts(part)
    elif isinstance(value, list):
        for part in value:
            yield from amounts(part)


@pytest.mark.parametrize(
    ("role", "is_seller"),
    [("owner", True), ("sales", True), ("production", False), ("viewer", False)],
)
def test_prices_and_costs_are_for_owners_and_sales(
    client_of, erp, make, bureau, stranger, sold, role, is_seller
):
    make("location", bureau=bureau["uri"], name="Hall")
    offer = make("invitation", bureau=bureau["uri"], role=role, name="Bob")
    token = erp.post(f"{offer['uri']}link/").json()["token"]
    bob = client_of("erp", stranger)
    assert bob.post("/invitation/accept/", {"token": token}).status_code == 200

    pages = dict(walk(client_of("erp", stranger), sold))

    events = client_of("callbacks", stranger).get(
        "/events/", {"bureau": bureau["uri"], "after": "0"}
    )
    assert ("estimates.cost" in events.content.decode()) == is_seller
    assert '"estimates.print_time"' in events.content.decode()
    priced = {
        path.split("/")[1]
        for path, text in pages.items()
        if path.split("/")[1] in PRICED and text.startswith("{") and list(amounts(json.loads(text)))
    }
    assert priced == (PRICED if is_seller else set())
    for path, text in pages.items():
        for secret in (*FACTORS, MARGIN, '"formula"', '"why"', *sources(sold)):
            assert is_seller or not has(text, secret), path


def test_who_created_a_line_item_reads_what_it_costs(client_of, make, member, bureau):
    bob = client_of("erp", member)

    fields = {"quantity": 1, "no_model_upload": True, "name": "Bracket"}
    made = make("line-item", bob, bureau=bureau["uri"], **fields)

    row = LineItem.objects.get(pk=key_of(made))
    row.price = {"net": 12.5, "currency": "EUR", "terms": []}
    row.save(update_fields=["price"])
    assert bob.get(made["uri"]).json()["price"]["net"] == 12.5


def test_hidden_manual_price_survives_what_a_member_puts_back(client_of, erp, member, sold):
    (uri,) = [each for each in sold if "/line-item/" in each]
    LineItem.objects.update(manual_price={"net": 5.0, "note": "", "by": uri})
    bob = client_of("erp", member)
    read = bob.get(uri).json()
    assert read["manual_price"] is None

    answer = bob.put(uri, {**read, "notes": "Blue"})

    assert answer.status_code == 204, answer.json()
    assert erp.get(uri).json()["manual_price"]["net"] == 5.0


def test_owner_reads_costs_and_price_list(erp, sold):
    text = "".join(text for _, text in walk(erp, sold))

    assert all(has(text, secret) for secret in (*COSTS, *FACTORS, MARGIN))
