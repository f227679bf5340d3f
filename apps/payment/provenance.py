"""Provenance relations of charges and invoices."""

from apps.payment.models import Charge, Invoice
from core.provenance import Endpoint, ProvenanceSource, Relation, TracedKind, by_key, by_uri

TRACING = ProvenanceSource(
    kinds=(
        TracedKind(Charge, name="action", facts=("namespace", "amount", "currency", "created")),
        TracedKind(Invoice, name="month", facts=("currency", "issued", "due", "payment_uuid")),
    ),
    relations=(
        by_uri(Charge, "charged-as", "source"),
        by_key(Charge, "corrected-by", "corrects_id", Charge),
        Relation(
            "invoiced-on",
            Charge.objects.visible_to,
            source=Endpoint("pk", Charge),
            target=Endpoint("invoice_id", Invoice),
        ),
    ),
)
