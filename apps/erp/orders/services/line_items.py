"""Create, update, confirm and cancel line items."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from apps.callbacks import interface as callbacks
from apps.erp.base.domain.transitions import TransitionRefused
from apps.erp.base.services import resources
from apps.erp.orders.domain import pieces, status_rollup
from apps.erp.orders.domain.print_decisions import require_decided
from apps.erp.orders.models.orders import LineItem, Order, Product
from apps.erp.orders.services import estimates, price_lists
from apps.erp.organisation.domain.automatic_prints import plan_prints
from apps.warehouse import interface as warehouse
from core.auth_user import Person
from core.errors import Conflict, InvalidFields, ServiceError

_Status = LineItem.Status

# Why a client may not move one, where the state itself says little of what to do.
_WHY: dict[str, str] = {
    _Status.NEW: "wait until it is pending, when its estimate is there.",
    _Status.CALCULATING: "wait until it is pending, when its estimate is there.",
    _Status.ERROR: "its errors say why; change it, and it is estimated again.",
    _Status.CANCELLED: "reopen it first, by the status pending.",
    _Status.QUEUED: "delete its runs, which have not started, and it is confirmed again.",
}


_SETTLED = LineItem.SETTLED | LineItem.PICKING | {"manual_price"}


class AlreadyConfirmed(Conflict):
    """What is made, and how, is settled when a line item is confirmed."""

    code = "already-confirmed"


class ModelGone(Conflict):
    """The model was deleted: what would be confirmed can never be printed."""

    code = "model-gone"


@transaction.atomic
def create(*, actor: Person, status: str = _Status.NEW, **values: Any) -> LineItem:
    """A line item, whose estimate is begun."""
    if status != _Status.NEW:
        raise ServiceError(
            "A line item begins as new, and is pending when its estimate is there: leave status "
            "out, and confirm it then.",
            code="property-value-not-in-allowed-values",
            field="status",
        )
    values = _filled(LineItem(), values)
    if values.get("manual_price") is not None:
        price_lists.require(actor, values["bureau"])
        unsaved = LineItem(bureau=values["bureau"], order=values.get("order"))
        values["manual_price"] = price_lists.by_hand(values["manual_price"], unsaved, actor)
    row = resources.create(actor=actor, kind=LineItem, **values)
    estimates.begin(row)
    status_rollup.follow_orders(_order_keys(row.order_id))
    return row


@transaction.atomic
def create_of_plate(*, actor: Person, plate: int, **values: Any) -> list[LineItem]:
    """A line item for each object on a plate of a converted file, as often as it lies there.

    values : of all of them; `model_uri` is the file's, `quantity` says how many such plates
    """
    uri, plates = values.pop("model_uri", None), values.pop("quantity")
    if not uri:
        title = "Say whose plate it is: the model of the file, as `model`."
        raise ServiceError(title, code="missing-parameter", field="model")
    objects = warehouse.placed_objects(uri=uri, user=actor)
    counts = [(each, each.plates.count(plate)) for each in objects]
    lying = [(each, count) for each, count in counts if count]
    if not lying:
        known = sorted({number for each in objects for number in each.plates})
        words = (
            f"It has no plate {plate}, but {', '.join(map(str, known[:20]))}."
            if known
            else f"{uri} was not converted to objects: order it without plate, or convert it first."
        )
        raise ServiceError(words, code="property-value-not-in-allowed-values", field="plate")
    most = LineItem.LARGEST_QUANTITY
    if any(count * plates > most for _, count in lying):
        title = f"That is more than {most:,} of one object: order fewer plates."
        raise ServiceError(title, code="property-value-not-in-allowed-values", field="quantity")
    name, longest = values.pop("name", None), LineItem._meta.get_field("name").max_length
    return [
        create(
            actor=actor,
            model_uri=each.uri,
            quantity=count * plates,
            name=(f"{name}: {each.name}" if name else each.name)[:longest],
            **values,
        )
        for each, count in lying
    ]


@transaction.atomic
def change(
    *,
    actor: Person,
    row: LineItem,
    status: str | None = None,
    plate: int | None = None,
    **values: Any,
) -> None:
    """Change what was given, and move the line item where `status` says."""
    if plate is not None:
        title = "A plate is said as its line items are made: leave it out."
        raise ServiceError(title, code="property-value-not-in-allowed-values", field="plate")
    (row,) = status_rollup.lock_line_items([row.pk])
    before, order = str(row.status), row.order_id
    if price_lists.is_known(values.get("manual_price"), row):
        del values["manual_price"]
    changed = _different(row, _filled(row, _different(row, values)))
    _require_open(row, changed)
    if "manual_price" in changed:
        price_lists.require(actor, row.bureau)
        changed["manual_price"] = price_lists.by_hand(changed["manual_price"], row, actor)
    resources.change(actor=actor, row=row, **changed)
    if changed.get("hold") is False:
        plan_prints(row.bureau_id)
    estimated_by = LineItem.SETTLED | LineItem.PICKING | {"order"}
    if row.status in LineItem.OPEN and (
        estimated_by & changed.keys()
        or (changed.keys() - LineItem.PLANNING and row.status == _Status.ERROR)
    ):
        estimates.restart(row)
    elif "manual_price" in changed:
        estimates.reprice([row])
        row.refresh_from_db()
    if status is not None and status != row.status:
        _move(row, status)
    if row.status != before or row.order_id != order:
        moved = {row} if row.status != before else set()
        status_rollup.follow_orders(_order_keys(order, row.order_id), news=moved)


@transaction.atomic
def change_many(changes: list[tuple[LineItem, Mapping[str, object]]]) -> None:
    """Change priority, position and hold of many line items."""
    values = {row.pk: change for row, change in changes}
    rows = status_rollup.lock_line_items(values)
    for row in rows:
        for name in LineItem.PLANNING & values[row.pk].keys():
            setattr(row, name, values[row.pk][name])
    LineItem.objects.bulk_update(rows, [*sorted(LineItem.PLANNING)])
    LineItem.objects.filter(pk__in=values).update(updated=Now())
    released = {row.bureau_id for row in rows if values[row.pk].get("hold") is False}
    for bureau in released:
        plan_prints(bureau)


@transaction.atomic
def delete(*, row: LineItem) -> None:
    """Delete a line item of which nothing is made."""
    (row,) = status_rollup.lock_line_items([row.pk])
    resources.delete(row=row)
    callbacks.cancel_pending(uri=row.uri_of(row.pk))
    status_rollup.follow_orders(_order_keys(row.order_id))


def confirm(row: LineItem) -> None:
    """A pending line item, which the caller has locked, is to be made: its pieces are there.

    Raises ModelGone, DecisionNeeded and PrintReportPending.
    """
    require_decided(row)
    if row.model_uri and not warehouse.hold_model(row.model_uri):
        raise ModelGone(
            f"The model {row.model_uri} of the line item {row.uri} was deleted: name another, or "
            "have an administrator restore it.",
            details={"line_items": [row.uri]},
        )
    row.move(_Status.CONFIRMED)
    pieces.create_pieces(row, row.quantity)


def cancel(row: LineItem) -> None:
    """Cancel a line item, which the caller has locked. Raises TransitionRefused."""
    _require_move(row, _Status.CANCELLED)
    pieces.cancel_pieces(row)
    row.move(_Status.CANCELLED)


def _require_move(row: LineItem, to: str) -> None:
    if to not in row.asked:
        raise TransitionRefused(row, to, _WHY.get(row.status, "it goes on by its pieces and runs."))


def _move(row: LineItem, to: str) -> None:
    _require_move(row, to)
    if to == _Status.CONFIRMED:
        confirm(row)
    elif to == _Status.CANCELLED:
        cancel(row)
    elif to == _Status.PENDING:
        row.move(to)
        if row.estimates is None:  # it was cancelled before, or changed since
            estimates.restart(row)
    else:
        estimates.restart(row)


def _require_open(row: LineItem, changed: dict[str, Any]) -> None:
    """Raise AlreadyConfirmed where something is changed that is settled."""
    settled = sorted(row.spelled(name) for name in _SETTLED & changed.keys())
    if row.status in LineItem.OPEN:
        return
    if settled:
        raise AlreadyConfirmed(
            f"The line item {row.uri} is {row.status}: its {', '.join(settled)} cannot change any "
            "more, since its pieces are made by it. Cancel it and create another.",
            field=settled[0],
        )
    order: Order | None = changed.get("order")
    priced_in = (row.estimates or {}).get("cost", {}).get("currency")
    if order is not None and order.currency != priced_in:
        raise AlreadyConfirmed(
            f"The line item {row.uri} is {row.status} at a price in {priced_in}: it cannot move to "
            f"an order in {order.currency}.",
            field="order",
        )


def _order_keys(*orders: UUID | None) -> set[UUID]:
    return {key for key in orders if key is not None}


def _different(row: LineItem, values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if getattr(row, name) != value}


def _filled(row: LineItem, given: dict[str, Any]) -> dict[str, Any]:
    """What was given, and what follows from its product. Raises InvalidFields."""
    values = dict(given)
    product = values.get("product", row.product)
    faults: list[ServiceError] = []
    if product is not None and {"product", "model_uri", "order"} & values.keys():
        library = product.model_library
        for name, value in {"model_uri": library.model_uri, "order": product.order}.items():
            if values.get(name) not in (None, value):
                faults.append(
                    _differs(row.spelled(name), product.uri, getattr(value, "uri", value))
                )
            elif name in values or "product" in values:
                values[name] = value
        if "product" in values:
            made = {"base_material": library.material, "workflow": library.workflow}
            for name, value in made.items():
                if getattr(row, name) is None:
                    values.setdefault(name, value)
    model = values.get("model_uri", row.model_uri)
    if not model and not values.get("no_model_upload", row.no_model_upload):
        words = "Name a model or a product, or say no_model_upload: true where there is no model."
        faults.append(ServiceError(words, code="missing-parameter", field="model"))
    if faults:
        raise InvalidFields(faults)
    if not values.get("name", row.name) and (row._state.adding or "name" in values):
        values["name"] = _name_of(product, model)
    return values


def _name_of(product: Product | None, model: str | None) -> str:
    """What a line item is called that names itself nothing; as its product, else as its model."""
    stored = warehouse.get_model_unchecked(model) if model else None
    name = (product.name if product else "") or (stored.name if stored else "")
    return name[: LineItem._meta.get_field("name").max_length]


def _differs(name: str, product: str, value: str) -> ServiceError:
    return ServiceError(
        f"The product {product} gives the {name} {value}: leave {name} out, or name no product.",
        code="property-value-not-in-allowed-values",
        field=name,
    )
