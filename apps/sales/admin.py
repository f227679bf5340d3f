"""Admin: visits of storefronts."""

from django.contrib import admin

from apps.sales.models import Visit
from core.web.admin_base import ReadOnlyPage


@admin.register(Visit)
class VisitAdmin(ReadOnlyPage):
    """Visits that are not over."""

    list_display = ["uuid", "storefront", "created", "expires"]
    list_filter = ["created", "expires"]
    search_fields = ["uuid", "storefront", "bureau"]
    ordering = ["-uuid"]
