"""Create, change, ship and cancel shipments of orders."""

from collections.abc import Mapping, Sequence
from typing import TypedDict, Unpack
from uuid import UUID

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from apps.erp.base.domain.events import emit_status
from apps.erp.base.domain.transitions import TransitionRefused
from apps.erp.base.models.messages import MessageMoment
from apps.erp.base.services import resources
from apps.erp.orders.domain import automatic_documents, status_rollup
from apps.erp.orders.domain.carriers import tracking_url
from apps.erp.orders.domain.customer_messages import messages
from apps.erp.orders.domain.documents.document_data import ship_to
from apps.erp.orders.domain.fulfilment import WAITS_FOR_SHIPPING, Fulfilment, fulfilment_of
from apps.erp.orders.models.orders import LineItem, Order
from apps.erp.orders.models.pieces import Piece
from apps.erp.orders.models.shipments import Shipment, ShipmentLine
from apps.erp.organisation.models.master_data import Shipping
from apps.erp.production.models.runs import Run
from apps.erp.production.services import runs
from core.auth_user import Person
from core.errors import Conflict, ServiceError

MAX_SHIPMENTS = 500  # of an order
_Status = Shipment.Status


class NothingToShip(Conflict):
    """No piece of the order is made and in no shipment."""

    code = "nothing-to-ship"


class MoreThanReady(Conflict):
    """More of a line item is to be shipped than is made and in no other shipment."""

    code = "more-than-ready"


class TooManyShipments(Conflict):
    """The order has as many shipments as it may have."""

    code = "too-many-shipments"


class Tracking(TypedDict, total=False):
    """Carrier and tracking of a shipment, as far as they are set."""

    carrier: str
    tracking_number: str
    tracking_url: str


class PackedLine(TypedDict):
    """A line of a shipment, as it is requested."""

    line_item: LineItem
    quantity: int


@transaction.atomic
def create(
    *,
    actor: Person,
    order: Order,
    lines: Sequence[PackedLine] | None = None,
    status: str = _Status.OPEN,
    **values: Unpack[Tracking],
) -> Shipment:
    """Create a shipment with these pieces of an order, and ship it where `status` says so.

    lines : None: all that is made and in no shipment

    Raises NothingToShip, MoreThanReady, TooManyShipments, TransitionRefused, ServiceError.
    """
    order = _locked(order)
    progress = {each.item.pk: each for each in fulfilment_of(order)}
    quantities = _quantities(order, progress, lines)
    last = order.shipments.aggregate(count=Max("number"))["count"] or 0
    if last >= MAX_SHIPMENTS:
        title = f"An order has up to {MAX_SHIPMENTS} shipments: create another order for the rest."
        raise TooManyShipments(title)
    row: Shipment = resources.create(
        actor=actor, kind=Shipment, order=order, number=last + 1, **_tracked(Shipment(), values)
    )
    ShipmentLine.objects.bulk_create(
        ShipmentLine(shipment=row, line_item_id=key, quantity=quantity)
        for key, quantity in quantities.items()
    )
    if status != _Status.OPEN:
        _move(actor, row, order, status)
    return row


@transaction.atomic
def change(
    *, actor: Person, row: Shipment, status: str | None = None, **values: Unpack[Tracking]
) -> None:
    """Change carrier and tracking of a shipment; ship or cancel it where `status` says so.

    Raises MoreThanReady, TransitionRefused.
    """
    order = _locked(row.order)
    row = Shipment.objects.select_for_update(of=("self",)).get(pk=row.pk)
    resources.change(actor=actor, row=row, **_tracked(row, values))
    if status is not None and status != row.status:
        _move(actor, row, order, status)


def _locked(order: Order) -> Order:
    """The order as it is now, locked with its line items: no piece is shipped twice."""
    status_rollup.lock_line_items(order.line_items.values_list("pk", flat=True))
    rows = Order.objects.select_for_update(no_key=True, of=("self",))
    return rows.select_related("bureau", "customer").get(pk=order.pk)


def _quantities(
    order: Order, progress: Mapping[UUID, Fulfilment], lines: Sequence[PackedLine] | None
) -> dict[UUID, int]:
    """How many pieces of each line item a shipment has."""
    if lines is None:
        ready = {key: each.ready for key, each in progress.items() if each.ready}
        if not ready:
            title = "No piece of the order is complete and in no shipment: finish its pieces first."
            raise NothingToShip(title)
        return ready
    for line in lines:
        item = line["line_item"]
        if item.order_id != order.pk:
            title = f"{item.uri} is not a line item of the order {order.uri}."
            raise ServiceError(title, code="not-allowed", field="lines")
        ready_now = progress[item.pk].ready if item.pk in progress else 0
        if line["quantity"] > ready_now:
            raise MoreThanReady(
                f"Of {item.name or item.uri} {ready_now} of {item.quantity} can be shipped: send "
                "no more, or finish the other pieces first.",
                field="lines",
                details={"line_item": item.uri, "ready": ready_now},
            )
    return {line["line_item"].pk: line["quantity"] for line in lines}


def _tracked(row: Shipment, values: Tracking) -> Tracking:
    """These values with the address of the carrier's page, unless another one is set."""
    usual = tracking_url(row.carrier, row.tracking_number)
    url = values.get("tracking_url") or row.tracking_url
    if url != usual and values.get("tracking_url", url):
        return values
    carrier = values.get("carrier", row.carrier)
    number = values.get("tracking_number", row.tracking_number)
    return {**values, "tracking_url": tracking_url(carrier, number)}


def _move(actor: Person, row: Shipment, order: Order, to: str) -> None:
    if to not in row.asked:
        raise TransitionRefused(row, to, "only an open shipment is shipped or cancelled.")
    if to == _Status.CANCELLED:
        row.move(to)
        emit_status(row)
        return
    progress = {each.item.pk: each for each in fulfilment_of(order)}
    packed = dict(row.lines.values_list("line_item", "quantity"))
    _require_made(row, progress, packed)
    unshipped = sum(each.item.quantity - each.shipped for each in progress.values())
    left = unshipped - sum(packed.values())
    row.move(to, shipped=timezone.now(), address=ship_to(order))
    _finish_shipping_steps(actor, row, order, progress, packed)
    emit_status(row)
    messages.record(
        order,
        MessageMoment.SHIPPED,
        tracking=" ".join(filter(None, (row.carrier, row.tracking_number, row.tracking_url))),
        remaining=str(left) if left else "",
    )
    order.refresh_from_db(fields=["status"])  # the last pieces may have completed it
    automatic_documents.enqueue_invoice(order)


def _require_made(
    row: Shipment, progress: Mapping[UUID, Fulfilment], packed: Mapping[UUID, int]
) -> None:
    """Raise MoreThanReady where pieces of an open shipment have failed or were cancelled since."""
    for line in row.lines.select_related("line_item"):
        each = progress.get(line.line_item_id)
        made = each.made - each.shipped if each else 0
        if packed[line.line_item_id] > made:
            raise MoreThanReady(
                f"Of {line.line_item.name or line.line_item.uri} {made} can be shipped, and the "
                f"shipment has {line.quantity}: finish the others first, or cancel the shipment.",
                details={"line_item": line.line_item.uri, "ready": made},
            )


def _finish_shipping_steps(
    actor: Person,
    row: Shipment,
    order: Order,
    progress: Mapping[UUID, Fulfilment],
    packed: Mapping[UUID, int],
) -> None:
    """Complete the pieces of a shipment that wait for the shipping step of their workflow.

    They go through a run of that shipping, as if a client had created it.
    """
    by_method: dict[Shipping | None, list[Piece]] = {}
    for key, quantity in packed.items():
        each = progress[key]
        missing = each.shipped + quantity - each.complete
        for piece in _waiting(key, max(0, missing)):
            by_method.setdefault(piece.step.shipping if piece.step else None, []).append(piece)
    for method, pieces in by_method.items():
        name = f"Shipment {order.number}-{row.number}"
        run = runs.create(
            actor=actor,
            operation=Run.Operation.SHIPPING,
            pieces=pieces,
            name=name,
            shipping=method,
        )
        runs.move(run, Run.Status.IN_PROGRESS)
        runs.move(run, Run.Status.COMPLETE)


def _waiting(line_item: UUID, count: int) -> QuerySet[Piece]:
    rows = Piece.objects.filter(WAITS_FOR_SHIPPING, line_item=line_item)
    return rows.select_related("step__shipping").order_by("number")[:count]
