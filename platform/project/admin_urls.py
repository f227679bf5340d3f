"""URLconf of the admin host."""

from django.contrib import admin
from django.urls import path

urlpatterns = [path("", admin.site.urls)]

handler404 = "core.api.exception_handler.not_found"
