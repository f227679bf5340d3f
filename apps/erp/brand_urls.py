"""URLs of the bare domain: what a bureau shows to everybody, and pictures by signed URL."""

from django.urls import path

from apps.erp.organisation.views import brands
from apps.erp.printing.views import cameras

urlpatterns = [
    path("brand/<uuid:uuid>.css", brands.style, name="brand-style"),
    path("brand/<uuid:uuid>.png", brands.logo, name="brand-logo"),
    path("camera/<str:key>.jpg", cameras.picture, name="camera-picture"),
]
