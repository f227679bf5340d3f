"""One piece costs the same to make in a line item, a price table and a quote."""

from decimal import Decimal

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as some

from apps.erp.models import LineItem
from apps.erp.orders.services.estimates import reprice
from apps.slicing.models import Slice
from tests.erp.conftest import key_of

rates = some.decimals(0, 90, places=4).map(float)
factors = some.decimals(Decimal("0.2"), 3, places=2).map(float)
figures = some.fixed_dictionaries(
    {
        "build_time_seconds": some.integers(1, 200_000),
        "build_volume_cc": some.floats(0.01, 900),
        "support_volume_cc": some.just(0.0) | some.floats(0.01, 90),
    }
)
# What a list may ask for beside the cost.
more_terms = some.lists(
    some.one_of(
        some.builds(lambda amount: {"unit": "cc", "amount": amount}, rates),
        some.builds(lambda amount: {"unit": "hour", "amount": amount}, rates),
        some.builds(lambda factor: {"unit": "formula", "formula": f"cost * {factor}"}, factors),
        some.builds(lambda share: {"step": "line", "amount": share}, rates),
    ),
    max_size=3,
)
printers = some.fixed_dictionaries(
    {
        "running_cost_per_hour": rates,
        "print_cost_scale_factor": factors,
        "material_cost_scale_factor": factors,
        "time_factor": factors,
        "constant_overhead": some.none() | rates,
        "power": some.none() | some.integers(0, 3000) | some.floats(0.01, 3000),
    }
)


@pytest.fixture
def shop(erp, make, bureau, priced):
    """A price list, and the material, machine, finish, shipping and workflows that it sells."""
    uri = bureau["uri"]
    make("tax-rule", bureau=uri, name="Full", category="S", country="DE", rate=19)
    sold_by = make("price-list", bureau=uri, name="Retail", country="DE", is_default=True)
    found = {
        kind: erp.get(f"/{kind}/").json()["resources"]
        for kind in ("printer-type", "post-processor-type", "shipping")
    }
    (machine,) = [each["uri"] for each in found["printer-type"] if each["name"] == "FDM"]
    (dyeing,), (parcel,) = found["post-processor-type"], found["shipping"]
    material = priced["materials"]["base"]
    assert erp.put(machine, {"materials": [material]}).status_code == 204
    plain = make("workflow", bureau=uri, name="Printed")["uri"]
    make("process-step", workflow=plain, step_position=1, process_type=machine)
    return {
        "list": sold_by["uri"],
        "material": material,
        "machine": machine,
        "dyeing": dyeing["uri"],
        "shipping": parcel["uri"],
        "workflows": {True: priced["workflow"], False: plain},
    }


@pytest.fixture
def make_item(erp, make, bureau, shop, cube_model, estimate, finish_slice):
    """`make_item(quantity=2, dyed=True)`: an estimated line item, in an order of its own."""

    def make_one(*, quantity: int, dyed: bool) -> dict:
        item = make(
            "line-item",
            bureau=bureau["uri"],
            order=make("order", bureau=bureau["uri"], name="1")["uri"],
            model=cube_model["uri"],
            quantity=quantity,
            materials={"base": shop["material"]},
            workflow=shop["workflows"][dyed],
        )
        estimate()
        item = erp.get(item["uri"]).json()
        return item if item["status"] == "pending" else finish_slice(item)

    return make_one


@pytest.fixture
def cell_of(make, bureau, shop, cube_model):
    """`cell_of(quantity=2, dyed=True)`: the cell of a price table that is about the same."""

    def ask(*, quantity: int, dyed: bool) -> dict:
        table = make(
            "price-table",
            bureau=bureau["uri"],
            models=[cube_model["uri"]],
            materials=[shop["material"]],
            quantities=[quantity],
            finishes=[[shop["dyeing"]] if dyed else []],
        )
        return table["cells"][0]

    return ask


COST = {"name": "Cost", "step": "piece", "unit": "cost", "amount": 1}
DYEING = {"name": "Dyeing", "step": "finish", "amount": 0, "post_processor_types": ["Dyeing"]}


@pytest.fixture
def sell(erp, shop):
    """`sell(term, ...)`: the list has these terms, and one that sells the finish for nothing."""

    def put(*terms: dict) -> None:
        answer = erp.put(f"{shop['list']}document/", {"terms": [*terms, DYEING]})
        assert answer.status_code == 204, answer.content

    return put


def test_piece_cost_is_equal_in_line_item_and_price_table(sell, make_item, cell_of):
    sell(COST)

    item = make_item(quantity=2, dyed=True)
    cell = cell_of(quantity=2, dyed=True)

    # 2 x ((8.1 + 0.5) cc x 0.35 x 1.1 + 1 h x 18 x 1.5 + 2 + 1.25)
    assert (item["price"]["net"], cell["net"]) == (67.12, 67.12)
    assert item["estimates"]["per_piece"]["cost"]["amount"] == 33.56
    assert item["estimates"]["cost"]["amount"] == 73.02  # with 5.90 for the parcel


def test_piece_cost_is_known_when_shipping_has_no_price(erp, sell, shop, make_item):
    sell(COST)
    assert erp.put(shop["shipping"], {"cost": None}).status_code == 204

    item = make_item(quantity=2, dyed=True)

    assert item["estimates"]["cost"]["amount"] is None
    assert item["estimates"]["per_piece"]["cost"]["amount"] == 33.56
    assert item["price"]["net"] == 67.12


def test_energy_is_in_the_cost_of_line_item_and_price_table(
    erp, bureau, sell, shop, make_item, cell_of
):
    sell(COST)
    assert erp.put(shop["machine"], {"power": 120}).status_code == 204
    assert erp.put(bureau["uri"], {"electricity_price": 0.35}).status_code == 204

    item = make_item(quantity=100, dyed=False)
    cell = cell_of(quantity=100, dyed=False)

    terms = {term["name"]: term for term in item["estimates"]["terms"]}
    assert terms["energy"] == {
        "name": "energy",
        "quantity": 100,  # h
        "unit": "h",
        "price": 0.35,
        "factor": 0.12,  # kW
        "amount": 4.2,
        "reason": None,
        "source": bureau["uri"],
    }
    # 100 x ((8.1 + 0.5) cc x 0.35 x 1.1 + 1 h x 18 x 1.5 + 2 + 1 h x 0.12 kW x 0.35)
    assert (item["price"]["net"], cell["net"]) == (3235.3, 3235.3)
    reprice(LineItem.objects.filter(pk=key_of(item)))
    assert erp.get(item["uri"]).json()["price"] == item["price"]


@pytest.mark.parametrize(("power", "electricity"), [(None, 0.35), (120, None), (None, None)])
def test_costs_without_power_or_electricity_price_have_no_energy(
    erp, bureau, sell, shop, make_item, cell_of, power, electricity
):
    sell(COST)
    before = cell_of(quantity=2, dyed=True)
    assert erp.put(shop["machine"], {"power": power}).status_code == 204
    assert erp.put(bureau["uri"], {"electricity_price": electricity}).status_code == 204

    item = make_item(quantity=2, dyed=True)

    assert "energy" not in {term["name"] for term in item["estimates"]["terms"]}
    assert item["price"]["net"] == 67.12
    assert cell_of(quantity=2, dyed=True)["terms"] == before["terms"]


def test_energy_of_machine_time_of_price_list_is_a_cost(
    erp, bureau, sell, shop, make_item, cell_of
):
    sell(COST)
    assert erp.put(shop["list"], {"hours_per_build": 10}).status_code == 204
    assert erp.put(shop["machine"], {"config": None}).status_code == 204
    without = cell_of(quantity=100, dyed=False)["net"]
    assert erp.put(shop["machine"], {"power": 2000}).status_code == 204
    assert erp.put(bureau["uri"], {"electricity_price": 0.35}).status_code == 204

    item = make_item(quantity=100, dyed=False)
    cell = cell_of(quantity=100, dyed=False)

    assert item["price"]["net"] == cell["net"] > without


def test_machine_time_of_price_list_is_a_cost_in_line_item_and_price_table(
    erp, sell, shop, make_item, cell_of
):
    sell(COST)
    assert erp.put(shop["list"], {"hours_per_build": 10}).status_code == 204
    assert erp.put(shop["machine"], {"config": None}).status_code == 204

    item = make_item(quantity=2, dyed=False)
    cell = cell_of(quantity=2, dyed=False)

    assert item["estimates"]["cost"]["amount"] is None
    assert item["price"]["net"] == cell["net"] > 0


@settings(
    max_examples=12,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # to shrink an example takes minutes
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    sliced=figures,
    printer=printers,
    costs=some.tuples(rates, rates, rates),
    electricity=some.none() | rates,
    terms=more_terms,
    dyed=some.booleans(),
    quantity=some.integers(1, 300),
)
def test_piece_cost_is_equal_in_line_item_table_and_quote_for_any_prices(
    erp,
    make,
    bureau,
    sell,
    shop,
    make_item,
    cell_of,
    sliced,
    printer,
    costs,
    electricity,
    terms,
    dyed,
    quantity,
):
    assert erp.put(bureau["uri"], {"electricity_price": electricity}).status_code == 204
    kinds = zip((shop["material"], shop["dyeing"], shop["shipping"]), costs, strict=True)
    for uri, cost in kinds:
        assert erp.put(uri, {"cost": cost}).status_code == 204
    assert erp.put(shop["machine"], printer).status_code == 204
    sell(COST, *({"name": "More", "step": "piece"} | term for term in terms))
    make_item(quantity=1, dyed=dyed)  # there is a slice from now on
    Slice.objects.update(estimates=sliced)

    item = make_item(quantity=quantity, dyed=dyed)
    cell = cell_of(quantity=quantity, dyed=dyed)
    quote = make("quote", order=item["order"])

    assert item["price"]["net"] == cell["net"] == quote["net"]
    amounts = [term["amount"] for term in cell["terms"]]
    for price in (item["price"], quote["lines"][0]["price"]):
        assert [term["amount"] for term in price["terms"]] == amounts
    cost = amounts[0]
    each = item["estimates"]["per_piece"]["cost"]["amount"]
    # The terms of a price are rounded so that they add up to it: one may be a cent off.
    assert each == pytest.approx(cost / quantity, rel=1e-5, abs=0.011)
    reprice(LineItem.objects.filter(pk=key_of(item)))
    assert erp.get(item["uri"]).json()["price"] == item["price"]
