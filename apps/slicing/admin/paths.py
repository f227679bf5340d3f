"""Admin: toolpaths of G-code layers."""

from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from apps.slicing.models import LayerPaths
from apps.slicing.services.layers import forget_failed
from core.web.admin_base import ReadOnlyPage


@admin.register(LayerPaths)
class LayerPathsAdmin(ReadOnlyPage):
    list_display = ["source_id", "status", "created"]
    list_filter = ["status", "created"]
    search_fields = ["source__sha256"]
    ordering = ["-created", "key"]
    actions = ["make_again"]
    failed = Q(status=LayerPaths.Status.ERROR)
    again = "make_again"

    @admin.action(description="Reset failed", permissions=["act"])
    def make_again(self, request: HttpRequest, chosen: QuerySet[LayerPaths]) -> None:
        forgotten = forget_failed(paths=chosen)
        messages.success(request, f"{forgotten} will be made again.")
