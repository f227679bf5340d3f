"""Views: payment statuses."""

from typing import Any

from django.db.models import QuerySet
from rest_framework.request import Request

from apps.payment.models import PaymentStatus
from apps.payment.serializers.status import status_resource
from apps.payment.services.statuses import prepare_statuses
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.views import ResourceViewSet


class PaymentStatusViewSet(ResourceViewSet):
    kind = PaymentStatus
    represent = staticmethod(status_resource)
    listing = ListOptions(
        filters={
            "namespace": Column("price__namespace"),
            "action": Column("price__action"),
            "status": Column("status"),
            "user_uri": Column("owner_id", list_queries.key_in_uri),
        },
        sort={"created": "uuid"},
    )

    def initial(self, request: Request, *arguments: Any, **keys: Any) -> None:
        super().initial(request, *arguments, **keys)
        prepare_statuses(self.caller)

    def rows(self) -> QuerySet[PaymentStatus]:
        found = PaymentStatus.objects.filter(price__deleted=None).evaluated()
        return found if self.caller.is_staff else found.filter(owner=self.caller)
