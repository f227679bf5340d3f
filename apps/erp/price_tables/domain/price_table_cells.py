"""Computes the cells of a price table."""

from collections.abc import Container, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import product
from typing import NamedTuple

from apps.erp.orders.domain.prices import line_prices, print_speed
from apps.erp.orders.domain.prices.line_prices import EXACT, Made
from apps.erp.orders.domain.response_types import LinePriceAnswer
from apps.erp.orders.models.prices import PriceTable
from apps.erp.price_tables.domain.basis_values import (
    BasisDeal,
    BasisFinish,
    BasisMaterial,
    BasisModel,
    OwnValues,
    PlainDriver,
    TableBasis,
)
from apps.erp.price_tables.domain.price_table_basis import config_of, pairs_of
from apps.erp.price_tables.domain.ready_dates import ready_date
from apps.erp.price_tables.domain.response_types import CellAnswer
from apps.slicing import interface as slicing
from apps.warehouse.interface import StoredModel
from pricing import parsing
from pricing.cost_drivers import KnownDriver, UnknownDriver
from pricing.line_price import price_line
from pricing.making import CostRates, Making, PieceCost, UnitPrice, exact, multiply
from pricing.manual_review import ReviewReason, reason
from pricing.order_charges import price_order
from pricing.price import OrderLine, Price, SaleContext
from pricing.tax import Tax, taxes_of
from pricing.terms import PriceList
from pricing.work_limit import TooManySteps, WorkLimit


class StepsExceeded(Exception):  # noqa: N818
    """More work than was allowed; `expected`: the steps of all cells, by those done so far."""

    def __init__(self, expected: int):
        super().__init__(expected)
        self.expected = expected


# A due date, and the working days until it.
Due = tuple[str | None, int | None]
# What a cell is of: model, material, quantity, finishes, due date.
Way = tuple[BasisModel, BasisMaterial, int, Sequence[BasisFinish], Due]


class Cell(NamedTuple):
    """A cell as it is answered, and the price of its line alone, for a line item."""

    answer: CellAnswer
    line: LinePriceAnswer | None


def _known(value: PlainDriver) -> KnownDriver:
    return UnknownDriver(**value) if isinstance(value, dict) else Decimal(value)


# ---------------------------------------------------------------- what is known of the making


def made_by(
    basis: TableBasis, slices: dict[str, str | None], models: dict[str, StoredModel]
) -> dict[str, Made]:
    """What is known of each model with each config: by its slice, or by the quick estimate."""
    found: dict[str, Made] = {}
    recipes: dict[str, slicing.Recipe | None] = {}
    for key, (model, config) in pairs_of(basis).items():
        uri = slices.get(key)
        sliced = slicing.get_slice_unchecked(uri) if uri else None
        if sliced is not None and sliced.status == "processed":
            made = line_prices.made_of(sliced, "")
        else:
            if config not in recipes:
                recipes[config] = slicing.recipe_of(config)
            made = _guess(models[model], recipes[config])
        if sliced is not None and sliced.status == "error":
            made = replace(made, failed=" ".join(error["title"] for error in sliced.errors))
        found[key] = made
    return found


def _guess(model: StoredModel, recipe: slicing.Recipe | None) -> Made:
    if recipe is None:
        return Made(why="its config cannot be sliced with here.", basis="estimate")
    quick = print_speed.guess(model, recipe)
    if quick is None:
        return Made(why="its surface is not closed.", basis="estimate")
    return Made(
        seconds=quick.seconds,
        cc=quick.cc,
        cc_support=0.0,
        layers=quick.layers,
        basis="estimate",
        within=quick.within,
    )


# ---------------------------------------------------------------- cells


def cells_of(
    basis: TableBasis,
    made: dict[str, Made],
    *,
    backlog: dict[str, float],
    positions: Container[int] | None = None,
    steps: int,
) -> dict[int, Cell]:
    """The cells, in the order of the request: models, materials, quantities, finishes, due dates.

    backlog   : working days until a machine is free, by the URI of its type
    positions : of the cells to compute; None for all
    steps     : of work, at most

    Raises StepsExceeded.
    """
    sold_by = parsing.read_list(basis["list"])
    ways = _ways(basis)
    by = _Pricing(sold_by, _sale_of(basis["deal"]), made, backlog, WorkLimit(steps))
    cells: dict[int, Cell] = {}
    try:
        for at, way in enumerate(ways):
            if positions is None or at in positions:
                cells[at] = _cell(basis, by, *way)
    except TooManySteps:
        raise StepsExceeded(by.limit.spent * len(ways) // max(1, len(cells))) from None
    return cells


def _sale_of(deal: BasisDeal) -> SaleContext:
    return SaleContext(
        group=deal["group"],
        country=deal["country"],
        shipping=deal["shipping"],
        digits=deal["digits"],
        rate=None if deal["rate"] is None else Decimal(deal["rate"]),
        currency=deal["currency"],
        language=deal["language"],
    )


def pending_cells(basis: TableBasis) -> list[CellAnswer]:
    """The cells before any is computed: what each is of, without numbers."""
    return [_unpriced(*way) for way in _ways(basis)]


def _ways(basis: TableBasis) -> list[Way]:
    """What each cell is of, in the order of the cells."""
    due = zip(basis["due"], basis["weekdays"], strict=True)
    return list(
        product(
            basis["models"], basis["materials"], basis["quantities"], basis["finishes"], list(due)
        )
    )


def _unpriced(
    model: BasisModel,
    material: BasisMaterial,
    quantity: int,
    finish: Sequence[BasisFinish],
    due: Due,
) -> CellAnswer:
    return {
        "model": model["uri"],
        "material": material["uri"],
        "quantity": quantity,
        "finish": [each["uri"] for each in finish],
        "due": due[0],
        "unit": None,
        "unit_of": None,
        "net": None,
        "tax": None,
        "gross": None,
        "terms": [],
        "ready": None,
        "basis": None,
        "within": None,
        "nested": 0,
        "review": None,
    }


class _Pricing(NamedTuple):
    """What all cells of a table are computed with; see `cells_of`."""

    sold_by: PriceList
    deal: SaleContext
    made: dict[str, Made]
    backlog: dict[str, float]
    limit: WorkLimit


def _cell(
    basis: TableBasis,
    by: _Pricing,
    model: BasisModel,
    material: BasisMaterial,
    quantity: int,
    finish: Sequence[BasisFinish],
    due: Due,
) -> Cell:
    day, weekdays = due
    deal = by.deal
    how = by.made.get(f"{model['uri']} {config_of(material, model['uri'])}")
    numbers = _numbers(basis, model, material, how, finish)
    line = OrderLine(
        numbers,
        quantity,
        material["key"],
        material_name=material["name"],
        printer_type=material["machine_key"],
        finishes={each["key"]: each["name"] for each in finish},
        weekdays=weekdays,
        nested=min(quantity, basis.get("nested", {}).get(f"{model['uri']} {material['uri']}", 0)),
    )
    ready = ready_date(basis, material, numbers, finish, quantity, by.backlog)
    reasons = _before(model, material, how, day, ready, deal.language)
    price = Price(None, None, 1, ()) if reasons else price_line(by.sold_by, line, deal, by.limit)
    once = price_order(by.sold_by, [(line, price)], deal, by.limit)
    reasons += [*price.review, *(() if price.review else once.review)]
    tax = basis["tax"]
    if "review" in tax:
        reasons.append(ReviewReason(**tax["review"]))
    answer: CellAnswer = {
        **_unpriced(model, material, quantity, finish, due),
        "ready": ready,
        "basis": how.basis if how else None,
        "within": how.within if how else None,
        "nested": line.nested,
    }
    if reasons or price.net is None or once.net is None:
        customer = [each.for_customer() for each in reasons]
        unique = [each for at, each in enumerate(customer) if each not in customer[:at]]
        return Cell({**answer, "review": unique}, None)
    rate = Tax(tax["category"], Decimal(tax["rate"]), tax["sentence"])
    gross = by.sold_by.includes_tax
    alone = line_prices.price_json(price, rate, deal, includes_tax=gross)
    if how:
        alone |= {"basis": how.basis, "within": how.within}
    alone["parcel"] = line_prices.parcel_of(numbers)
    taxes = taxes_of([(rate, price.net + once.net)], deal.digits, includes_tax=gross)
    net, with_tax = line_prices.net_and_gross(price.net + once.net, taxes, includes_tax=gross)
    answer |= {
        "unit": alone["unit"],
        "unit_of": alone["unit_of"],
        "includes_tax": gross,
        "net": float(net),
        "tax": float(with_tax - net),
        "gross": float(with_tax),
        "terms": [
            {"sentence": term.sentence, "amount": float(term.amount)}
            for term in (*price.terms, *once.terms)
        ],
    }
    return Cell(answer, alone)


def _before(
    model: BasisModel,
    material: BasisMaterial,
    how: Made | None,
    day: str | None,
    ready: str | None,
    language: str,
) -> list[ReviewReason]:
    """Why a cell is empty before any rule is asked."""
    reasons = []
    if material["machine"] is None:
        reasons.append(reason("no-rule", "no-machine", language, name=material["name"]))
    if not model["closed"]:
        reasons.append(reason("number-missing", "not-closed", language))
    if how and how.failed is not None:
        reasons.append(reason("too-large", "not-sliced", language, why=how.failed))
    if day is not None and (ready is None or ready > day):
        late = "not-by-then" if ready else "not-known-when"
        reasons.append(reason("not-due", late, language, day=day, ready=ready))
    return reasons


def _numbers(
    basis: TableBasis,
    model: BasisModel,
    material: BasisMaterial,
    how: Made | None,
    finish: Sequence[BasisFinish],
) -> dict[str, KnownDriver]:
    found = {name: _known(value) for name, value in model["numbers"].items()}
    none = UnknownDriver("no machine prints this material.")
    fits = basis["fits"].get(f"{model['uri']} {material['machine']}")
    found["fits"] = none if fits is None else _known(fits)
    made = how or Made(why=material["not_sliced"])
    factor = material.get("time_factor", 1.0)
    line_prices.add_making(
        found, made, density=material["density"], time_factor=factor, **_own(basis)
    )
    piece = PieceCost(_making(made, factor), _rates(material, finish))
    found["cost"] = line_prices.cost_of(piece, found)
    return found


def _own(basis: TableBasis) -> OwnValues:
    own = basis["own"]
    return {
        "hours_per_build": own["hours_per_build"],
        "seconds_per_layer": own["seconds_per_layer"],
    }


def _making(made: Made, time_factor: float) -> Making:
    why = UnknownDriver(made.why or "there is no slice.")
    cc, cc_support, seconds = (
        why if value is None else exact(value) for value in (made.cc, made.cc_support, made.seconds)
    )
    return Making(cc, cc_support, multiply(seconds, exact(time_factor)))


def _rates(material: BasisMaterial, finish: Sequence[BasisFinish]) -> CostRates:
    """What the bureau pays: supports are of the material itself, as in a line item without one."""
    cc = _unit_price(material["cost"], material.get("material_factor", 1.0))
    overhead, energy = material.get("overhead"), material.get("energy")
    return CostRates(
        material=cc,
        support_material=cc,
        machine_time=_unit_price(material.get("hour"), material.get("hour_factor", 1.0)),
        energy=energy and UnitPrice(Decimal(energy["price"]), Decimal(energy["kilowatts"])),
        overhead=None if overhead is None else _unit_price(overhead),
        post_processing=tuple(_unit_price(each["cost"]) for each in finish),
    )


def _unit_price(cost: str | None, factor: float = 1.0) -> UnitPrice:
    none = UnknownDriver("a price of the bureau's is not set.")
    return UnitPrice(none if cost is None else Decimal(cost), exact(factor))


def status_of(made: dict[str, Made]) -> str:
    """Whether all of it is exact, or will never be."""
    exact = [each.basis == EXACT or each.failed is not None for each in made.values()]
    if all(exact):
        return PriceTable.Status.EXACT
    return PriceTable.Status.MIXED if any(exact) else PriceTable.Status.ESTIMATED
