"""Sales price of a line item and of an order by its price list."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import TypedDict

from django.utils import timezone

from apps.erp.orders.domain import shape_metrics
from apps.erp.orders.domain.prices import cost_terms, price_lists
from apps.erp.orders.domain.prices.cost_estimate import number
from apps.erp.orders.domain.response_types import (
    LinePriceAnswer,
    ParcelAnswer,
    TaxAnswer,
)
from apps.erp.orders.models.orders import LineItem, Order
from apps.erp.orders.models.prices import PriceList
from apps.erp.organisation.domain.packing_space import outline_of, policy_of, room_of
from apps.erp.organisation.models.equipment import PrinterType
from apps.erp.organisation.models.master_data import Material
from apps.slicing.interface import StoredSlice
from apps.warehouse.interface import StoredModel
from core.money import LARGEST_AMOUNT, minor_digits, rounded
from geometry.packing.bounds import outline_bounds
from pricing.cost_drivers import KnownDriver, UnknownDriver, significant
from pricing.line_price import price_line
from pricing.making import SECONDS_PER_HOUR, Making, PieceCost, exact
from pricing.manual_review import ReviewAnswer, ReviewReason, by_hand
from pricing.order_charges import price_order
from pricing.price import OrderLine, Price, SaleContext
from pricing.tax import Tax, TaxAmount, taxes_of

NO_MODEL = UnknownDriver("the line item has no model.")
EXACT = "slice"


class SoldColumns(TypedDict):
    """The columns of a line item that say what it is sold for; both null where no list sells it."""

    price: LinePriceAnswer | None
    review: list[ReviewAnswer] | None


@dataclass(frozen=True)
class Made:
    """What is known of how one piece is made.

    seconds, cc, cc_support, layers : of one piece; None where nothing sliced it
    why    : there is no slice
    basis  : slice, or estimate
    within : how far off the estimate may be, per cent
    failed : why it cannot be sliced; None where it was not tried, or is sliced
    """

    seconds: float | None = None
    cc: float | None = None
    cc_support: float | None = None
    layers: int | None = None
    why: str = ""
    basis: str = EXACT
    within: float = 0
    failed: str | None = None


def made_of(sliced: StoredSlice | None, why: str) -> Made:
    """What a slice says."""
    if sliced is None:
        return Made(why=why)
    return Made(
        seconds=sliced.build_time_seconds,
        cc=sliced.build_volume_cc,
        cc_support=sliced.support_volume_cc,
        layers=sliced.layers,
        why=f"the slice {sliced.uri} does not say.",
    )


def numbers_of(
    row: PriceList,
    *,
    model: StoredModel | None,
    made: Made,
    material: Material | None,
    printer_type: PrinterType | None,
    piece: PieceCost,
) -> dict[str, KnownDriver]:
    """The numbers of one piece, each known or with the sentence that says why not."""
    found = numbers_of_model(model)
    found["fits"] = fits_of(model, printer_type)
    add_making(
        found,
        made,
        density=material.density if material else None,
        time_factor=printer_type.time_factor if printer_type else 1.0,
        hours_per_build=row.hours_per_build,
        seconds_per_layer=row.seconds_per_layer,
    )
    found["cost"] = cost_of(piece, found)
    return found


def cost_of(piece: PieceCost, numbers: dict[str, KnownDriver]) -> KnownDriver:
    """What one piece costs to make; by a list's words, in `numbers`, where nothing slices it."""
    hours = numbers["hours"]
    if isinstance(piece.making.machine_time, UnknownDriver) and isinstance(hours, Decimal):
        by_list = Making(numbers["cc"], numbers["cc_support"], hours * SECONDS_PER_HOUR)
        piece = replace(piece, making=by_list)
    cost = piece.total
    return significant(cost) if isinstance(cost, Decimal) else cost


def add_making(
    found: dict[str, KnownDriver],
    made: Made,
    *,
    density: float | None,
    time_factor: float,
    hours_per_build: float | None,
    seconds_per_layer: float | None,
) -> None:
    """Add what making one piece takes; machine time by a list's words where nothing slices it.

    time_factor : how much longer than the engine says the machine takes
    """
    values = {
        "hours": None if made.seconds is None else made.seconds * time_factor / 3600,
        "cc": made.cc,
        "cc_support": made.cc_support,
        "layers": made.layers,
    }
    why = UnknownDriver(made.why or "there is no slice.")
    for name, value in values.items():
        found[name] = why if value is None else significant(value)
    if made.seconds is None and (hours_per_build is not None or seconds_per_layer is not None):
        found["cc"] = found["volume"] if made.cc is None else found["cc"]
        found["cc_support"] = Decimal(0) if made.cc_support is None else found["cc_support"]
        fits, layers = found["fits"], found["layers"]
        if hours_per_build is not None:
            each = Decimal(repr(hours_per_build))
            enough = isinstance(fits, Decimal) and fits > 0
            found["hours"] = significant(each / fits) if enough else fits  # type: ignore[operator]
        elif isinstance(layers, Decimal):
            found["hours"] = significant(layers * Decimal(repr(seconds_per_layer)) / 3600)
    cc = found["cc"]
    if density is None:
        found["grams"] = UnknownDriver("its material has no density.")
    else:
        found["grams"] = significant(cc * Decimal(repr(density))) if isinstance(cc, Decimal) else cc


def numbers_of_model(model: StoredModel | None) -> dict[str, KnownDriver]:
    """What is known of a shape."""
    names = ("volume", "area", "x", "y", "z", "longest", "box", "hull", "triangles")
    if model is None or model.size is None:
        why = NO_MODEL if model is None else UnknownDriver("the model is not analysed.")
        return dict.fromkeys(names, why)
    shape = shape_metrics.numbers_of(model.sha256)
    x, y, z = model.size
    values: dict[str, float | None] = {
        "volume": None if model.volume is None else model.volume / 1000,
        "area": (shape.steep + shape.flat) / 100,
        "x": x,
        "y": y,
        "z": z,
        "longest": max(x, y, z),
        "box": x * y * z / 1000,
        "hull": None if shape.hull is None else shape.hull / 1000,
        "triangles": model.triangles,
    }
    reasons = {
        "volume": UnknownDriver("its surface is not closed: heal the model first.", "not-closed"),
        "hull": UnknownDriver("it is flat."),
    }
    return {
        name: reasons.get(name, NO_MODEL) if value is None else significant(value)
        for name, value in values.items()
    }


def fits_of(model: StoredModel | None, printer_type: PrinterType | None) -> KnownDriver:
    """How many certainly fit one build: by boxes, at once."""
    if model is None or model.size is None:
        return NO_MODEL
    if printer_type is None:
        return UnknownDriver("no printer type is named.")
    outline = outline_of(model, policy_of(model, printer_type))
    fit = outline_bounds(outline, room_of(printer_type))
    if fit.at_most and not fit.at_least:
        return UnknownDriver("whether it fits a build only packing it tells.")
    return Decimal(fit.at_least)


# ---------------------------------------------------------------- line items


def priced(
    row: LineItem, *, model: StoredModel | None, made: Made, piece: PieceCost
) -> SoldColumns:
    """The columns `price` and `review` of a line item.

    piece : what one of its pieces costs to make
    """
    sold_by = price_lists.list_for(row.bureau, row.order)
    if sold_by is None:
        return {"price": None, "review": None}
    if row.manual_price is None and row.price is not None and row.price.get("agreed"):
        return {"price": row.price, "review": None}  # a cell of a price table
    order, now = row.order, timezone.now()
    deal = deal_for(sold_by, order)
    if row.manual_price is not None:
        net = Decimal(str(row.manual_price["net"]))
        price = Price(rounded(net, deal.currency), rounded(net, deal.currency), row.quantity, ())
        return _priced(sold_by, order, deal, price, day=now.date(), basis="manual", within=0)
    steps = cost_terms.steps_of(row)
    printer_type = cost_terms.printer_type_of(steps)
    numbers = numbers_of(
        sold_by,
        model=model,
        made=made,
        material=row.base_material,
        printer_type=printer_type,
        piece=piece,
    )
    finishing = [step.post_processor_type for step in steps if step.post_processor_type]
    line = OrderLine(
        numbers,
        row.quantity,
        str(row.base_material_id or ""),
        material_name=str(row.base_material or ""),
        printer_type=str(printer_type.pk) if printer_type else "",
        finishes={str(kind.pk): str(kind) for kind in finishing},
        weekdays=_weekdays(sold_by, order),
    )
    price = price_line(price_lists.kernel_of(sold_by), line, deal)
    sold = _priced(
        sold_by, order, deal, price, day=now.date(), basis=made.basis, within=made.within
    )
    if sold["price"] is not None:
        sold["price"]["parcel"] = parcel_of(numbers)
    return sold


def deal_for(sold_by: PriceList, order: Order | None) -> SaleContext:
    """What holds for an order; what is in none is sold at home."""
    if order is None:
        return price_lists.deal_of(sold_by)
    customer = order.customer
    return price_lists.deal_of(
        sold_by,
        group=customer.group_id if customer else None,
        country=customer.country if customer else "",
        shipping=order.shipping_id,
        currency=order.currency,
    )


def parcel_of(numbers: dict[str, KnownDriver]) -> ParcelAnswer:
    """What shipping asks about one piece."""
    return {"grams": number(numbers.get("grams")), "longest": number(numbers.get("longest"))}


def tax_for(sold_by: PriceList, order: Order | None, day: date) -> Tax | ReviewReason:
    """What an order is taxed by."""
    customer = order.customer if order else None
    return price_lists.tax_of(
        sold_by,
        country=customer.country if customer else "",
        vat_number=customer.vat_number if customer else "",
        day=day,
    )


def _priced(
    sold_by: PriceList,
    order: Order | None,
    deal: SaleContext,
    price: Price,
    *,
    day: date,
    basis: str,
    within: float,
) -> SoldColumns:
    tax = tax_for(sold_by, order, day)
    reasons = list(price.review) + ([tax] if isinstance(tax, ReviewReason) else [])
    if reasons or isinstance(tax, ReviewReason) or price.net is None:
        return {"price": None, "review": [reason.as_json() for reason in reasons]}
    gross = sold_by.includes_tax and basis != "manual"
    priced = price_json(price, tax, deal, includes_tax=gross)
    return {"price": {**priced, "basis": basis, "within": within}, "review": None}


def price_json(price: Price, tax: Tax, deal: SaleContext, *, includes_tax: bool) -> LinePriceAnswer:
    """Return a price as JSON, without costs and factors.

    includes_tax : whether the price is gross, as its terms and its unit are then
    """
    total = price.net or Decimal(0)
    taxes = taxes_of([(tax, total)], deal.digits, includes_tax=includes_tax)
    net, gross = net_and_gross(total, taxes, includes_tax=includes_tax)
    return {
        "net": float(net),
        "taxes": [tax_json(each) for each in taxes],
        "gross": float(gross),
        "includes_tax": includes_tax,
        "unit": float(price.unit or 0),
        "unit_of": price.unit_of,
        "currency": deal.currency,
        "terms": [
            {"step": term.step, "sentence": term.sentence, "amount": float(term.amount)}
            for term in price.terms
        ],
    }


def tax_json(of: TaxAmount) -> TaxAnswer:
    """A tax as JSON."""
    return {
        "category": of.tax.category,
        "rate": float(of.tax.rate),
        "basis": float(of.basis),
        "amount": float(of.amount),
        "sentence": of.tax.sentence,
    }


def net_and_gross(
    total: Decimal, taxes: Iterable[TaxAmount], *, includes_tax: bool
) -> tuple[Decimal, Decimal]:
    """Return a total without and with its taxes; `includes_tax`: whether the total has them."""
    tax = sum((each.amount for each in taxes), Decimal())
    return (total - tax, total) if includes_tax else (total, total + tax)


def _weekdays(sold_by: PriceList, order: Order | None) -> int | None:
    if order is None or order.due_date is None:
        return None
    calendar, _ = price_lists.calendar_of(sold_by)
    return calendar.days_until(timezone.now(), order.due_date.date())


# ---------------------------------------------------------------- orders


@dataclass(frozen=True)
class Sum:
    """What an order is sold for.

    once : what is asked once of it; None where nothing is, or where it is not known
    once_net : that without tax
    """

    net: Decimal | None
    taxes: list[TaxAnswer]
    gross: Decimal | None
    once: Price | None
    review: tuple[ReviewReason, ...] = ()
    once_net: Decimal | None = None


def sum_of(order: Order, items: Iterable[LineItem]) -> Sum | None:
    """What these line items of an order are sold for together; None where no list sells them."""
    items = list(items)
    sold_by = price_lists.list_for(order.bureau, order)
    if sold_by is None or not any(item.price or item.review for item in items):
        return None
    deal = deal_for(sold_by, order)
    lines = []
    for item in items:
        price, quantity = item.price, item.quantity
        if price is None:
            return Sum(None, [], None, None)
        parcel = price.get("parcel") or {}
        numbers: dict[str, KnownDriver] = {
            name: UnknownDriver("it was priced by hand.")
            if parcel.get(name) is None
            else significant(parcel[name])
            for name in ("grams", "longest")
        }
        total = price["gross" if sold_by.includes_tax else "net"]
        net = rounded(Decimal(repr(total)), deal.currency)
        line = OrderLine(numbers, quantity, str(item.base_material_id or ""))
        lines.append((line, Price(net, net, quantity, ())))
    once = price_order(price_lists.kernel_of(sold_by), lines, deal)
    tax = tax_for(sold_by, order, timezone.now().date())
    reasons = (*once.review, *([tax] if isinstance(tax, ReviewReason) else []))
    if once.net is None or isinstance(tax, ReviewReason):
        return Sum(None, [], None, None, reasons)
    total = once.net + sum((price.net or Decimal(0) for _, price in lines), Decimal())
    includes_tax = sold_by.includes_tax
    taxes = taxes_of([(tax, total)], minor_digits(deal.currency), includes_tax=includes_tax)
    net, gross = net_and_gross(total, taxes, includes_tax=includes_tax)
    of_items = sum((exact((item.price or {})["net"]) for item in items), Decimal())
    if gross > LARGEST_AMOUNT:
        why = f"The order comes to {gross:,f}, more than an amount may be: divide it."
        return Sum(None, [], None, None, (by_hand("out-of-bounds", why, deal.language),))
    shown = [tax_json(each) for each in taxes]
    return Sum(net, shown, gross, once, once_net=net - of_items)
