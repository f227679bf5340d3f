"""Every host that is not ours: no URLs, so that each path is 404."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []

handler404 = "core.api.errors.not_found"
handler500 = "core.api.errors.server_error"
