"""Cost terms of a line item's estimate."""

from collections.abc import Iterable
from typing import Any

from apps.erp.orders.models.orders import LineItem
from apps.erp.organisation.models.bureaus import Bureau
from apps.erp.organisation.models.equipment import PrinterType
from apps.erp.organisation.models.master_data import CurrencyConversion, Material, Shipping
from apps.erp.organisation.models.workflows import ProcessStep
from apps.erp.production.domain.presets import config_for
from apps.erp.sales.domain.cost_estimate import (
    SECONDS_PER_HOUR,
    Figure,
    Rate,
    Term,
    estimate,
    times,
)
from apps.slicing.interface import StoredSlice
from apps.warehouse.interface import StoredModel

MM3_PER_CC = 1000.0
# What a line item's word about supports may be, to be understood.
WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def steps_of(row: LineItem) -> list[ProcessStep]:
    """What its pieces go through, in order; nothing without a workflow."""
    if row.workflow is None:
        return []
    links = ProcessStep.PROCESSES.values()
    return list(row.workflow.steps.select_related(*links).order_by("step_position"))


def printer_type_of(steps: Iterable[ProcessStep]) -> PrinterType | None:
    """What the pieces are printed with."""
    return next((step.printer_type for step in steps if step.printer_type), None)


def config_of(row: LineItem, steps: Iterable[ProcessStep]) -> str | None:
    """URI of the config that it is sliced with: its own, or its printer type's.

    That is one of the type's presets where it names any, made at need. Raises what such a config
    is refused with.
    """
    printer_type = printer_type_of(steps)
    if row.config_uri or printer_type is None:
        return row.config_uri
    wishes = {
        "infill_density": _number(row.infill_strategy),
        "support": WORDS.get(row.support_strategy.strip().lower()),
    }
    return config_for(
        printer_type,
        row.base_material,
        owner=row.creator,
        layer_height=row.layer_thickness,
        overrides=wishes,
    )


def _number(words: str) -> float | None:
    """A share of infill in percent, where the words are one."""
    try:
        number = float(words.strip().removesuffix("%"))
    except ValueError:
        return None
    return number if 0 <= number <= 100 else None


def estimates_of(
    row: LineItem,
    *,
    model: StoredModel | None,
    sliced: StoredSlice | None,
    not_sliced: str,
) -> dict[str, Any]:
    """The estimates of a line item.

    model  : None where there is none to upload
    sliced : one part, processed; None where it is not: `not_sliced` says why
    """
    steps = steps_of(row)
    machine = printer_type_of(steps)
    factor = machine.time_factor if machine else 1.0
    print_time = times(_of_slice(sliced, "build_time_seconds", not_sliced), factor)
    material = _of_slice(sliced, "build_volume_cc", not_sliced)
    if material.reason and model is not None and model.volume:
        material = Figure(model.volume / MM3_PER_CC)
    support = _of_slice(sliced, "support_volume_cc", not_sliced)
    finishing = [step.post_processor_type for step in steps if step.post_processor_type]
    number = row.quantity
    pieces = Figure(number)
    terms = [
        _of_material("material", row.base_material, times(material, number), machine),
        _of_machine(machine, times(print_time, number)),
    ]
    if support.value != 0:
        of = row.support_material or row.base_material
        terms.insert(1, _of_material("support_material", of, times(support, number), machine))
    if machine is not None and machine.constant_overhead is not None:
        overhead = Figure(machine.constant_overhead)
        terms.append(Term("overhead", "piece", pieces, overhead, source=machine.uri))
    for kind in finishing:
        price = price_of(kind, "cost")
        terms.append(Term("post_processing", "piece", pieces, price, source=kind.uri))
    terms += [shipping_term(step.shipping) for step in steps if step.shipping]
    found = estimate(
        quantity=number,
        print_time=print_time,
        material=material,
        terms=terms,
        durations=[_duration(kind, row.base_material) for kind in finishing],
        rate=rate_of(row.bureau, row.order.currency if row.order else ""),
    )
    return found | {"sliced_with": sliced and _sliced_with(sliced, factor)}


def _sliced_with(sliced: StoredSlice, factor: float) -> dict[str, Any]:
    """What the print time comes from: an estimate says nothing without its layers' height."""
    return {
        "config": sliced.config,
        "layer_height": sliced.layer_height,
        "presets": sliced.presets,
        "time_factor": factor,
    }


def shipping_term(shipping: Shipping) -> Term:
    """What it costs to send something once."""
    price = price_of(shipping, "cost")
    return Term("shipping", "shipment", Figure(1), price, source=shipping.uri)


def price_of(row: Any, column: str) -> Figure:
    """A price of the bureau's."""
    price = getattr(row, column)
    if price is not None:
        return Figure(price)
    return Figure(reason=f"The {row.KIND} {row} has no {column}: set it, to 0 if it costs nothing.")


def rate_of(bureau: Bureau, currency: str) -> Rate:
    """What the bureau's amounts are multiplied by for an order in this currency."""
    if currency in ("", bureau.currency):
        return Rate(bureau.currency, bureau.currency, Figure(1.0))
    found = CurrencyConversion.objects.filter(bureau=bureau, currency=currency).first()
    if found is not None:
        return Rate(bureau.currency, currency, Figure(found.value))
    why = f"The bureau has no currency-conversion to {currency}: create one."
    return Rate(bureau.currency, currency, Figure(reason=why))


def _of_slice(sliced: StoredSlice | None, name: str, not_sliced: str) -> Figure:
    if sliced is None:
        return Figure(reason=not_sliced)
    value = getattr(sliced, name)
    return Figure(value, None if value is not None else f"The slice {sliced.uri} has no {name}.")


def _of_material(
    name: str, material: Material | None, volume: Figure, machine: PrinterType | None
) -> Term:
    factor = machine.material_cost_scale_factor if machine else 1.0
    if material is None:
        none = Figure(reason="The line item has no base material: set materials.base.")
        return Term(name, "cc", volume, none, factor)
    return Term(name, "cc", volume, price_of(material, "cost"), factor, material.uri)


def _of_machine(machine: PrinterType | None, print_time: Figure) -> Term:
    seconds, reason = print_time
    hours = Figure(reason=reason) if reason else Figure(seconds / SECONDS_PER_HOUR)
    if machine is None:
        none = Figure(
            reason="The line item has no workflow with a step of a printer type, which says what "
            "an hour costs: set its workflow."
        )
        return Term("machine_time", "h", hours, none)
    price = price_of(machine, "running_cost_per_hour")
    return Term("machine_time", "h", hours, price, machine.print_cost_scale_factor, machine.uri)


def _duration(kind: Any, material: Material | None) -> Figure:
    """How long one piece takes: the type's word, else the material's, s."""
    if kind.duration is not None:
        return Figure(kind.duration)
    if material is not None and material.post_processing_seconds is not None:
        return Figure(material.post_processing_seconds)
    return Figure(reason=f"The {kind.KIND} {kind} has no duration: set it.")
