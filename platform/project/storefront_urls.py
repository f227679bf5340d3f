"""URLconf of a shop's own domain: its storefront, its orders, and its customers' accounts."""

from django.urls import include, path

from apps.console.urls import CUSTOMER_PAGES
from apps.console.views.storefront import storefront

urlpatterns = [
    path("", storefront.own_page, name="own-storefront"),
    *CUSTOMER_PAGES,
    path("", include("apps.erp.brand_urls")),
]

handler404 = "apps.console.views.base.errors.store_not_found"
handler500 = "apps.console.views.base.errors.server_error"
