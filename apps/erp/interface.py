"""Public interface of manufacturing for the project's hooks."""

from collections.abc import Collection
from uuid import UUID

from django.contrib.auth import get_user_model

from apps.erp.base.models.access import readable_by
from apps.erp.base.models.bureaus import Bureau, Location
from apps.erp.inventory.domain import lots
from apps.erp.orders.domain import customer_pages as customer_pages
from apps.erp.orders.domain.documents import document_numbers
from apps.erp.orders.domain.prices.order_totals import OrderTotals as OrderTotals
from apps.erp.orders.models import documents, payments, print_reports, shipments
from apps.erp.orders.models.orders import LineItem, Order
from apps.erp.orders.models.pieces import Piece
from apps.erp.orders.models.prices import CustomerGroup as CustomerGroup
from apps.erp.orders.models.prices import PriceTable as PriceTable
from apps.erp.orders.models.storefronts import Storefront as Storefront
from apps.erp.orders.serializers.prices import VatNumberField as VatNumberField
from apps.erp.orders.serializers.print_reports import REPORT_FILE_ANSWERS as REPORT_FILE_ANSWERS
from apps.erp.orders.serializers.print_reports import report_file_response as report_file_response
from apps.erp.orders.services import approvals as approvals
from apps.erp.orders.services import card_payments as card_payments
from apps.erp.orders.services import customer_orders as customer_orders
from apps.erp.orders.services import print_decisions as print_decisions
from apps.erp.orders.services import print_report_files as print_report_files
from apps.erp.orders.services import share_links as share_links  # pages of customers
from apps.erp.orders.services.price_lists import priced_bureaus
from apps.erp.orders.services.storefront_pages import StorefrontPage as StorefrontPage
from apps.erp.orders.services.storefront_pages import storefront_page as storefront_page
from apps.erp.orders.services.storefronts import find_storefront as find_storefront
from apps.erp.organisation.serializers.brands import CustomerShop as CustomerShop
from apps.erp.organisation.serializers.brands import customer_shop as customer_shop
from apps.erp.organisation.services.invitations import is_invitation as is_invitation
from apps.erp.price_tables.services import reorders as reorders  # of customers
from apps.erp.price_tables.services import storefront_orders as storefront_orders
from apps.erp.printing.services.metrics import (
    agent_figures as agent_figures,  # what operators watch
)
from apps.erp.printing.services.slicer_digests import sender_of_digest as sender_of_digest
from apps.erp.printing.services.slicer_uploads import receive_file as receive_file  # of slicers
from apps.erp.printing.services.slicer_uploads import require_receivable as require_receivable
from apps.erp.printing.services.slicer_uploads import sender_of as sender_of
from apps.erp.production.models.attempts import Attempt
from apps.erp.production.models.runs import Run
from core.auth_user import Person
from core.errors import NotFound
from core.state_machine import EventScope, event_schemas

EVENTS = {
    **event_schemas(Attempt, Order, LineItem, Piece, PriceTable, print_reports.PrintReport, Run),
    **event_schemas(documents.Document, shipments.Shipment),
    **payments.EVENTS,
    **print_reports.EVENTS,
}


def broken_rules() -> list[str]:
    """What is wrong with the books of lots, and with the numbers of documents, in words."""
    return [*lots.broken_rules(), *document_numbers.broken_series()]


def line_items_in_production(models: Collection[str]) -> dict[str, dict[str, list[str]]]:
    """Return, by model, the line items that may still print it, and their orders; URIs.

    A piece that is rejected after printing is printed again: they are those that have not ended.
    """
    rows = LineItem.objects.filter(model_uri__in=models, status__in=LineItem.FOLLOWING)
    users: dict[str, dict[str, list[str]]] = {}
    for model, key, order in rows.order_by("pk").values_list("model_uri", "pk", "order_id"):
        users_of_model = users.setdefault(str(model), {"line_items": [], "orders": []})
        users_of_model["line_items"].append(LineItem.uri_of(key))
        if order and (uri := Order.uri_of(order)) not in users_of_model["orders"]:
            users_of_model["orders"].append(uri)
    return users


def reads_bureau(person: UUID, bureau: UUID) -> bool:
    """Whether the account `person` reads a bureau now; the keys of both."""
    user = get_user_model().objects.filter(pk=person, is_active=True).first()
    return user is not None and readable_by(Bureau, user).filter(pk=bureau).exists()


def readable_bureaus(person: Person) -> set[UUID]:
    """The keys of the bureaus that a person reads."""
    return set(readable_by(Bureau, person).values_list("pk", flat=True))


def board_of(*, bureau: str, location: str | None, user: Person) -> EventScope:
    """Where `user` hears what belongs to a bureau, all of it or at one location; both are URIs.

    Raises NotFound where they may not read it.
    """
    read = readable_by(Bureau, user).filter(pk__in=Bureau.keys_of(bureau)).first()
    if read is None:
        raise NotFound(f"{bureau} is not a bureau, or not for you.", field="bureau")
    is_seller = user.is_staff or read.pk in priced_bureaus(user)
    hidden = () if is_seller else ("estimates.cost.",)
    if location is None:
        return EventScope(read.pk, hidden=hidden)
    within = Location.objects.filter(pk__in=Location.keys_of(location), bureau=read).first()
    if within is None:
        raise NotFound(f"{location} is not a location of {read.uri}.", field="location")
    return EventScope(read.pk, within.pk, hidden)
