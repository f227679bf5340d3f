"""What payment tells of what work cost."""

from apps.payment.models import Charge, Invoice
from core.links import End, Kind, Relation, Tracing

_CHARGE = End("pk", "payment", "charge-detail")

TRACING = Tracing(
    kinds=(
        Kind(
            "payment",
            "charge-detail",
            Charge.objects.visible_to,
            name="action",
            facts=("namespace", "amount", "currency", "created"),
        ),
        Kind(
            "payment",
            "invoice-detail",
            Invoice.objects.visible_to,
            name="month",
            facts=("currency", "issued", "due", "payment_uuid"),
        ),
    ),
    relations=(
        Relation(
            "charged-as", Charge.objects.visible_to, source=End("source", uri=True), target=_CHARGE
        ),
        Relation(
            "corrected-by",
            Charge.objects.visible_to,
            source=End("corrects_id", "payment", "charge-detail"),
            target=_CHARGE,
        ),
        Relation(
            "invoiced-on",
            Charge.objects.visible_to,
            source=_CHARGE,
            target=End("invoice_id", "payment", "invoice-detail"),
        ),
    ),
)
