"""URLs of the payment host."""

from django.urls import path

from apps.payment.views.charges import ChargeViewSet
from apps.payment.views.consents import ConsentViewSet
from apps.payment.views.invoices import InvoiceViewSet
from apps.payment.views.methods import PaymentMethodViewSet
from apps.payment.views.prices import PriceViewSet
from apps.payment.views.statuses import PaymentStatusViewSet
from apps.payment.views.stripe import StripeWebhookView
from apps.payment.views.tables import ChargesTable, InvoicesTable
from core.api.urls import READ, READ_LIST, document, resources

urlpatterns = [
    *resources(PriceViewSet),
    *resources(ConsentViewSet),
    *resources(PaymentStatusViewSet, collection=READ_LIST, one=READ),
    *resources(PaymentMethodViewSet, one={**READ, "delete": "destroy"}),
    *resources(ChargeViewSet, one=READ),
    path("charges.csv", ChargesTable.as_view(), name="charges-csv"),
    *resources(InvoiceViewSet, collection=READ_LIST, one={**READ, "put": "update"}),
    path("invoices.csv", InvoicesTable.as_view(), name="invoices-csv"),
    path("stripe-webhook/", StripeWebhookView.as_view(), name="stripe-webhook"),
    *document(
        "apps.payment.urls",
        "payment",
        about="Prices, consents, charges and invoices.",
    ),
]

handler404 = "core.api.exception_handler.not_found"
handler500 = "core.api.exception_handler.server_error"
