"""`admin.`: the operators' pages."""

from django.contrib import admin
from django.urls import path

admin.site.site_header = admin.site.site_title = "Manufacturing platform"
admin.site.index_title = "Operators' pages"

urlpatterns = [path("", admin.site.urls)]

handler404 = "core.api.errors.not_found"
