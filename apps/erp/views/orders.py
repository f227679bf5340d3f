"""{erp_url}: orders, line items and quotes."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Prefetch, QuerySet

from apps.erp import models
from apps.erp.serializers.orders import (
    LineItemSerializer,
    OrderSerializer,
    QuoteSerializer,
    line_item_resource,
    order_resource,
)
from apps.erp.serializers.rows import listing_of
from apps.erp.services import line_items, orders, quotes, rights
from apps.erp.services.prices import priced_bureaus
from apps.erp.views.rows import RowViewSet
from apps.warehouse import interface as warehouse
from core import uris


class OrderViewSet(RowViewSet):
    kind = models.Order
    serializer_class = OrderSerializer
    listing = listing_of(models.Order)

    def rows(self) -> QuerySet:
        items = models.LineItem.objects.only("pk", "order_id")
        found = models.Quote.objects.only("pk", "order_id", "status")
        return (
            super()
            .rows()
            .prefetch_related(Prefetch("line_items", items), Prefetch("quotes", found))
        )

    def represent(self, row: models.Order) -> dict[str, Any]:
        return order_resource(row)

    def perform_create(self, values: dict[str, Any]) -> models.Order:
        values.pop("status", None)
        return orders.create(actor=self.caller, **values)

    def perform_update(self, row: models.Order, values: dict[str, Any]) -> None:
        given: Any = self.request.data
        named = given.get("uri")
        put_back = isinstance(named, str) and uris.canonical(named) == row.uri
        if put_back and values.get("status") != models.Order.Status.CANCELLED:
            values.pop("status", None)
        orders.change(actor=self.caller, order=row, **values)

    def perform_destroy(self, row: models.Order) -> None:
        rights.require_to_change(self.caller, row)
        orders.delete(order=row)


class LineItemViewSet(RowViewSet):
    kind = models.LineItem
    serializer_class = LineItemSerializer
    listing = listing_of(models.LineItem)

    def represent(self, row: models.LineItem) -> dict[str, Any]:
        return self.represent_all([row])[0]

    def represent_all(self, rows: Sequence[models.LineItem]) -> list[dict[str, Any]]:
        pictures = warehouse.pictures_of({row.model for row in rows if row.model})
        sellers = priced_bureaus(self.caller)
        return [
            line_item_resource(
                row,
                pictures.get(row.model or ""),
                selling=self.caller.is_staff or row.bureau_id in sellers,
            )
            for row in rows
        ]

    def perform_create(self, values: dict[str, Any]) -> models.LineItem:
        return line_items.create(actor=self.caller, **values)

    def perform_update(self, row: models.LineItem, values: dict[str, Any]) -> None:
        line_items.change(actor=self.caller, row=row, **values)

    def perform_destroy(self, row: models.LineItem) -> None:
        rights.require_to_change(self.caller, row)
        line_items.delete(row=row)


class QuoteViewSet(RowViewSet):
    kind = models.Quote
    serializer_class = QuoteSerializer
    listing = listing_of(models.Quote)

    def perform_create(self, values: dict[str, Any]) -> models.Quote:
        return quotes.create(actor=self.caller, **values)

    def perform_update(self, row: models.Quote, values: dict[str, Any]) -> None:
        quotes.change(quote=row, status=values.get("status", row.status))

    def perform_destroy(self, row: models.Quote) -> None:
        rights.require_to_change(self.caller, row)
        quotes.delete(quote=row)
