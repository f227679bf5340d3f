"""{payment_url}: consents."""

from typing import Any

from apps.payment.models import Consent
from apps.payment.serializers.consent import ConsentSerializer, consent_resource
from apps.payment.services import consents
from core.api import lists
from core.api.lists import Column, Listing
from core.api.views import ResourceViewSet


class ConsentViewSet(ResourceViewSet):
    kind = Consent
    related = ("owner",)
    serializer_class = ConsentSerializer
    listing = Listing(
        filters={
            "namespace": Column("namespace"),
            "action": Column("action"),
            "consented": Column("consented", lists.boolean),
            "user_uri": Column("owner_id", lists.key_in_uri),
            "created": Column("created", lists.time, ordered=True),
        },
        sort={"created": "uuid", "namespace": "namespace", "action": "action"},
    )

    def represent(self, row: Consent) -> dict[str, Any]:
        return consent_resource(row)

    def perform_create(self, values: dict[str, Any]) -> Consent:
        return consents.create_consent(user=self.caller, **values)

    def perform_update(self, row: Consent, values: dict[str, Any]) -> None:
        consents.update_consent(user=self.caller, consent=row, **values)

    def perform_destroy(self, row: Consent) -> None:
        consents.delete_consent(user=self.caller, consent=row)
