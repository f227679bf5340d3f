"""Views: consents."""

from apps.payment.models import Consent
from apps.payment.serializers.consent import ConsentSerializer, consent_resource
from apps.payment.services import consents
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.views import ResourceViewSet


class ConsentViewSet(ResourceViewSet):
    kind = Consent
    related = ("owner",)
    serializer_class = ConsentSerializer
    represent = staticmethod(consent_resource)
    writes = consents
    listing = ListOptions(
        filters={
            "namespace": Column("namespace"),
            "action": Column("action"),
            "consented": Column("consented", list_queries.boolean),
            "user_uri": Column("owner_id", list_queries.key_in_uri),
            "created": Column("created", list_queries.time, ordered=True),
        },
        sort={"created": "uuid", "namespace": "namespace", "action": "action"},
    )

    def may(self, row: Consent, right: str) -> bool:
        return row.owner_id == self.caller.pk
