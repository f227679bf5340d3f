"""Basis of a price table: its inputs as plain values, and their cache key.

It is kept with the table as plain values, so that its cells never mix what was with what is: while
slices come in they are computed anew from the same list, rates and numbers.
"""

import json
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.utils import timezone

from apps.erp.orders.domain.prices import cost_terms, line_prices, price_lists
from apps.erp.orders.domain.print_options import PrintOptions, chosen_options, default_options
from apps.erp.orders.models.prices import Customer, PriceList
from apps.erp.organisation.domain.packing_space import policy_of
from apps.erp.organisation.domain.presets import config_for
from apps.erp.organisation.models.equipment import PostProcessorType, PrinterType
from apps.erp.organisation.models.master_data import Material
from apps.erp.price_tables.domain.basis_values import (
    BasisDeal,
    BasisFinish,
    BasisMaterial,
    BasisModel,
    BasisTax,
    EnergyValues,
    PartValues,
    PlainDriver,
    PrintOptionValues,
    TableBasis,
)
from apps.erp.production.domain.open_run_capacity import open_run, room_for
from apps.slicing import interface as slicing
from apps.warehouse.interface import StoredModel
from core.api.openapi.schema_hints import FreeJson
from core.auth_user import Person
from core.errors import ServiceError
from pricing.cost_drivers import KnownDriver, UnknownDriver
from pricing.manual_review import ReviewReason
from pricing.price import SaleContext
from pricing.tax import Tax

AHEAD = 120  # working days that a forecast looks ahead


def basis_of(
    sold_by: PriceList,
    *,
    models: list[StoredModel],
    materials: list[Material],
    quantities: list[int],
    finishes: list[list[PostProcessorType]],
    due: list[date | None],
    customer: Customer | None,
    country: str,
    vat_number: str,
    currency: str,
    nested: bool,
    printer_type: PrinterType | None,
    options: PrintOptionValues,
) -> TableBasis:
    """All that a table is computed from, but for the slices, as plain values.

    printer_type : that prints all; None for the first one that has the material
    options      : print options, by their names in a line item

    Configs of presets are made at need, for whoever made the bureau.
    """
    now = timezone.now()
    deal = price_lists.deal_of(
        sold_by,
        group=customer.group_id if customer else None,
        country=country or (customer.country if customer else ""),
        currency=currency,
    )
    tax = price_lists.tax_of(
        sold_by,
        country=deal.country,
        vat_number=vat_number or (customer.vat_number if customer else ""),
        day=now.date(),
    )
    calendar, kept = price_lists.calendar_of(sold_by)
    machines = {material.pk: _machine_for(material, printer_type) for material in materials}
    payer = sold_by.bureau.creator
    basis: TableBasis = {
        "day": now.date().isoformat(),
        "list": _list_plain(sold_by),
        "own": {
            "hours_per_build": sold_by.hours_per_build,
            "seconds_per_layer": sold_by.seconds_per_layer,
            "sell_estimates": sold_by.sell_estimates,
        },
        "deal": _deal_plain(deal),
        "tax": _tax_plain(tax),
        "shipping_days": kept.shipping_days,
        # The working days from now on, as far as anybody plans.
        "calendar_days": calendar.days(now, AHEAD),
        "hours_a_day": kept.hours_a_day,
        **_parts_plain(models, materials, machines, payer, options),
        "nested": _nested(models, machines, materials, max(quantities)) if nested else {},
        "quantities": quantities,
        "finishes": [[_finish_plain(kind) for kind in chosen] for chosen in finishes],
        "due": [None if day is None else day.isoformat() for day in due],
        "weekdays": [None if day is None else calendar.days_until(now, day) for day in due],
    }
    # Not in tables without any: their key stays what it was in earlier versions.
    if options:
        basis["options"] = options
    if printer_type:
        basis["printer_type"] = printer_type.uri
    return basis


def _parts_plain(
    models: list[StoredModel],
    materials: list[Material],
    machines: dict[UUID, PrinterType | None],
    payer: Person,
    options: PrintOptionValues,
) -> PartValues:
    return {
        "models": [_model_plain(model) for model in models],
        "materials": [
            _material_plain(each, machines[each.pk], models, payer, options) for each in materials
        ],
        "fits": {
            f"{model.uri} {machine.uri}": _plain_known(line_prices.fits_of(model, machine))
            for model in models
            for machine in machines.values()
            if machine is not None
        },
    }


def _list_plain(sold_by: PriceList) -> FreeJson:
    return {
        **_all_plain(price_lists.options_of(sold_by)),
        "terms": [
            _all_plain(price_lists.values_of(term)) for term in price_lists.terms_of(sold_by)
        ],
    }


def _finish_plain(kind: PostProcessorType) -> BasisFinish:
    return {
        "key": str(kind.pk),
        "uri": kind.uri,
        "name": str(kind),
        "cost": _plain(kind.cost),
        "duration": kind.duration,
    }


def key_of(bureau: str, basis: TableBasis) -> str:
    """The key of a table: whoever asks for the same gets the same."""
    text = json.dumps([bureau, basis], sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def pairs_of(basis: TableBasis) -> dict[str, tuple[str, str]]:
    """What is to be sliced: key -> URIs of model and config."""
    return {
        f"{model['uri']} {config}": (model["uri"], config)
        for model in basis["models"]
        for material in basis["materials"]
        if (config := config_of(material, model["uri"])) and model["closed"]
    }


def config_of(material: BasisMaterial, model: str) -> str | None:
    """What a model is sliced with in a material; tables of earlier versions have one for all."""
    return material["configs"].get(model) if "configs" in material else material["config"]


def _machine_for(material: Material, chosen: PrinterType | None) -> PrinterType | None:
    """What prints a material: the chosen type of printer, or the first one that says so."""
    machines = PrinterType.objects.filter(materials=material).order_by("pk")
    return (machines.filter(pk=chosen.pk) if chosen else machines).first()


def _model_plain(model: StoredModel) -> BasisModel:
    numbers = line_prices.numbers_of_model(model)
    return {
        "uri": model.uri,
        "name": model.name,
        "sha256": model.sha256,
        "closed": model.volume is not None,
        "numbers": {name: _plain_known(value) for name, value in numbers.items()},
    }


def _material_plain(
    material: Material,
    machine: PrinterType | None,
    models: list[StoredModel],
    payer: Person,
    options: PrintOptionValues,
) -> BasisMaterial:
    found: BasisMaterial = {
        "key": str(material.pk),
        "uri": material.uri,
        "name": str(material),
        "density": material.density,
        "cost": _plain(material.cost),
        "machine": None,
        "machine_key": "",
        "configs": {},
        "not_sliced": "no machine prints it.",
        "recipes": [],
    }
    if machine is None:
        return found
    configs, why = _configs(machine, material, models, payer, options)
    recipes = [slicing.recipe_of(config) for config in sorted(set(configs.values()))]
    return found | {
        "machine": machine.uri,
        "machine_key": str(machine.pk),
        "configs": configs,
        "not_sliced": why,
        "recipes": [recipe.key for recipe in recipes if recipe],
        "hour": _plain(machine.running_cost_per_hour),
        "hour_factor": machine.print_cost_scale_factor,
        "time_factor": machine.time_factor,
        "material_factor": machine.material_cost_scale_factor,
        "overhead": _plain(machine.constant_overhead),
        **_energy_plain(machine),
    }


def _energy_plain(machine: PrinterType) -> EnergyValues:
    """The price of energy; empty without one: keys of tables stay what they were before."""
    energy = cost_terms.energy_price(machine, machine.bureau)
    if energy is None:
        return {}
    return {"energy": {"price": _plain(energy.amount), "kilowatts": str(energy.factor)}}


def _configs(
    machine: PrinterType,
    material: Material,
    models: list[StoredModel],
    payer: Person,
    chosen: PrintOptionValues,
) -> tuple[dict[str, str], str]:
    """What a machine slices each model with in a material, by URI; or why nothing does."""
    configs: dict[PrintOptions, str | None] = {}
    by_model: dict[str, str] = {}
    try:
        for model in models:
            options = chosen_options(
                default_options(machine, model),
                model,
                supports=chosen.get("support_strategy", ""),
                infill=chosen.get("infill_strategy", ""),
                layer_height=chosen.get("layer_thickness"),
            )
            if options not in configs:
                configs[options] = config_for(
                    machine,
                    material,
                    owner=payer,
                    layer_height=options.layer_height,
                    overrides=options.overrides,
                )
            if config := configs[options]:
                by_model[model.uri] = config
    except ServiceError as error:
        return {}, str(error)
    return by_model, "nothing slices it."


def _nested(
    models: list[StoredModel],
    machines: dict[UUID, PrinterType | None],
    materials: list[Material],
    most: int,
) -> dict[str, int]:
    """How many of each model go into an open run of each material."""
    found = {}
    for material in materials:
        machine = machines[material.pk]
        run = open_run(machine, material) if machine else None
        if machine is None or run is None:
            continue
        for model in models:
            policy = policy_of(model, machine)
            found[f"{model.uri} {material.uri}"] = room_for(model, policy, run, most=most)
    return found


def _deal_plain(deal: SaleContext) -> BasisDeal:
    return {
        "group": deal.group,
        "country": deal.country,
        "shipping": deal.shipping,
        "digits": deal.digits,
        "rate": _plain(deal.rate),
        "currency": deal.currency,
        "language": deal.language,
    }


def _tax_plain(tax: Tax | ReviewReason) -> BasisTax:
    if isinstance(tax, ReviewReason):
        return {"review": tax.as_json()}
    return {"category": tax.category, "rate": str(tax.rate), "sentence": tax.sentence}


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, Decimal) else value


def _all_plain(values: Mapping[str, object]) -> FreeJson:
    return {name: _plain(value) for name, value in values.items()}


def _plain_known(value: KnownDriver) -> PlainDriver:
    return value._asdict() if isinstance(value, UnknownDriver) else str(value)
