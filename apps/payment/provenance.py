"""Provenance relations of charges and invoices."""

from apps.payment.models import Charge, Invoice
from core.provenance import End, Kind, Relation, Tracing, key_in, uri_in

TRACING = Tracing(
    kinds=(
        Kind(Charge, name="action", facts=("namespace", "amount", "currency", "created")),
        Kind(Invoice, name="month", facts=("currency", "issued", "due", "payment_uuid")),
    ),
    relations=(
        uri_in(Charge, "charged-as", "source"),
        key_in(Charge, "corrected-by", "corrects_id", Charge),
        Relation(
            "invoiced-on",
            Charge.objects.visible_to,
            source=End("pk", Charge),
            target=End("invoice_id", Invoice),
        ),
    ),
)
