"""Thirteen price lists of public pages: to the cent, as an independent script has it."""

import json
import random
from decimal import Decimal
from pathlib import Path

import pytest

from pricing.cost_drivers import significant
from pricing.line_price import price_line
from pricing.order_charges import price_order
from pricing.parsing import read_list
from pricing.price import OrderLine, SaleContext
from tests.pricing import reference_prices

LISTS = sorted((Path(__file__).parent / "price_lists").glob("*.json"))
MATERIALS = {
    1: ("PLA", "ABS", "PETG", "PA12-CF"),
    5: ("coarse", "medium", "fine"),
    6: ("coarse", "fine"),
    11: ("plain", "special"),
    13: tuple("abcdef"),
}
GROUPS = {6: ("inside", "outside"), 10: ("", "funded")}


def a_part(chance: random.Random) -> dict[str, Decimal]:
    x, y, z = (chance.uniform(2, 700) for _ in range(3))
    box = x * y * z / 1000
    volume = box * chance.uniform(0.02, 1)
    found = {
        "x": x,
        "y": y,
        "z": z,
        "longest": max(x, y, z),
        "box": box,
        "volume": volume,
        "hull": min(box, volume * chance.uniform(1, 9)),
        "cc": volume * chance.uniform(0.2, 1),
        "grams": chance.choice((30, 100, 500, chance.uniform(0.1, 900))),
        "hours": chance.choice((5, 11, 20, 24, chance.uniform(0.05, 60))),
        "shells": chance.randint(1, 3),
        "fits": chance.randint(1, 400),
    }
    if chance.random() < 0.2:
        found["volume"] = chance.uniform(0.01, 1.2)
    return {name: significant(value) for name, value in found.items()}


def way_of(number: int, chance: random.Random) -> dict:
    return {
        "quantity": chance.choice((1, 2, 49, 50, chance.randint(1, 500))),
        "material": chance.choice(MATERIALS.get(number, ("",))),
        "group": chance.choice(GROUPS.get(number, ("",))),
        "finish": number == 1 and chance.random() < 0.5,
        "printer_type": chance.choice(("one", "two", "three")),
        "shipping": chance.choice(("office", "address")),
        "weekdays": chance.randint(0, 20),
    }


def asked(sold_by, part: dict, how: dict):
    line = OrderLine(
        part,
        how["quantity"],
        how["material"],
        printer_type=how["printer_type"],
        finishes={"colours": "Several colours"} if how["finish"] else {},
        weekdays=how["weekdays"],
    )
    deal = SaleContext(group=how["group"], shipping=how["shipping"])
    price = price_line(sold_by, line, deal)
    return price, price_order(sold_by, [(line, price)], deal)


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_public_list_prices_200_random_parts_as_the_independent_script(path):
    number = int(path.stem[:2])
    sold_by = read_list(json.loads(path.read_text()))
    chance = random.Random(number)

    for _ in range(200):
        part, how = a_part(chance), way_of(number, chance)
        price, once = asked(sold_by, part, how)

        assert price.review == once.review == (), (part, how)
        assert price.net == reference_prices.line(number, part, how), (part, how)
        assert sum(term.amount for term in price.terms) == price.net
        assert once.net == reference_prices.delivery(number, part, how), (part, how)


def test_thirteen_public_lists_exist():
    assert len(LISTS) == 13


PRINTED = [
    ((50, 50, 30), ("2.47", "2.81", "3.31", "3.80")),
    ((80, 80, 120), ("25.31", "28.81", "33.88", "38.94")),
    ((120, 80, 50), ("15.82", "18.01", "21.17", "24.34")),
    ((200, 150, 150), ("148.30", "168.83", "198.49", "228.15")),
]


def test_first_public_list_yields_its_sixteen_published_prices():
    sold_by = read_list(json.loads(LISTS[0].read_text()))

    found = [
        [
            str(
                price_line(
                    sold_by, OrderLine({"box": Decimal(x * y * z) / 1000}, 1, name), SaleContext()
                ).net
            )
            for name in MATERIALS[1]
        ]
        for (x, y, z), _ in PRINTED
    ]

    assert found == [list(prices) for _, prices in PRINTED]


@pytest.mark.parametrize(("quantity", "unit"), [(5, "53.80"), (50, "35.46")])
def test_second_public_list_yields_its_published_prices(quantity, unit):
    sold_by = read_list(json.loads(LISTS[1].read_text()))
    part = {"cc": Decimal(210), "fits": Decimal(100)}

    price = price_line(sold_by, OrderLine(part, quantity), SaleContext())

    assert (str(price.unit), price.unit_of) == (unit, 1)


@pytest.mark.parametrize(("grams", "net"), [(29, "0.00"), (35, "1.05"), (45, "1.35")])
def test_seventh_public_list_yields_its_published_prices(grams, net):
    sold_by = read_list(json.loads(LISTS[6].read_text()))

    assert str(price_line(sold_by, OrderLine({"grams": Decimal(grams)}), SaleContext()).net) == net


@pytest.mark.parametrize(("hours", "net"), [(10, "3000.00"), (11, "2200.00")])
def test_eighth_public_list_total_falls_at_the_break_as_published(hours, net):
    sold_by = read_list(json.loads(LISTS[7].read_text()))

    assert str(price_line(sold_by, OrderLine({"hours": Decimal(hours)}), SaleContext()).net) == net
