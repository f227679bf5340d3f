"""URLs of the bare domain: what a bureau shows to everybody."""

from django.urls import path

from apps.erp.organisation.views import brands

urlpatterns = [
    path("brand/<uuid:uuid>.css", brands.style, name="brand-style"),
    path("brand/<uuid:uuid>.png", brands.logo, name="brand-logo"),
]
