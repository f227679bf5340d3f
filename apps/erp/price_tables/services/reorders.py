"""Price the parts of an order again, for a visitor of a storefront."""

from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

from django.db import transaction

from apps.erp.orders.models.orders import LineItem, Order
from apps.erp.orders.models.prices import CustomerGroup
from apps.erp.orders.models.storefronts import Storefront
from apps.erp.organisation.domain.finishing import finishes_of
from apps.erp.price_tables.services import storefront_orders
from apps.erp.price_tables.services.storefront_orders import OFFERED, CellChoice
from apps.users import interface as users
from apps.warehouse import interface as warehouse
from core.auth_user import Person
from core.errors import InvalidFields

MAX_LINES = 100


class ReorderedLine(NamedTuple):
    """A part of an order: the cell that has its price now, or the reason why there is none."""

    name: str
    cell: CellChoice | None
    reason: str = ""


@transaction.atomic
def price_again(
    *,
    guest: Person,
    storefront: Storefront,
    order: Order,
    line_items: Collection[UUID] = (),
    group: CustomerGroup | None = None,
) -> list[ReorderedLine]:
    """Copy the models of an order for a guest, and price them as they were ordered.

    line_items : keys of the parts; all parts of the order where empty
    group      : of a customer who is signed in, for their prices

    Only files that visitors have uploaded are copied. A part whose file is gone, or that the
    storefront does not offer so any more, has a reason.

    Raises RateLimited and QuotaExceeded where the guest may have no more models.
    """
    rows = order.line_items.exclude(status=LineItem.Status.CANCELLED)
    items = list(
        (rows.filter(pk__in=line_items) if line_items else rows)
        .select_related("base_material", "workflow")
        .prefetch_related("workflow__steps__post_processor_type")
        .order_by("pk")[:MAX_LINES]
    )
    owners = warehouse.owners_of({item.model_uri for item in items if item.model_uri})
    guests = users.guests.guests_among(owners.values())
    uploaded = {uri for uri, owner in owners.items() if owner in guests}
    materials = [each.uri for each in storefront.materials.all()]
    lines: list[ReorderedLine] = []
    for item in items:
        material = item.base_material.uri if item.base_material else ""
        if item.model_uri not in uploaded:
            lines.append(ReorderedLine(item.name, None, "file-gone"))
        elif material not in materials:
            lines.append(ReorderedLine(item.name, None, "not-offered"))
        else:
            lines.append(_priced(guest, storefront, item, material, group))
    return lines


def _priced(
    guest: Person,
    storefront: Storefront,
    item: LineItem,
    material: str,
    group: CustomerGroup | None,
) -> ReorderedLine:
    try:
        with transaction.atomic():
            model = warehouse.copy_model(uri=item.model_uri or "", owner=guest)
            table = storefront_orders.new_table(
                guest=guest,
                storefront=storefront,
                models=[model],
                quantities=[item.quantity],
                finishes=[[kind.uri for kind in finishes_of(item.workflow)]],
                options={name: getattr(item, name) or None for name in OFFERED},
                group=group,
            )
    except warehouse.ModelGone:
        return ReorderedLine(item.name, None, "file-gone")
    except InvalidFields:
        return ReorderedLine(item.name, None, "not-offered")
    for at, cell in enumerate(storefront_orders.offered_cells(table)):
        if cell["material"] == material and cell["net"] is not None:
            return ReorderedLine(item.name, CellChoice(table.pk, at))
    return ReorderedLine(item.name, None, "no-price")
