"""Views: charges."""

from uuid import UUID

from apps.payment.models import Charge
from apps.payment.serializers.charge import (
    CorrectionSerializer,
    charge_resource,
)
from apps.payment.services import charges
from core.api.fields import ValidatedData
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.views import ResourceViewSet
from core.errors import UnknownResource

CHARGES = ListOptions(
    filters={
        "namespace": Column("namespace"),
        "action": Column("action"),
        "status": Column("status"),
        "source": Column("source", list_queries.uri),
        "currency": Column("currency"),
        "amount": Column("amount", list_queries.number, ordered=True),
        "invoice_uuid": Column("invoice_id", UUID),
        "user_uri": Column("owner_id", list_queries.key_in_uri),
        "created": Column("created", list_queries.time, ordered=True),
    },
    sort={"created": "uuid", "amount": "amount", "status": "status"},
)


class ChargeViewSet(ResourceViewSet):
    kind = Charge
    serializer_class = CorrectionSerializer
    represent = staticmethod(charge_resource)
    listing = CHARGES

    def perform_create(self, values: ValidatedData) -> Charge:
        keys = Charge.keys_of(values["corrects"])
        charge = self.rows().filter(pk__in=keys).first()
        if charge is None:
            raise UnknownResource(f"{values['corrects']} is no charge.", field="corrects")
        return charges.correct(actor=self.caller, charge=charge, amount=values["amount"])
