"""Admin: indexed models, descriptors and comparisons."""

from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from apps.search.models import Descriptor, IndexedModel, PairCheck
from apps.search.services import indexed_models as services
from core.web.admin_base import ReadOnlyPage


@admin.register(IndexedModel)
class IndexedModelAdmin(ReadOnlyPage):
    list_display = ["uuid", "name", "status", "model_uri", "owner", "created", "deleted"]
    list_filter = ["status", "created", "deleted"]
    search_fields = ["uuid", "name", "description", "model_uri", "content_hash", "owner__username"]
    ordering = ["-uuid"]
    list_select_related = ["owner"]
    actions = ["index_again"]
    failed = Q(status=IndexedModel.Status.ERROR, deleted=None)
    again = "index_again"

    def why(self, row: IndexedModel) -> str:
        return row.error

    @admin.action(description="Reindex", permissions=["act"])
    def index_again(self, request: HttpRequest, chosen: QuerySet[IndexedModel]) -> None:
        sent = services.reindex(rows=chosen)
        messages.success(request, f"{sent} sent to be indexed.")


@admin.register(Descriptor)
class DescriptorAdmin(ReadOnlyPage):
    list_display = ["content_hash", "version", "triangles", "rms", "diagonal", "created"]
    list_filter = ["version", "created"]
    search_fields = ["content_hash"]
    ordering = ["-id"]
    show_full_result_count = False
    # 324 numbers, which say nothing to a reader.
    exclude = ["vector"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Descriptor]:
        return super().get_queryset(request).defer("vector")


@admin.register(PairCheck)
class PairCheckAdmin(ReadOnlyPage):
    list_display = ["id", "first_hash", "second_hash", "verdict", "version", "created"]
    list_filter = ["version", "created"]
    search_fields = ["first_hash", "second_hash", "error"]
    ordering = ["-id"]
    show_full_result_count = False
    actions = ["compare_again"]
    failed = ~Q(error="")
    failed_at = "created"
    again = "compare_again"

    def why(self, row: PairCheck) -> str:
        return row.error

    @admin.display(description="verdict")
    def verdict(self, row: PairCheck) -> str:
        return row.comparison["verdict"] if row.comparison else f"failed: {row.error}"

    @admin.action(description="Recompare", permissions=["act"])
    def compare_again(self, request: HttpRequest, chosen: QuerySet[PairCheck]) -> None:
        sent = services.recompare(rows=chosen)
        messages.success(request, f"{sent} sent to be compared.")
