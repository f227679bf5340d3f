"""Admin: configs."""

from django.contrib import admin
from django.utils.html import format_html

from apps.slicing.models import Config
from core.web.admin_base import ReadOnlyPage


@admin.register(Config)
class ConfigAdmin(ReadOnlyPage):
    list_display = ["uuid", "description", "engine", "kind", "owner", "created", "deleted"]
    list_filter = ["engine", "kind", "created", "deleted"]
    search_fields = ["uuid", "description", "owner__username"]
    ordering = ["-uuid"]
    list_select_related = ["owner"]
    readonly_fields = ["file"]

    @admin.display(description="file")
    def file(self, row: Config) -> str:
        return format_html('<a href="{}">download</a>', row.content_location())
