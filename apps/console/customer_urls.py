"""URLs of the pages for customers of shops, which a domain of a shop's own has."""

from django.urls import path

from apps.console.views.base import preferences
from apps.console.views.orders import print_reports
from apps.console.views.storefront import (
    checkout,
    customer_account,
    embed,
    order_link,
    reorder,
    storefront,
)

PAGES = [
    path("embed.js", embed.script, name="embed"),
    path("s/<slug:slug>/", storefront.store, name="store"),
    path("s/<slug:slug>/visit/", storefront.begin, name="store-visit"),
    path("s/<slug:slug>/file/", storefront.add_file, name="store-files"),
    path("s/<slug:slug>/file/<uuid:uuid>/", storefront.file, name="store-file"),
    path("s/<slug:slug>/prices/", storefront.ask_prices, name="store-prices"),
    path("s/<slug:slug>/cart/", storefront.choose, name="store-cart"),
    path("s/<slug:slug>/reorder/", reorder.reorder, name="store-reorder"),
    path("s/<slug:slug>/checkout/", checkout.checkout, name="store-checkout"),
    path("s/<slug:slug>/account/", customer_account.account, name="store-account"),
    path(
        "s/<slug:slug>/account/link/<str:token>/",
        customer_account.link,
        name="store-account-link",
    ),
    path(
        "s/<slug:slug>/account/approvals/<uuid:uuid>/",
        customer_account.approval,
        name="store-approval",
    ),
    path("s/<slug:slug>/account/details/", customer_account.details, name="store-details"),
    path("s/<slug:slug>/account/sign-out/", customer_account.sign_out, name="store-sign-out"),
    path("o/<str:token>/", order_link.shared_order, name="order-link"),
    path("o/<str:token>/decision/<uuid:uuid>/", print_reports.decide, name="print-decision"),
    path("o/<str:token>/print-reports/", print_reports.shared_reports_file, name="shared-reports"),
    path("language/", preferences.choose_language, name="language"),
]

urlpatterns = [path("", storefront.own_page, name="own-storefront"), *PAGES]
