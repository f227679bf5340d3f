"""Admin: slices."""

from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html

from apps.slicing.models import Slice
from apps.slicing.services import slices
from core.auth_user import admin_user
from core.web.admin_base import ReadOnlyPage


@admin.register(Slice)
class SliceAdmin(ReadOnlyPage):
    list_display = ["uuid", "status", "percent", "config", "owner", "slice_time", "created"]
    list_filter = ["status", "config__engine", "created"]
    search_fields = ["uuid", "model_uri", "owner__username", "key"]
    ordering = ["-uuid"]
    list_select_related = ["owner", "config"]
    readonly_fields = ["gcode"]
    actions = ["cancel", "slice_again"]
    failed = Q(status=Slice.Status.ERROR, deleted=None)
    again = "slice_again"

    @admin.display(description="progress")
    def percent(self, row: Slice) -> str:
        return f"{row.progress:.0%}"

    @admin.display(description="gcode")
    def gcode(self, row: Slice) -> str:
        location = row.content_location()
        return format_html('<a href="{}">download</a>', location) if location else "-"

    @admin.action(description="Cancel pending slices", permissions=["act"])
    def cancel(self, request: HttpRequest, chosen: QuerySet[Slice]) -> None:
        cancelled = slices.cancel_slices(actor=admin_user(request), rows=chosen)
        messages.success(request, f"{cancelled} cancelled.")

    @admin.action(description="Retry failed slices", permissions=["act"])
    def slice_again(self, request: HttpRequest, chosen: QuerySet[Slice]) -> None:
        made, refused = slices.reslice(rows=chosen)
        messages.success(request, f"{made} sliced again.")
        for error in refused:
            messages.warning(request, error.title)
