"""Views: payment methods."""

from apps.payment.models import PaymentMethod
from apps.payment.serializers.method import PaymentMethodSerializer, method_resource
from apps.payment.services import methods
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.views import ResourceViewSet


class PaymentMethodViewSet(ResourceViewSet):
    kind = PaymentMethod
    related = ("owner",)
    serializer_class = PaymentMethodSerializer
    represent = staticmethod(method_resource)
    writes = methods
    listing = ListOptions(
        filters={
            "type": Column("type"),
            "status": Column("status"),
            "user_uri": Column("owner_id", list_queries.key_in_uri),
            "created": Column("created", list_queries.time, ordered=True),
        },
        sort={"created": "uuid", "type": "type", "status": "status"},
    )
