"""Views: price tables."""

from typing import Any

from django.db.models import Q, QuerySet

from apps.erp.base.models.access import readable_by
from apps.erp.base.views.resources import RowViewSet
from apps.erp.orders.models.prices import Customer, PriceTable
from apps.erp.orders.services.price_lists import sees_prices
from apps.erp.price_tables.serializers.price_tables import (
    PriceTableAnswer,
    PriceTableSerializer,
    price_table_resource,
)
from apps.erp.price_tables.services import price_tables
from core import uris
from core.api.fields import ValidatedData
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.errors import InvalidFields, ServiceError


class _ModelColumn(Column):
    """The models of a table, which are an array of its request."""

    def among(self, values: str) -> Q:
        tables = Q()
        for uri in values.split(","):
            tables |= Q(asked__models__contains=[uri])
        return tables


class PriceTableViewSet(RowViewSet):
    """Read by whoever reads the bureau, and by the customer whom it is for."""

    kind = PriceTable
    serializer_class = PriceTableSerializer
    answers = PriceTableAnswer
    writes = price_tables
    listing = ListOptions(
        filters={
            "bureau": Column("bureau_id", list_queries.key_in_uri),
            "customer": Column("customer_id", list_queries.key_in_uri),
            "status": Column("status"),
            "model": _ModelColumn("asked", uris.canonical),
            "created": Column("created", list_queries.time, ordered=True),
        },
        sort={"created": "uuid", "updated": "updated"},
    )

    def rows(self) -> QuerySet:
        theirs = Q(customer__in=Customer.objects.filter(user=self.caller))
        of_bureaus = readable_by(PriceTable, self.caller)
        rows = PriceTable.objects.filter(Q(pk__in=of_bureaus.values("pk")) | theirs)
        return rows.select_related("customer")

    def represent(self, row: PriceTable) -> PriceTableAnswer:
        is_theirs = row.customer is not None and row.customer.user_id == self.caller.pk
        return price_table_resource(row, priced=is_theirs or sees_prices(self.caller, row))

    def listed(self) -> QuerySet:
        return self.rows()

    def perform_create(self, values: ValidatedData) -> PriceTable:
        _refuse(values, ("order", "cells"), "A table is ordered by after it was made.")
        values.setdefault("finishes", [[]])
        values.setdefault("due", [None])
        return price_tables.create(actor=self.caller, **values)

    def perform_update(self, row: PriceTable, values: ValidatedData) -> None:
        others = sorted(values.keys() - {"order", "cells"})
        _refuse(values, others, "A table does not change: ask for another.")
        if not values:
            return  # it was put back as it was read
        missing = [name for name in ("order", "cells") if name not in values]
        if missing:
            title = "Name the order and the cells that it is to have."
            code = "missing-parameter"
            raise InvalidFields([ServiceError(title, code=code, field=name) for name in missing])
        price_tables.change(actor=self.caller, row=row, **values)


def _refuse(values: ValidatedData, names: Any, title: str) -> None:
    faults: list[ServiceError] = [
        ServiceError(title, code="cannot-set-property", field=name)
        for name in names
        if name in values
    ]
    if faults:
        raise InvalidFields(faults)
