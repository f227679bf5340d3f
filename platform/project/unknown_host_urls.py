"""URLconf of unknown hosts: every path is 404."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []

handler404 = "core.api.exception_handler.not_found"
handler500 = "core.api.exception_handler.server_error"
