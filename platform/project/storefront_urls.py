"""URLconf of a shop's own domain: its storefront, its orders, and its customers' accounts."""

from django.urls import include, path

urlpatterns = [
    path("", include("apps.console.customer_urls")),
    path("", include("apps.erp.brand_urls")),
]

handler404 = "apps.console.views.base.errors.store_not_found"
handler500 = "apps.console.views.base.errors.server_error"
