"""{payment_url}"""

from typing import Any

from django.urls import path

from apps.payment.views.charges import ChargeViewSet
from apps.payment.views.consents import ConsentViewSet
from apps.payment.views.invoices import InvoiceViewSet
from apps.payment.views.methods import PaymentMethodViewSet
from apps.payment.views.prices import PriceViewSet
from apps.payment.views.statuses import PaymentStatusViewSet
from apps.payment.views.stripe import StripeWebhookView
from apps.payment.views.tables import ChargesTable, InvoicesTable
from core.api.schema import openapi
from core.api.views import COLLECTION, RESOURCE

READ_ONLY: dict[str, Any] = {"get": "retrieve"}

urlpatterns = [
    path("price/", PriceViewSet.as_view(COLLECTION), name="price-list"),
    path("price/<uuid:uuid>/", PriceViewSet.as_view(RESOURCE), name="price-detail"),
    path("consent/", ConsentViewSet.as_view(COLLECTION), name="consent-list"),
    path("consent/<uuid:uuid>/", ConsentViewSet.as_view(RESOURCE), name="consent-detail"),
    path(
        "payment-status/", PaymentStatusViewSet.as_view({"get": "list"}), name="payment-status-list"
    ),
    path(
        "payment-status/<uuid:uuid>/",
        PaymentStatusViewSet.as_view(READ_ONLY),
        name="payment-status-detail",
    ),
    path("payment-method/", PaymentMethodViewSet.as_view(COLLECTION), name="payment-method-list"),
    path(
        "payment-method/<uuid:uuid>/",
        PaymentMethodViewSet.as_view({**READ_ONLY, "delete": "destroy"}),
        name="payment-method-detail",
    ),
    path("charge/", ChargeViewSet.as_view(COLLECTION), name="charge-list"),
    path("charge/<uuid:uuid>/", ChargeViewSet.as_view(READ_ONLY), name="charge-detail"),
    path("charges.csv", ChargesTable.as_view(), name="charges-csv"),
    path("invoice/", InvoiceViewSet.as_view({"get": "list"}), name="invoice-list"),
    path(
        "invoice/<uuid:uuid>/",
        InvoiceViewSet.as_view({**READ_ONLY, "put": "update"}),
        name="invoice-detail",
    ),
    path("invoices.csv", InvoicesTable.as_view(), name="invoices-csv"),
    path("stripe-webhook/", StripeWebhookView.as_view(), name="stripe-webhook"),
    path("openapi.json", openapi("apps.payment.urls", "payment"), name="openapi-payment"),
]

handler404 = "core.api.errors.not_found"
handler500 = "core.api.errors.server_error"
