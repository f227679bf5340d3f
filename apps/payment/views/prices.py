"""{payment_url}: prices."""

from typing import Any

from django.db.models import QuerySet

from apps.payment.models import Price
from apps.payment.serializers.price import PriceSerializer, price_resource
from apps.payment.services import prices
from core.api import lists
from core.api.lists import Column, Listing
from core.api.views import ResourceViewSet


class PriceViewSet(ResourceViewSet):
    kind = Price
    serializer_class = PriceSerializer
    listing = Listing(
        filters={
            "namespace": Column("namespace"),
            "action": Column("action"),
            "service": Column("service", lists.uri),
            "currency": Column("currency"),
            "amount": Column("amount", lists.number, ordered=True),
            "created": Column("created", lists.time, ordered=True),
        },
        sort={"created": "uuid", "namespace": "namespace", "action": "action", "amount": "amount"},
    )

    def rows(self) -> QuerySet[Price]:
        return Price.objects.filter(deleted=None)

    def represent(self, row: Price) -> dict[str, Any]:
        return price_resource(row)

    def perform_create(self, values: dict[str, Any]) -> Price:
        return prices.create_price(user=self.caller, **values)

    def perform_update(self, row: Price, values: dict[str, Any]) -> None:
        prices.update_price(user=self.caller, price=row, **values)

    def perform_destroy(self, row: Price) -> None:
        prices.delete_price(user=self.caller, price=row)
