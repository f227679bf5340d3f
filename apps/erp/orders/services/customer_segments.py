"""Segments of customers (companies, unpaid, storefront, ...) and orders of their lists."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db.models import (
    Case,
    CharField,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Cast, Coalesce, Concat, Lower
from django.utils.module_loading import import_string
from django.utils.timezone import localdate as today

from apps.erp.base.model_fields import Money
from apps.erp.base.models.bureaus import Bureau
from apps.erp.orders.domain.documents.billing import BILLED
from apps.erp.orders.models.documents import Document, DocumentType
from apps.erp.orders.models.orders import Order
from apps.erp.orders.models.prices import CustomerQuerySet
from apps.erp.orders.services.customer_summaries import YEAR
from apps.erp.orders.services.price_lists import priced_bureaus
from core.api.lists.list_queries import Column
from core.auth_user import Person


@dataclass(frozen=True)
class SegmentColumn(Column):
    """A filter by names of conditions; one of them suffices."""

    conditions: Mapping[str, Q] | None = None

    def among(self, values: str) -> Q:
        """The rows for which one of these conditions holds. Raises KeyError."""
        conditions = self.conditions or {}
        chosen = Q(pk__in=())
        for name in values.split(","):
            chosen |= conditions[name]
        return chosen


_NO_KEY = UUID(int=0)
SEGMENT = SegmentColumn("segment", conditions=CustomerQuerySet.SEGMENTS)


def with_segments(rows: QuerySet, caller: Person) -> QuerySet:
    """Return customers with what their segments and their orders by balance and revenue read.

    No customer is unpaid, and all amounts are 0, where `caller` does not see prices.
    """
    orders = Order.objects.filter(customer=OuterRef("pk"), bureau=OuterRef("bureau")).order_by()
    unpaid = orders.filter(balance__gt=0)
    is_priced = Q()
    if not caller.is_staff:
        bureaus = priced_bureaus(caller)
        unpaid = unpaid.filter(bureau__in=bureaus)
        is_priced = Q(bureau__in=bureaus)
    sums = unpaid.values("customer").annotate(sum=Sum("balance")).values("sum")
    zero = Value(0, output_field=Money())
    revenue = Coalesce(Subquery(_revenues()), zero)
    return rows.alias(
        has_open_orders=Exists(orders.filter(status__in=Order.OPEN)),
        is_unpaid=Exists(unpaid),
        has_storefront_account=Exists(_storefront_accounts()),
        balance=Coalesce(Subquery(sums), 0, output_field=Money()),
        revenue=Case(When(is_priced, then=revenue), default=zero) if is_priced else revenue,
    )


def _storefront_accounts() -> QuerySet:
    """The storefront accounts of the address of a customer in the shop of its bureau."""
    first, last = Bureau.uri_of(_NO_KEY).split(str(_NO_KEY))
    key = Cast(OuterRef("bureau"), CharField())
    uri = Concat(Value(first), key, Value(last), output_field=CharField())
    accounts: QuerySet = import_string(settings.STOREFRONT_ACCOUNTS_HOOK)()
    return accounts.filter(bureau=uri, email=Lower(OuterRef("email"))).order_by()


def _revenues() -> QuerySet:
    """The revenue of a customer as in its summary, whatever the currency."""
    # An index has the columns that are read here; that of the bureau is not among them.
    rows = Document.objects.filter(
        customer=OuterRef("pk"), type__in=BILLED, issued_on__gt=today() - YEAR
    )
    is_credit = Q(type=DocumentType.CREDIT_NOTE)
    signed = Case(When(is_credit, then=-F("net")), default="net", output_field=Money())
    return rows.order_by().values("customer").annotate(sum=Sum(signed)).values("sum")
