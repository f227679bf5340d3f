"""Every host that is not ours: no URLs, so that each path is 404."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []

handler404 = "core.api.exception_handler.not_found"
handler500 = "core.api.exception_handler.server_error"
