"""Admin: uploaded G-code."""

from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html

from apps.slicing.models import Gcode
from apps.slicing.services import gcodes
from core.web.admin_base import ReadOnlyPage


@admin.register(Gcode)
class GcodeAdmin(ReadOnlyPage):
    list_display = ["uuid", "name", "status", "file_size", "owner", "created", "deleted"]
    list_filter = ["status", "created", "deleted"]
    search_fields = ["uuid", "name", "owner__username", "content__sha256"]
    ordering = ["-uuid"]
    list_select_related = ["owner"]
    readonly_fields = ["file"]
    actions = ["judge_again"]
    failed = Q(status=Gcode.Status.ERROR, deleted=None)
    again = "judge_again"

    @admin.display(description="file")
    def file(self, row: Gcode) -> str:
        location = row.content_location()
        return format_html('<a href="{}">download</a>', location) if location else "-"

    @admin.action(description="Re-run analysis (stuck or failed)", permissions=["act"])
    def judge_again(self, request: HttpRequest, chosen: QuerySet[Gcode]) -> None:
        sent = gcodes.reanalyse(gcodes=chosen)
        messages.success(request, f"{sent} sent to analysis.")
