"""Visits of storefronts: begin one, price its parts, fill its cart, order."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TypedDict
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from apps.erp import interface as erp
from apps.sales.models import CustomerAccount, Visit
from apps.users import interface as users
from core.errors import InvalidFields, NotFound, ServiceError
from core.request_context import request_context
from core.web import throttling

HOUR = 3600
MEGABYTE = 10**6
MAX_TABLES, MAX_ORDERS = 60, 10  # of a visit in an hour
ORDERED_KEPT = timedelta(days=3650)  # files of a visit that ordered
# The services that a guest's token is for.
NAMESPACES = ("models", "sales")


class UnknownSession(NotFound):
    """No session of a customer of the shop has this token and secret."""


class CartEntry(TypedDict):
    """A cell of a price table, as a request names it."""

    price_table: str
    cell: int


def create(*, storefront: str) -> Visit:
    """Begin a visit of the storefront with this slug, by a new guest.

    Raises NotFound, and RateLimited beyond the visits that one address may begin in an hour.
    """
    shop = find_storefront(storefront)
    # Outside of the transaction, which would take the count back.
    place = throttling.client_prefix(request_context().address)
    throttling.throttle(f"visits {shop.pk} {place}", shop.visits_per_hour, HOUR)
    expires = timezone.now() + timedelta(days=shop.days_kept)
    limits = {"models_day": shop.max_files, "bytes": shop.max_megabytes * MEGABYTE}
    with transaction.atomic():
        guest = users.guests.create_guest(
            share=shop.pk, until=expires, namespaces=NAMESPACES, limits=limits
        )
        visit = Visit.objects.create(
            guest=guest.account, storefront=shop.slug, bureau=shop.bureau.uri, expires=expires
        )
    visit.token, visit.secret = str(guest.token), guest.secret
    return visit


def find_storefront(slug: str) -> erp.Storefront:
    """The enabled storefront with this slug. Raises NotFound."""
    row = erp.find_storefront(slug)
    if row is None:
        raise NotFound(f"There is no storefront {slug!r}.", field="storefront")
    return row


def new_table(
    visit: Visit,
    *,
    models: Sequence[str],
    quantities: Sequence[int] = (),
    finishes: Sequence[Sequence[str]] = (),
    **options: str | float | None,
) -> erp.PriceTable:
    """A price table of parts of a visit, with these finishes and print options of the storefront.

    Raises RateLimited, and InvalidFields for what is not offered.
    """
    throttling.throttle(f"visit_tables {visit.pk}", MAX_TABLES, HOUR)
    return erp.storefront_orders.new_table(
        guest=visit.guest,
        storefront=find_storefront(visit.storefront),
        models=models,
        quantities=quantities,
        finishes=finishes,
        options=options,
        group=_group_of(visit),
    )


def sign_in(visit: Visit, *, token: UUID, secret: str) -> None:
    """Give a visit the prices of a customer of the same shop, as long as that session lasts.

    token, secret : of the session. Raises UnknownSession.
    """
    user = users.guests.find_session(token, secret)
    account = CustomerAccount.objects.filter(user=user, bureau=visit.bureau).first()
    if user is None or account is None:
        raise UnknownSession("The session has ended, or is of another shop: sign in again.")
    visit.account, visit.session = account, token
    visit.save(update_fields=["account", "session"])


def account_of(visit: Visit) -> CustomerAccount | None:
    """Return the account of the customer who is signed in; None once the session has ended."""
    if visit.account is None or visit.session is None:
        return None
    is_current = users.guests.is_signed_in(visit.account.user_id, visit.session)
    return visit.account if is_current else None


def _email_of(visit: Visit) -> str:
    account = account_of(visit)
    return account.email if account else ""


def _group_of(visit: Visit) -> erp.CustomerGroup | None:
    email = _email_of(visit)
    if not email:
        return None
    return erp.storefront_orders.group_of(find_storefront(visit.storefront), email)


def find_table(visit: Visit, key: UUID) -> erp.PriceTable:
    """A price table of a visit. Raises NotFound."""
    storefront = find_storefront(visit.storefront)
    return erp.storefront_orders.find_table(guest=visit.guest, storefront=storefront, key=key)


def change(*, row: Visit, cart: Sequence[CartEntry]) -> None:
    """Replace the cart of a visit. Raises InvalidFields for a cell that cannot be ordered."""
    chosen = []
    for each in cart:
        if len(each) < len(CartEntry.__annotations__):  # a change may leave out fields
            title = "Each choice names its price_table and cell."
            raise InvalidFields([ServiceError(title, code="missing-parameter", field="cart")])
        prefix, key = f"{row.uri}price-table/", _key_of(each["price_table"])
        if key is None or not each["price_table"].startswith(prefix):
            raise _no_cell(f"{each['price_table']} is not a price table of this visit.")
        table = find_table(row, key)
        cells = erp.storefront_orders.offered_cells(table)
        if each["cell"] >= len(cells) or cells[each["cell"]]["net"] is None:
            raise _no_cell(f"Cell {each['cell']} of {each['price_table']} has no price.")
        chosen.append({"table": str(key), "cell": each["cell"]})
    row.cart = chosen
    row.save(update_fields=["cart"])


def _key_of(uri: str) -> UUID | None:
    try:
        return UUID(uri.rstrip("/").rpartition("/")[2])
    except ValueError:
        return None


def _no_cell(title: str) -> InvalidFields:
    code = "property-value-not-in-allowed-values"
    return InvalidFields([ServiceError(title, code=code, field="cart")])


def totals_of(visit: Visit) -> erp.OrderTotals | None:
    """What an order of the cart would come to; None for an empty cart, and while it is unknown."""
    storefront = erp.find_storefront(visit.storefront) if visit.cart else None
    if storefront is None:
        return None
    return erp.storefront_orders.totals_of_cells(
        guest=visit.guest, storefront=storefront, cells=_cells(visit), group=_group_of(visit)
    )


def order(visit: Visit, buyer: erp.storefront_orders.Buyer) -> erp.storefront_orders.PlacedOrder:
    """Order the cart of a visit, which is empty then; its files are kept for the shop.

    Raises RateLimited.
    """
    throttling.throttle(f"visit_orders {visit.pk}", MAX_ORDERS, HOUR)
    with transaction.atomic():
        return _order(visit, buyer)


def _order(visit: Visit, buyer: erp.storefront_orders.Buyer) -> erp.storefront_orders.PlacedOrder:
    locked = Visit.objects.select_for_update(of=("self",)).get(pk=visit.pk)
    placed = erp.storefront_orders.place_order(
        guest=locked.guest,
        storefront=find_storefront(locked.storefront),
        cells=_cells(locked),
        buyer=replace(buyer, group=_group_of(locked), account_email=_email_of(locked)),
    )
    locked.cart = []
    locked.save(update_fields=["cart"])
    users.guests.prolong_guest(locked.guest_id, timezone.now() + ORDERED_KEPT)
    return placed


def reorder(
    visit: Visit, *, token: str, address: str, line_items: Collection[UUID] = ()
) -> list[erp.reorders.ReorderedLine]:
    """Put the parts of an order, by the token of its share link, into the cart of a visit.

    At the prices of today; returns these parts of the order, of which some may have no price.

    address    : of the client; see `share_links.find`
    line_items : keys of the parts; all parts of the order where empty

    Raises UnknownShareLink, also for an order of another shop, RateLimited and QuotaExceeded.
    """
    throttling.throttle(f"visit_reorders {visit.pk}", MAX_ORDERS, HOUR)
    order = erp.share_links.find(token, address=address).order
    storefront = find_storefront(visit.storefront)
    if order.bureau_id != storefront.bureau_id:
        raise erp.share_links.UnknownShareLink("The order is of another shop.", field="token")
    with transaction.atomic():
        locked = Visit.objects.select_for_update(of=("self",)).get(pk=visit.pk)
        lines = erp.reorders.price_again(
            guest=visit.guest,
            storefront=storefront,
            order=order,
            line_items=line_items,
            group=_group_of(visit),
        )
        cells = [line.cell for line in lines if line.cell]
        locked.cart += [{"table": str(cell.table), "cell": cell.cell} for cell in cells]
        locked.save(update_fields=["cart"])
    return lines


def _cells(visit: Visit) -> list[erp.storefront_orders.CellChoice]:
    return [
        erp.storefront_orders.CellChoice(UUID(each["table"]), each["cell"]) for each in visit.cart
    ]
