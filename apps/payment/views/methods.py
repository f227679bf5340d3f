"""{payment_url}: methods of payment."""

from typing import Any

from apps.payment.models import PaymentMethod
from apps.payment.serializers.method import PaymentMethodSerializer, method_resource
from apps.payment.services import methods
from core.api import lists
from core.api.lists import Column, Listing
from core.api.views import ResourceViewSet


class PaymentMethodViewSet(ResourceViewSet):
    kind = PaymentMethod
    related = ("owner",)
    serializer_class = PaymentMethodSerializer
    listing = Listing(
        filters={
            "type": Column("type"),
            "status": Column("status"),
            "user_uri": Column("owner_id", lists.key_in_uri),
            "created": Column("created", lists.time, ordered=True),
        },
        sort={"created": "uuid", "type": "type", "status": "status"},
    )

    def represent(self, row: PaymentMethod) -> dict[str, Any]:
        return method_resource(row)

    def perform_create(self, values: dict[str, Any]) -> PaymentMethod:
        return methods.create_method(user=self.caller, **values)

    def perform_destroy(self, row: PaymentMethod) -> None:
        methods.delete_method(user=self.caller, method=row)
