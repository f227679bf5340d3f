"""Cost terms of a line item's estimate."""

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from typing import Any

from apps.erp.base.models.bureaus import Bureau
from apps.erp.orders.domain.prices.cost_estimate import Rate, estimate
from apps.erp.orders.domain.print_options import options_of
from apps.erp.orders.domain.response_types import EstimatesAnswer, SlicedWithAnswer, TermAnswer
from apps.erp.orders.models.orders import LineItem
from apps.erp.organisation.domain.presets import config_for
from apps.erp.organisation.models.equipment import PrinterType
from apps.erp.organisation.models.master_data import CurrencyConversion, Material, Shipping
from apps.erp.organisation.models.workflows import ProcessStep
from apps.slicing.interface import StoredSlice
from apps.warehouse.interface import StoredModel
from core.auth_user import Person
from pricing.cost_drivers import KnownDriver, UnknownDriver
from pricing.making import CostRates, CostTerm, Making, PieceCost, UnitPrice, exact, multiply

MM3_PER_CC = 1000.0
WATTS_PER_KILOWATT = 1000


def steps_of(row: LineItem) -> list[ProcessStep]:
    """What its pieces go through, in order; nothing without a workflow."""
    if row.workflow is None:
        return []
    links = ProcessStep.PROCESSES.values()
    return list(row.workflow.steps.select_related(*links).order_by("step_position"))


def printer_type_of(steps: Iterable[ProcessStep]) -> PrinterType | None:
    """What the pieces are printed with."""
    return next((step.printer_type for step in steps if step.printer_type), None)


def config_of(row: LineItem, steps: Iterable[ProcessStep], model: StoredModel | None) -> str | None:
    """URI of the config that it is sliced with: its own, or its printer type's, with its options.

    It is for the printer type's bed; without a config of one of the type's presets where it names
    any. Raises what such a config is refused with.
    """
    machine = printer_type_of(steps)
    if machine is None:
        return row.config_uri
    return config_of_item(row, machine, model, owner=row.creator)


def config_of_item(
    row: LineItem, machine: PrinterType, model: StoredModel | None, *, owner: Person
) -> str | None:
    """The same on this type of printer, `owner`'s; of the pieces of a run, too."""
    options = options_of(row, machine, model)
    return config_for(
        machine,
        row.base_material,
        owner=owner,
        config=row.config_uri,
        layer_height=options.layer_height,
        overrides=options.overrides,
    )


def estimates_of(row: LineItem, *, piece: PieceCost, sliced: StoredSlice | None) -> EstimatesAnswer:
    """The estimates of a line item, as JSON, by the cost of one of its pieces.

    sliced : that the cost was computed by
    """
    steps = steps_of(row)
    finishing = [step.post_processor_type for step in steps if step.post_processor_type]
    found = estimate(
        quantity=row.quantity,
        piece=piece,
        charges=[shipping_term(step.shipping) for step in steps if step.shipping],
        durations=[_duration(kind, row.base_material) for kind in finishing],
        rate=rate_of(row.bureau, row.order.currency if row.order else ""),
    )
    found["sliced_with"] = _sliced_with(sliced, _time_factor(steps)) if sliced else None
    return found


def piece_cost_of(
    row: LineItem,
    *,
    model: StoredModel | None,
    sliced: StoredSlice | None,
    not_sliced: str,
) -> PieceCost:
    """What one piece of a line item costs to make, at the prices of now.

    model  : None where there is none to upload
    sliced : one part, processed; None where it is not: `not_sliced` says why
    """
    steps = steps_of(row)
    machine = printer_type_of(steps)
    print_time = _of_slice(sliced, "build_time_seconds", not_sliced)
    print_time = multiply(print_time, exact(_time_factor(steps)))
    material = _of_slice(sliced, "build_volume_cc", not_sliced)
    if isinstance(material, UnknownDriver) and model is not None and model.volume:
        material = exact(model.volume / MM3_PER_CC)
    overhead = machine.constant_overhead if machine else None
    rates = CostRates(
        material=_of_material(row.base_material, machine),
        support_material=_of_material(row.support_material or row.base_material, machine),
        machine_time=_of_machine(machine),
        energy=energy_price(machine, row.bureau) if machine else None,
        overhead=None if overhead is None else _priced(machine, "constant_overhead"),
        post_processing=tuple(
            _priced(step.post_processor_type, "cost") for step in steps if step.post_processor_type
        ),
    )
    support = _of_slice(sliced, "support_volume_cc", not_sliced)
    return PieceCost(Making(material, support, print_time), rates)


def stored_piece_cost(estimates: EstimatesAnswer, quantity: int) -> PieceCost:
    """What one piece costs to make by the estimates of a line item: at the prices of then."""
    priced: dict[str, list[UnitPrice]] = {}
    for term in estimates["terms"]:
        factor = exact(1.0 if term["factor"] is None else term["factor"])
        amount = _stored(term["price"], term)
        priced.setdefault(term["name"], []).append(UnitPrice(amount, factor))
    terms = {term["name"]: term for term in estimates["terms"]}
    support = terms.get("support_material")
    each = estimates["per_piece"]
    making = Making(
        material=_stored(each["material"], terms["material"]),
        support_material=_stored(support["quantity"], support) if support else Decimal(0),
        machine_time=_stored(each["print_time"], terms["machine_time"]),
    )
    if isinstance(making.support_material, Decimal):
        making = replace(making, support_material=making.support_material / quantity)
    (material,), (machine_time,) = priced["material"], priced["machine_time"]
    rates = CostRates(
        material=material,
        support_material=next(iter(priced.get("support_material", [])), material),
        machine_time=machine_time,
        energy=next(iter(priced.get("energy", [])), None),
        overhead=next(iter(priced.get("overhead", [])), None),
        post_processing=tuple(priced.get("post_processing", [])),
    )
    return PieceCost(making, rates)


def _stored(value: float | None, term: TermAnswer) -> KnownDriver:
    return UnknownDriver(term["reason"] or "") if value is None else exact(value)


def _time_factor(steps: Iterable[ProcessStep]) -> float:
    machine = printer_type_of(steps)
    return machine.time_factor if machine else 1.0


def _sliced_with(sliced: StoredSlice, factor: float) -> SlicedWithAnswer:
    """What the print time comes from: an estimate says nothing without its layers' height."""
    return {
        "config": sliced.config,
        "layer_height": sliced.layer_height,
        "supports": sliced.supports,
        "infill": sliced.infill,
        "presets": sliced.presets,
        "time_factor": factor,
    }


def shipping_term(shipping: Shipping) -> CostTerm:
    """What it costs to send something once."""
    return CostTerm("shipping", "shipment", Decimal(1), _priced(shipping, "cost"))


def _priced(row: Any, column: str, factor: float = 1.0) -> UnitPrice:
    """A price of the bureau's."""
    price = getattr(row, column)
    if price is None:
        words = f"The {row.KIND} {row} has no {column}: set it, to 0 if it costs nothing."
        price = UnknownDriver(words)
    return UnitPrice(price, exact(factor), row.uri)


def rate_of(bureau: Bureau, currency: str) -> Rate:
    """What the bureau's amounts are multiplied by for an order in this currency."""
    if currency in ("", bureau.currency):
        return Rate(bureau.currency, bureau.currency, exact(1.0))
    found = CurrencyConversion.objects.filter(bureau=bureau, currency=currency).first()
    if found is not None:
        return Rate(bureau.currency, currency, exact(found.value))
    why = f"The bureau has no currency-conversion to {currency}: create one."
    return Rate(bureau.currency, currency, UnknownDriver(why))


def _of_slice(sliced: StoredSlice | None, name: str, not_sliced: str) -> KnownDriver:
    if sliced is None:
        return UnknownDriver(not_sliced)
    value = getattr(sliced, name)
    return (
        UnknownDriver(f"The slice {sliced.uri} has no {name}.") if value is None else exact(value)
    )


def _of_material(material: Material | None, machine: PrinterType | None) -> UnitPrice:
    factor = machine.material_cost_scale_factor if machine else 1.0
    if material is None:
        none = UnknownDriver("The line item has no base material: set materials.base.")
        return UnitPrice(none, exact(factor))
    return _priced(material, "cost", factor)


def _of_machine(machine: PrinterType | None) -> UnitPrice:
    if machine is None:
        none = UnknownDriver(
            "The line item has no workflow with a step of a printer type, which says what "
            "an hour costs: set its workflow."
        )
        return UnitPrice(none)
    return _priced(machine, "running_cost_per_hour", machine.print_cost_scale_factor)


def energy_price(machine: PrinterType, bureau: Bureau) -> UnitPrice | None:
    """Return the price of a kWh, with the power of a printer type in kW as its factor.

    None where the power or the electricity price is not set.
    """
    if machine.power is None or bureau.electricity_price is None:
        return None
    kilowatts = exact(machine.power) / WATTS_PER_KILOWATT
    return UnitPrice(bureau.electricity_price, kilowatts, bureau.uri)


def _duration(kind: Any, material: Material | None) -> KnownDriver:
    """How long one piece takes: the type's word, else the material's, s."""
    if kind.duration is not None:
        return exact(kind.duration)
    if material is not None and material.post_processing_seconds is not None:
        return exact(material.post_processing_seconds)
    return UnknownDriver(f"The {kind.KIND} {kind} has no duration: set it.")
