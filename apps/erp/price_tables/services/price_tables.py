"""Create price tables; order from their cells."""

from collections.abc import Iterable
from datetime import date, timedelta
from math import prod
from typing import Any

from django.db import transaction
from django.utils import timezone

from apps.callbacks import interface as callbacks
from apps.erp.base.models.access import share_config, share_model, share_slice
from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.services import resources
from apps.erp.base.services.resources import WrongBureau
from apps.erp.orders.domain.prices import line_prices, price_lists
from apps.erp.orders.models.orders import LineItem, Order
from apps.erp.orders.models.prices import Customer, CustomerGroup, PriceList, PriceTable
from apps.erp.orders.services import line_items
from apps.erp.organisation.domain.finishing import way_of, workflows_by_way
from apps.erp.organisation.models.equipment import PostProcessorType, PrinterType
from apps.erp.organisation.models.master_data import Material
from apps.erp.price_tables.actors.price_tables import (
    compute_price_table,
    enqueue_computing,
    refresh_price_tables,
)
from apps.erp.price_tables.domain import (
    computing,
    price_table_basis,
    price_table_cells,
    ready_dates,
)
from apps.erp.price_tables.domain.basis_values import TableBasis
from apps.erp.price_tables.domain.response_types import CellAnswer
from apps.erp.production.domain.open_run_capacity import MAX_PAIRS
from apps.slicing import interface as slicing
from apps.warehouse import interface as warehouse
from apps.warehouse.interface import StoredModel
from core.api.openapi.response_types import FreeJson
from core.auth_user import Person
from core.errors import Conflict, InvalidFields, ServiceError
from core.postgres import advisory_locks
from core.queue.row_jobs import cancel_jobs

DAYS = 30  # that a table is kept
# Print options of a table, which are those of the line items that are made of it.
OPTIONS = ("support_strategy", "infill_strategy", "layer_thickness", "orientation")
MAX_CELLS, MAX_MODELS = 1000, 20


class NoPriceList(Conflict):
    """The bureau sells at cost."""

    code = "no-price-list"


class ModelUnjudged(Conflict):
    """A model that is not judged, or not well."""

    code = "model-not-ready"


class PriceChanged(Conflict):
    """Prices are others than when the table was made."""

    code = "price-changed"


class CellEmpty(Conflict):
    """A cell that has no price to order by."""

    code = "cell-not-priced"


class NoWorkflow(Conflict):
    """No workflow of the bureau makes what a cell asks for."""

    code = "no-workflow"


def create(*, actor: Person, bureau: Bureau, **asked: Any) -> PriceTable:
    """The table of these models in these ways: the same for whoever asks the same on a day.

    Its cells are computed at once where that takes few steps, and by a job otherwise.

    Its slices are begun with it, in the name of whoever made the bureau: they pay, not who asks.
    """
    _require_of(bureau, asked)
    request = _request_of(bureau, asked)
    found = [warehouse.find_model(uri=uri, user=actor, field="models") for uri in asked["models"]]
    waiting = [model.uri for model in found if model.status != "processed"]
    if waiting:
        raise ModelUnjudged(
            f"These models are not analysed, or have errors: {', '.join(waiting[:10])}.",
            field="models",
            details={"models": waiting},
        )
    basis = _basis(bureau, request, found)
    key = price_table_basis.key_of(bureau.uri, basis)
    if known := _kept(key):
        return known
    # The slices that there are, and the cells: outside of the transaction, since it takes a while.
    before = _slices_there(bureau, basis)
    models = {model.uri: model for model in found}
    made = price_table_cells.made_by(basis, before, models)
    cells, steps = computing.cells_at_once(basis, made)
    with transaction.atomic():
        # Of the bureau, not of the table: two tables may need the same slice.
        advisory_locks.advisory_lock(f"price tables of {bureau.pk}")
        if known := _kept(key):
            return known
        PriceTable.objects.filter(key=key).delete()
        slices = _slices(actor, bureau, basis)
        for pair, uri in before.items():
            if uri and made[pair].basis != line_prices.EXACT:
                refresh_price_tables.send(uri)  # it may have ended meanwhile
        table = resources.create(
            actor=actor,
            kind=PriceTable,
            bureau=bureau,
            key=key,
            status=price_table_cells.status_of(made) if cells else PriceTable.Status.PENDING,
            currency=basis["deal"]["currency"],
            customer=asked.get("customer"),
            asked=request,
            basis=basis,
            cells=cells or price_table_cells.pending_cells(basis),
            slices=slices,
            waits_for=sorted(uri for uri in slices.values() if uri),
            expires=timezone.now() + timedelta(days=DAYS),
        )
        if not cells:
            enqueue_computing(table, steps)
        return table


@transaction.atomic
def change(*, actor: Person, row: PriceTable, order: Order, cells: list[int]) -> None:
    """Line items of an order out of cells, at their prices. Raises PriceChanged with both."""
    table = PriceTable.objects.select_for_update().get(pk=row.pk)
    _require_order(table, order)
    chosen = _chosen(table, cells)
    models = warehouse.get_models_unchecked(table.asked["models"])
    before = computed_cells(table, chosen)
    gone = [uri for uri in table.asked["models"] if uri not in models]
    if gone:
        title = f"These models were deleted: {', '.join(gone)}."
        raise ModelUnjudged(title, field="cells", details={"models": gone})
    now = _basis(table.bureau, table.asked, [models[uri] for uri in table.asked["models"]])
    made_now = price_table_cells.made_by(now, table.slices, models)
    backlog = ready_dates.backlog_of(table.basis)
    after = computing.chosen_cells(now, made_now, backlog, chosen)
    changed = [
        (at, _sum(table.cells[at]), _sum(after[at].answer))
        for at in chosen
        if _sum(table.cells[at]) != _sum(after[at].answer)
    ]
    if changed:
        _, was, is_now = changed[0]
        raise PriceChanged(
            f"Prices changed from {was['net']} to {is_now['net']} since the table was made: ask "
            "for a new one.",
            details={"cells": [{"cell": at, "was": a, "now": b} for at, a, b in changed]},
        )
    uris = [_line_item(actor, table, order, table.cells[at], before[at].line) for at in chosen]
    table.line_items = [*table.line_items, *uris]
    table.save(update_fields=["line_items", "updated"])


def computed_cells(table: PriceTable, cells: list[int]) -> dict[int, price_table_cells.Cell]:
    """Cells of a table by what it was computed from. Raises CellEmpty for one without a price."""
    made = price_table_cells.made_by(
        table.basis, table.slices, warehouse.get_models_unchecked(table.asked["models"])
    )
    backlog = ready_dates.backlog_of(table.basis)
    return computing.chosen_cells(table.basis, made, backlog, _chosen(table, cells))


@transaction.atomic
def delete(*, row: PriceTable) -> None:
    """Delete a table; what was ordered by it stays."""
    cancel_jobs(compute_price_table, on=[row])
    resources.delete(row=row)
    callbacks.cancel_pending(uri=row.uri_of(row.pk))


def _kept(key: str) -> PriceTable | None:
    """The table of this key; one that failed is made again."""
    usable = PriceTable.objects.exclude(status=PriceTable.Status.ERROR)
    return usable.filter(key=key, expires__gt=timezone.now()).first()


def _sum(cell: CellAnswer) -> dict[str, float | None]:
    return {"net": cell["net"], "tax": cell["tax"], "gross": cell["gross"]}


# ---------------------------------------------------------------- what is asked


def _require_of(bureau: Bureau, asked: dict[str, Any]) -> None:
    """Raise InvalidFields for what belongs to another bureau, and for too much."""
    faults: list[ServiceError] = []
    named: list[tuple[str, Iterable[Any]]] = [
        ("materials", asked["materials"]),
        ("customer", [asked["customer"]] if asked.get("customer") else []),
        ("printer_type", [asked["printer_type"]] if asked.get("printer_type") else []),
        *(("finishes", chosen) for chosen in asked["finishes"]),
    ]
    for field, others in named:
        faults += [
            WrongBureau(f"{other.uri} belongs to another bureau.", field=field)
            for other in others
            if other.bureau_id != bureau.pk
        ]
    names = ("models", "materials", "quantities", "finishes", "due")
    code = "property-value-not-in-allowed-values"
    if prod(len(asked[name]) for name in names) > MAX_CELLS:
        title = f"A table has at most {MAX_CELLS} cells."
        faults.append(ServiceError(title, code=code, field="quantities"))
    if asked.get("nested") and len(asked["models"]) * len(asked["materials"]) > MAX_PAIRS:
        title = (
            f"Room in open runs is looked for at once, for at most {MAX_PAIRS} pairs of models "
            "and materials: ask for fewer, or leave nested out."
        )
        faults.append(ServiceError(title, code=code, field="nested"))
    if faults:
        raise InvalidFields(faults)


def _request_of(bureau: Bureau, values: dict[str, Any]) -> FreeJson:
    customer, printer_type = values.get("customer"), values.get("printer_type")
    return {
        "models": values["models"],
        "materials": [str(each.pk) for each in values["materials"]],
        "quantities": values["quantities"],
        "finishes": [[str(kind.pk) for kind in chosen] for chosen in values["finishes"]],
        "due": [None if day is None else day.isoformat() for day in values["due"]],
        "customer": str(customer.pk) if customer else None,
        "country": values.get("country") or "",
        "vat_number": values.get("vat_number") or "",
        "currency": values.get("currency") or bureau.currency,
        "nested": values.get("nested", False),
        "printer_type": str(printer_type.pk) if printer_type else None,
        "options": {name: values[name] for name in OPTIONS if values.get(name)},
        "price_list": str(values["price_list"].pk) if values.get("price_list") else None,
        # Not in requests without any: their key stays what it was in earlier versions.
        **({"group": str(values["group"].pk)} if values.get("group") else {}),
    }


def _basis(bureau: Bureau, request: FreeJson, models: list[StoredModel]) -> TableBasis:
    """All that the table is computed from, as it is now. Raises NoPriceList."""
    customer = None
    if request["customer"]:
        customers = Customer.objects.select_related("group__price_list")
        customer = customers.filter(pk=request["customer"]).first()
    elif request.get("group"):
        # The prices of a customer who is signed in at a storefront; taxes as for other visitors.
        customer = Customer(group=CustomerGroup.objects.filter(pk=request["group"]).first())
    group = customer.group if customer else None
    named = PriceList.objects.in_bulk([request["price_list"]] if request.get("price_list") else [])
    sold_by = next(iter(named.values()), None)
    sold_by = sold_by or (group.price_list if group else None) or price_lists.list_for(bureau, None)
    if sold_by is None:
        raise NoPriceList(
            "The bureau sells at cost: it has no price list that is_default, and the customer's "
            "group has none. Make one.",
            details={"bureau": bureau.uri},
        )
    sold_by = PriceList.objects.select_related("bureau", "calendar").get(pk=sold_by.pk)
    materials = Material.objects.in_bulk(request["materials"])
    kinds = PostProcessorType.objects.in_bulk(sum(request["finishes"], []))
    machine = request.get("printer_type")
    rows_by_key = {str(key): row for key, row in materials.items()}
    done_by_key = {str(key): row for key, row in kinds.items()}
    return price_table_basis.basis_of(
        sold_by,
        models=models,
        materials=[rows_by_key[key] for key in request["materials"]],
        quantities=request["quantities"],
        finishes=[[done_by_key[key] for key in chosen] for chosen in request["finishes"]],
        due=[None if day is None else date.fromisoformat(day) for day in request["due"]],
        customer=customer,
        country=request["country"],
        vat_number=request["vat_number"],
        currency=request["currency"],
        nested=request.get("nested", False),
        printer_type=PrinterType.objects.filter(pk=machine).first() if machine else None,
        options=request.get("options", {}),
    )


def _slices_there(bureau: Bureau, basis: TableBasis) -> dict[str, str | None]:
    """The slices that there are already, of those that `_slices` finds or makes."""
    pairs = price_table_basis.pairs_of(basis).items()
    slices = {
        key: slicing.find_slice(owner=bureau.creator, model=model, config=config)
        for key, (model, config) in pairs
    }
    return {key: row.uri if row else None for key, row in slices.items()}


def _slices(actor: Person, bureau: Bureau, basis: TableBasis) -> dict[str, str | None]:
    """A slice of each model with each config, begun; None where it is refused.

    It belongs to the bureau's creator, and is shown to its members.
    """
    payer = bureau.creator
    slices: dict[str, str | None] = {}
    for key, (model, config) in price_table_basis.pairs_of(basis).items():
        try:
            with transaction.atomic():
                share_model(model, bureau=bureau, user=actor, field="models")
                share_config(config, bureau=bureau, user=payer, field="materials")
                made = slicing.find_or_make_slice(owner=payer, model=model, config=config)
                share_slice(made.uri, bureau=bureau, user=payer)
                slices[key] = made.uri
        except ServiceError:
            slices[key] = None  # the estimate stands
    return slices


# ---------------------------------------------------------------- orders


def _require_order(table: PriceTable, order: Order) -> None:
    faults: list[ServiceError] = []
    code = "property-value-not-in-allowed-values"
    if order.bureau_id != table.bureau_id:
        faults.append(WrongBureau(f"{order.uri} belongs to another bureau.", field="order"))
    if order.currency != table.currency:
        title = f"The table is in {table.currency}, the order in {order.currency}."
        faults.append(ServiceError(title, code=code, field="order"))
    if order.customer_id != table.customer_id:
        title = "The table is for another customer than the order: ask for one for this customer."
        faults.append(ServiceError(title, code=code, field="order"))
    if faults:
        raise InvalidFields(faults)


def _chosen(table: PriceTable, cells: list[int]) -> list[int]:
    if table.status in (PriceTable.Status.PENDING, PriceTable.Status.ERROR):
        why = "is still being computed" if table.status == "pending" else "could not be computed"
        raise CellEmpty(f"The table {why}: its cells have no prices.", field="cells")
    chosen = list(dict.fromkeys(cells))
    beyond = [at for at in chosen if at >= len(table.cells)]
    if beyond:
        title = f"The table has {len(table.cells)} cells, counted from 0: {beyond[0]} is none."
        code = "property-value-not-in-allowed-values"
        raise InvalidFields([ServiceError(title, code=code, field="cells")])
    for at in chosen:
        cell = table.cells[at]
        if cell["net"] is None:
            why = " ".join(each["title"] for each in cell["review"])
            raise CellEmpty(f"Cell {at} has no price: {why}", field="cells")
        if cell["basis"] == "estimate" and not table.basis["own"]["sell_estimates"]:
            title = f"Cell {at} is an estimate: wait until the table is exact."
            raise CellEmpty(title, field="cells", details={"cell": at, "within": cell["within"]})
    return chosen


def _line_item(actor: Person, table: PriceTable, order: Order, cell: CellAnswer, price: Any) -> str:
    """A line item of a cell, whose price is agreed on."""
    (material,) = Material.objects.filter(pk__in=Material.keys_of(cell["material"]))
    (plain,) = [each for each in table.basis["materials"] if each["uri"] == cell["material"]]
    config = price_table_basis.config_of(plain, cell["model"])
    ways = workflows_by_way(table.bureau_id)
    workflow = ways.get(way_of(plain["machine_key"], cell["finish"]))
    if workflow is None and cell["finish"]:
        raise NoWorkflow(
            "No workflow of the bureau prints on this machine and does exactly this: make one.",
            details={"finish": cell["finish"], "printer_type": plain["machine"]},
        )
    row = line_items.create(
        actor=actor,
        bureau=table.bureau,
        order=order,
        model_uri=cell["model"],
        quantity=cell["quantity"],
        base_material=material,
        workflow=workflow,
        config_uri=config,
        slice_uri=table.slices.get(f"{cell['model']} {config}"),
        **table.asked.get("options", {}),
    )
    LineItem.objects.filter(pk=row.pk).update(price=price | {"agreed": table.uri})
    return row.uri
