"""Operators' pages: models and snapshots."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html

from apps.warehouse.models import Model, Snapshot, content_location, picture_location
from apps.warehouse.services import models as services
from core.admin import Watched


@admin.register(Model)
class ModelAdmin(Watched):
    list_display = ["uuid", "name", "type", "status", "manifold", "owner", "created", "deleted"]
    list_filter = ["status", "type", "created", "deleted"]
    search_fields = ["uuid", "name", "owner__username", "content__sha256"]
    ordering = ["-uuid"]
    list_select_related = ["owner"]
    readonly_fields = ["image", "file"]
    actions = ["restore", "judge_again"]

    @admin.display(boolean=True)
    def manifold(self, model: Model) -> bool | None:
        return model.findings.get("manifold")

    @admin.display(description="picture")
    def image(self, model: Model) -> str:
        location = picture_location(model.picture_id, model.name)
        return format_html('<img src="{}" width="400" alt="">', location) if location else "-"

    @admin.display(description="file")
    def file(self, model: Model) -> str:
        location = content_location(model)
        return format_html('<a href="{}">download</a>', location) if location else "-"

    @admin.action(description="Restore what was deleted", permissions=["view"])
    def restore(self, request: HttpRequest, chosen: QuerySet[Model]) -> None:
        restored = services.restore_models(models=chosen)
        messages.success(request, f"{restored} restored.")

    @admin.action(description="Send to analysis again what is stuck", permissions=["view"])
    def judge_again(self, request: HttpRequest, chosen: QuerySet[Model]) -> None:
        sent = services.judge_again(models=chosen)
        messages.success(request, f"{sent} sent to analysis.")


@admin.register(Snapshot)
class SnapshotAdmin(Watched):
    list_display = ["uuid", "model", "is_default", "status", "percent", "created"]
    list_filter = ["status", "is_default", "created"]
    search_fields = ["uuid", "model__uuid", "model__name"]
    ordering = ["-uuid"]
    list_select_related = ["model"]
    readonly_fields = ["image"]

    @admin.display(description="progress")
    def percent(self, snapshot: Snapshot) -> str:
        return f"{snapshot.progress:.0%}"

    @admin.display(description="picture")
    def image(self, snapshot: Snapshot) -> str:
        location = picture_location(snapshot.content_id, snapshot.model.name)
        return format_html('<img src="{}" width="400" alt="">', location) if location else "-"
