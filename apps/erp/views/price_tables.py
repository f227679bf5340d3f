"""{erp_url}: price tables."""

from typing import Any

from django.db.models import Q, QuerySet
from rest_framework.request import Request

from apps.erp import models
from apps.erp.models.access import readable
from apps.erp.serializers.price_tables import (
    PriceTableAnswer,
    PriceTableSerializer,
    price_table_resource,
)
from apps.erp.services import price_tables, rights
from core.api import lists
from core.api.lists import Column, Listing
from core.api.views import ResourceViewSet
from core.errors import InvalidFields, ServiceError


class PriceTableViewSet(ResourceViewSet):
    """Read by whoever reads the bureau, and by the customer whom it is for."""

    kind = models.PriceTable
    serializer_class = PriceTableSerializer
    answer_class = PriceTableAnswer
    listing = Listing(
        filters={
            "bureau": Column("bureau_id", lists.key_in_uri),
            "customer": Column("customer_id", lists.key_in_uri),
            "status": Column("status"),
            "created": Column("created", lists.time, ordered=True),
        },
        sort={"created": "uuid", "updated": "updated"},
    )

    def rows(self) -> QuerySet:
        theirs = Q(customer__in=models.Customer.objects.filter(user=self.caller))
        of_bureaus = readable(models.PriceTable, self.caller)
        return models.PriceTable.objects.filter(Q(pk__in=of_bureaus.values("pk")) | theirs)

    def represent(self, row: models.PriceTable) -> dict[str, Any]:
        return price_table_resource(row)

    def read(self, request: Request, row: Any = None) -> dict[str, Any]:
        given: Any = request.data
        if row is None:
            rights.require_to_create(self.caller, self.kind, given)
        else:
            rights.require_to_change(self.caller, row)
        return super().read(request, row)

    def perform_create(self, values: dict[str, Any]) -> models.PriceTable:
        _refuse(values, ("order", "cells"), "A table is ordered by after it was made.")
        values.setdefault("finishes", [[]])
        values.setdefault("due", [None])
        return price_tables.create(actor=self.caller, **values)

    def perform_update(self, row: models.PriceTable, values: dict[str, Any]) -> None:
        others = sorted(values.keys() - {"order", "cells"})
        _refuse(values, others, "A table does not change: ask for another.")
        missing = [name for name in ("order", "cells") if name not in values]
        if missing:
            words = "Name the order and the cells that it is to have."
            code = "missing-parameter"
            raise InvalidFields([ServiceError(words, code=code, field=name) for name in missing])
        price_tables.order(actor=self.caller, table=row, **values)

    def perform_destroy(self, row: models.PriceTable) -> None:
        rights.require_to_change(self.caller, row)
        row.delete()


def _refuse(values: dict[str, Any], names: Any, words: str) -> None:
    faults: list[ServiceError] = [
        ServiceError(words, code="cannot-set-property", field=name)
        for name in names
        if name in values
    ]
    if faults:
        raise InvalidFields(faults)
