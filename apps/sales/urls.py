"""URLs of the sales host."""

from django.urls import path

from apps.sales.views.card_payments import (
    CardPaymentRefreshView,
    CardPaymentView,
    ShopStripeWebhookView,
)
from apps.sales.views.customer_accounts import (
    CustomerAccountViewSet,
    SignInByLinkView,
    SignInLinkView,
    SignInView,
)
from apps.sales.views.shared_orders import (
    AcceptQuoteView,
    SharedDecisionView,
    SharedOrderView,
    SharedReportsView,
)
from apps.sales.views.visits import StorefrontView, VisitViewSet
from core.api.urls import document, resources

urlpatterns = [
    *resources(VisitViewSet, one={"get": "retrieve", "put": "update"}),
    *resources(
        CustomerAccountViewSet,
        collection={"get": "list"},
        one={"get": "retrieve", "put": "update", "delete": "destroy"},
    ),
    path("customer-account/sign-in/", SignInView.as_view(), name="customer-sign-in"),
    path("customer-account/sign-in-link/", SignInLinkView.as_view(), name="customer-sign-in-link"),
    path(
        "customer-account/sign-in-by-link/",
        SignInByLinkView.as_view(),
        name="customer-sign-in-by-link",
    ),
    path(
        "customer-account/<uuid:uuid>/orders/",
        CustomerAccountViewSet.as_view({"get": "orders"}),
        name="customer-orders",
    ),
    path(
        "customer-account/<uuid:uuid>/parts/",
        CustomerAccountViewSet.as_view({"get": "parts"}),
        name="customer-parts",
    ),
    path(
        "customer-account/<uuid:uuid>/approvals/",
        CustomerAccountViewSet.as_view({"get": "approvals"}),
        name="customer-approvals",
    ),
    path(
        "customer-account/<uuid:uuid>/approvals/<uuid:key>/decision/",
        CustomerAccountViewSet.as_view({"post": "decide"}),
        name="customer-approval",
    ),
    path(
        "customer-account/<uuid:uuid>/sign-out/",
        CustomerAccountViewSet.as_view({"post": "sign_out"}),
        name="customer-sign-out",
    ),
    path("store/<slug:slug>/", StorefrontView.as_view(), name="visited-storefront"),
    path(
        "visit/<uuid:uuid>/price-table/",
        VisitViewSet.as_view({"post": "new_table"}),
        name="visit-price-tables",
    ),
    path(
        "visit/<uuid:uuid>/price-table/<uuid:key>/",
        VisitViewSet.as_view({"get": "table"}),
        name="visit-price-table",
    ),
    path(
        "visit/<uuid:uuid>/order/",
        VisitViewSet.as_view({"post": "order"}),
        name="visit-order",
    ),
    path(
        "visit/<uuid:uuid>/sign-in/",
        VisitViewSet.as_view({"post": "sign_in"}),
        name="visit-sign-in",
    ),
    path(
        "visit/<uuid:uuid>/reorder/",
        VisitViewSet.as_view({"post": "reorder"}),
        name="visit-reorder",
    ),
    path("shared-order/<str:token>/", SharedOrderView.as_view(), name="shared-order"),
    path("shared-order/<str:token>/accept/", AcceptQuoteView.as_view(), name="accept-quote"),
    path(
        "shared-order/<str:token>/print-decision/",
        SharedDecisionView.as_view(),
        name="shared-print-decision",
    ),
    path(
        "shared-order/<str:token>/print-reports/",
        SharedReportsView.as_view(),
        name="shared-print-reports",
    ),
    path("shared-order/<str:token>/card-payment/", CardPaymentView.as_view(), name="card-payment"),
    path(
        "shared-order/<str:token>/card-payment/refresh/",
        CardPaymentRefreshView.as_view(),
        name="card-payment-refresh",
    ),
    path("stripe/<uuid:uuid>/", ShopStripeWebhookView.as_view(), name="shop-stripe-webhook"),
    *document("apps.sales.urls", "sales", about="Sales to visitors of storefronts."),
]

handler404 = "core.api.exception_handler.not_found"
handler500 = "core.api.exception_handler.server_error"
