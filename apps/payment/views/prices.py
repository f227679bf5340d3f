"""Views: prices."""

from django.db.models import QuerySet

from apps.payment.models import Price
from apps.payment.serializers.price import PriceSerializer, price_resource
from apps.payment.services import prices
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.views import ResourceViewSet


class PriceViewSet(ResourceViewSet):
    kind = Price
    serializer_class = PriceSerializer
    represent = staticmethod(price_resource)
    writes = prices
    listing = ListOptions(
        filters={
            "namespace": Column("namespace"),
            "action": Column("action"),
            "service": Column("service", list_queries.uri),
            "currency": Column("currency"),
            "amount": Column("amount", list_queries.number, ordered=True),
            "created": Column("created", list_queries.time, ordered=True),
        },
        sort={"created": "uuid", "namespace": "namespace", "action": "action", "amount": "amount"},
    )

    def rows(self) -> QuerySet[Price]:
        return Price.objects.filter(deleted=None)

    def may(self, row: Price, right: str) -> bool:
        return self.caller.is_staff
