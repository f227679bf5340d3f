"""Admin: models, snapshots and preview meshes."""

from django.contrib import admin, messages
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join

from apps.warehouse.models import (
    Model,
    ModelQuerySet,
    Rendition,
    Snapshot,
    content_location,
    picture_location,
)
from apps.warehouse.services import models as services
from apps.warehouse.services.conversions import CONVERSION_STATES
from apps.warehouse.services.renditions import forget_failed
from apps.warehouse.services.snapshots import rerender
from core.auth_user import admin_user
from core.web.admin_base import ReadOnlyPage


def image_of(sha256: str | None, name: str, *, width: int) -> str:
    """A stored picture, in a page."""
    location = picture_location(sha256, name)
    return format_html('<img src="{}" width="{}" alt="">', location, width) if location else "-"


def links_to(models: QuerySet[Model]) -> str:
    """Links to the pages of these models."""
    pages = [(reverse("admin:warehouse_model_change", args=[m.pk]), m.uuid) for m in models]
    return format_html_join(", ", '<a href="{}">{}</a>', pages) or "-"


class Made(admin.SimpleListFilter):
    """How the model came to be."""

    title = "origin"
    parameter_name = "origin"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        return [("uploaded", "uploaded"), ("made", "made from another")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Model]) -> QuerySet[Model]:
        if self.value() is None:
            return queryset
        made = Exists(Model.parents.through.objects.filter(from_model=OuterRef("pk")))
        return queryset.filter(~made if self.value() == "uploaded" else made)


class Converted(admin.SimpleListFilter):
    """How far the conversion of an upload is."""

    title = "conversion"
    parameter_name = "conversion"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        return [(state, state.replace("-", " ")) for state in CONVERSION_STATES]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Model]) -> QuerySet[Model]:
        if self.value() is None:
            return queryset
        return queryset.filter(status=Model.Status.INOPERABLE, conversion__status=self.value())


@admin.register(Model)
class ModelAdmin(ReadOnlyPage):
    list_display = [
        "small_image",
        "uuid",
        "name",
        "type",
        "status",
        "manifold",
        "owner",
        "created",
        "deleted",
    ]
    list_display_links = ["small_image", "uuid"]
    list_filter = ["status", "type", Made, Converted, "created", "deleted"]
    search_fields = ["uuid", "name", "owner__username", "content__sha256"]
    ordering = ["-uuid"]
    list_select_related = ["owner"]
    readonly_fields = ["image", "file", "made_of", "made_into"]
    exclude = ["picture", "parents"]  # shown as `image`, as `made_of`
    actions = ["delete_chosen", "restore", "judge_again"]
    failed = Q(status=Model.Status.ERROR, deleted=None)
    again = "judge_again"

    @admin.display(boolean=True)
    def manifold(self, model: Model) -> bool | None:
        return model.findings.get("manifold")

    @admin.display(description="picture")
    def small_image(self, model: Model) -> str:
        return image_of(model.picture_id, model.name, width=80)

    @admin.display(description="picture")
    def image(self, model: Model) -> str:
        return image_of(model.picture_id, model.name, width=400)

    @admin.display(description="parents")
    def made_of(self, model: Model) -> str:
        return links_to(model.parents.all())

    @admin.display(description="children")
    def made_into(self, model: Model) -> str:
        return links_to(model.children.all())

    @admin.display(description="file")
    def file(self, model: Model) -> str:
        location = content_location(model)
        return format_html('<a href="{}">download</a>', location) if location else "-"

    @admin.action(description="Delete (can be restored)", permissions=["act"])
    def delete_chosen(self, request: HttpRequest, chosen: QuerySet[Model]) -> None:
        deleted = services.delete_models(actor=admin_user(request), models=chosen)
        messages.success(request, f"{deleted} deleted.")

    @admin.action(description="Restore deleted", permissions=["act"])
    def restore(self, request: HttpRequest, chosen: ModelQuerySet) -> None:
        restored = services.restore_models(models=chosen)
        messages.success(request, f"{restored} restored.")

    @admin.action(description="Re-run analysis (stuck or failed)", permissions=["act"])
    def judge_again(self, request: HttpRequest, chosen: QuerySet[Model]) -> None:
        sent = services.reanalyse(models=chosen)
        messages.success(request, f"{sent} sent to analysis.")


@admin.register(Snapshot)
class SnapshotAdmin(ReadOnlyPage):
    list_display = ["uuid", "model", "owner", "is_default", "status", "percent", "created"]
    list_filter = ["status", "is_default", "created"]
    search_fields = ["uuid", "model__uuid", "model__name", "owner__username"]
    ordering = ["-uuid"]
    list_select_related = ["model", "owner"]
    readonly_fields = ["image"]
    actions = ["draw_again"]
    failed = Q(status=Snapshot.Status.ERROR)
    again = "draw_again"

    @admin.display(description="progress")
    def percent(self, snapshot: Snapshot) -> str:
        return f"{snapshot.progress:.0%}"

    @admin.display(description="picture")
    def image(self, snapshot: Snapshot) -> str:
        return image_of(snapshot.content_id, snapshot.model.name, width=400)

    @admin.action(description="Retry rendering", permissions=["act"])
    def draw_again(self, request: HttpRequest, chosen: QuerySet[Snapshot]) -> None:
        drawn = rerender(snapshots=chosen)
        messages.success(request, f"{drawn} will be drawn again.")


@admin.register(Rendition)
class RenditionAdmin(ReadOnlyPage):
    list_display = ["source_id", "kind", "triangles", "status", "created"]
    list_filter = ["kind", "status", "created"]
    search_fields = ["source__sha256"]
    ordering = ["-created", "key"]
    actions = ["make_again"]
    failed = Q(status=Rendition.Status.ERROR)
    again = "make_again"

    @admin.action(description="Reset failed", permissions=["act"])
    def make_again(self, request: HttpRequest, chosen: QuerySet[Rendition]) -> None:
        forgotten = forget_failed(renditions=chosen)
        messages.success(request, f"{forgotten} will be made again.")
