"""Admin: orders, quotes and line items."""

from functools import partial
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from apps.erp.base.admin.display import Pictured, PicturedRows, cost_of, image, listed
from apps.erp.orders.models.orders import LineItem, Order, Product, Quote
from apps.erp.orders.models.pieces import Piece
from apps.erp.orders.models.print_reports import PrintReportFile
from apps.erp.orders.services import line_items
from apps.erp.production.services import labels
from core.auth_user import Person, admin_user
from core.web.admin_base import ReadOnlyInline, ReadOnlyPage, apply_to_each, count_of
from core.web.admin_display import link


class LineItemRows(ReadOnlyInline):
    model = LineItem
    formset = PicturedRows
    columns = ("small_image", "page", "status", "quantity", "cost", "made")
    ordering = ("pk",)

    @admin.display(description="picture")
    def small_image(self, row: LineItem) -> str:
        return image(getattr(row, "picture", None), width=80)

    @admin.display(description="line item")
    def page(self, row: LineItem) -> str:
        return link(row)

    @admin.display(description="estimate")
    def cost(self, row: LineItem) -> str:
        return cost_of(row.estimates)

    @admin.display(description="pieces")
    def made(self, row: LineItem) -> str:
        return listed(Piece, "pieces", line_item=row.pk)


class ProductRows(ReadOnlyInline):
    model = Product
    columns = ("page", "part")
    ordering = ("pk",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Product]:
        return super().get_queryset(request).select_related("model_library")

    @admin.display(description="product")
    def page(self, row: Product) -> str:
        return link(row)

    @admin.display(description="library part")
    def part(self, row: Product) -> str:
        return link(row.model_library)


class QuoteRows(ReadOnlyInline):
    model = Quote
    columns = ("created", "status", "amount", "currency", "expires", "accepted")
    ordering = ("-pk",)


@admin.register(Order)
class OrderAdmin(ReadOnlyPage):
    """Orders: their products and line items, and what was offered for them."""

    list_display = [
        "number",
        "name",
        "bureau",
        "status",
        "customer_name",
        "due_date",
        "items",
        "created",
    ]
    list_filter = ["status", "ip_sensitivity", "due_date", "created"]
    search_fields = ["uuid", "name", "bureau__name", "customer_name", "customer_po"]
    ordering = ["-uuid"]
    list_select_related = ["bureau"]
    inlines = [LineItemRows, ProductRows, QuoteRows]
    actions = ["confirm", "cancel"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Order]:
        return super().get_queryset(request).annotate(n_items=count_of(LineItem, "order"))

    @admin.display(description="line items")
    def items(self, row: Any) -> str:
        return listed(LineItem, row.n_items, order=row.pk)

    @admin.action(description="Confirm all line items that are pending", permissions=["act"])
    def confirm(self, request: HttpRequest, chosen: QuerySet[Order]) -> None:
        waiting = _items_of(chosen).filter(status=LineItem.Status.PENDING)
        _move_items(request, waiting, LineItem.Status.CONFIRMED)

    @admin.action(description="Cancel all line items", permissions=["act"])
    def cancel(self, request: HttpRequest, chosen: QuerySet[Order]) -> None:
        kept = _items_of(chosen).exclude(status=LineItem.Status.CANCELLED)
        _move_items(request, kept, LineItem.Status.CANCELLED)


@admin.register(PrintReportFile)
class PrintReportFileAdmin(ReadOnlyPage):
    """PDFs of print reports."""

    list_display = ["key", "order", "status", "created"]
    list_filter = ["status", "created"]
    search_fields = ["key", "order__uuid"]
    ordering = ["-created", "key"]


@admin.register(Product)
class ProductAdmin(ReadOnlyPage):
    """Products: parts of the library that orders have."""

    list_display = ["uuid", "name", "order", "model_library", "created"]
    list_filter = ["created"]
    search_fields = ["uuid", "name", "order__uuid", "order__name", "model_library__name"]
    ordering = ["-uuid"]
    list_select_related = ["order", "model_library"]


@admin.register(Quote)
class QuoteAdmin(ReadOnlyPage):
    """Quotes: offered and accepted over the API."""

    list_display = ["uuid", "order", "status", "amount", "currency", "expires", "accepted"]
    list_filter = ["status", "currency", "expires", "created"]
    search_fields = ["uuid", "order__uuid", "order__name"]
    ordering = ["-uuid"]
    list_select_related = ["order"]


class PieceRows(ReadOnlyInline):
    model = Piece
    columns = ("number", "page", "status", "waits_for", "in_run")
    ordering = ("number",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Piece]:
        return super().get_queryset(request).select_related(*labels.STEP, "place__run")

    @admin.display(description="piece")
    def page(self, row: Piece) -> str:
        return link(row)

    @admin.display(description="step")
    def waits_for(self, row: Piece) -> str:
        return labels.next_step_of(row)

    @admin.display(description="run")
    def in_run(self, row: Piece) -> str:
        return link(row.place and row.place.run)


@admin.register(LineItem)
class LineItemAdmin(ReadOnlyPage):
    """Line items: what they come to, and their pieces."""

    list_display = ["small_image", "title", "order", "status", "quantity", "cost", "created"]
    list_display_links = ["small_image", "title"]
    list_filter = ["status", "created"]
    search_fields = ["uuid", "name", "order__uuid", "order__name", "bureau__name", "model_uri"]
    ordering = ["-uuid"]
    list_select_related = ["order"]
    readonly_fields = ["all_pieces"]
    inlines = [PieceRows]
    actions = ["confirm", "cancel", "estimate_again"]
    failed = Q(status=LineItem.Status.ERROR)
    again = "estimate_again"

    def get_changelist(self, request: HttpRequest, **keys: Any) -> type[ChangeList]:
        return Pictured

    @admin.display(description="picture")
    def small_image(self, row: LineItem) -> str:
        return image(getattr(row, "picture", None), width=80)

    @admin.display(description="name", ordering="name")
    def title(self, row: LineItem) -> str:
        return str(row)

    @admin.display(description="estimate")
    def cost(self, row: LineItem) -> str:
        return cost_of(row.estimates)

    @admin.display(description="pieces")
    def all_pieces(self, row: LineItem) -> str:
        return listed(Piece, "all pieces", line_item=row.pk)

    @admin.action(description="Confirm", permissions=["act"])
    def confirm(self, request: HttpRequest, chosen: QuerySet[LineItem]) -> None:
        _move_items(request, chosen, LineItem.Status.CONFIRMED)

    @admin.action(description="Cancel", permissions=["act"])
    def cancel(self, request: HttpRequest, chosen: QuerySet[LineItem]) -> None:
        _move_items(request, chosen, LineItem.Status.CANCELLED)

    @admin.action(description="Recalculate estimate", permissions=["act"])
    def estimate_again(self, request: HttpRequest, chosen: QuerySet[LineItem]) -> None:
        _move_items(request, chosen, LineItem.Status.CALCULATING)


def _items_of(orders: QuerySet[Order]) -> QuerySet[Any]:
    rows: QuerySet[Any] = LineItem.objects.all()
    return rows.filter(order__in=orders).order_by("pk")


def _move_items(request: HttpRequest, chosen: QuerySet[Any], to: str) -> None:
    move = partial(_move_item, admin_user(request), to)
    apply_to_each(request, chosen, move, done=f"now {to}")


def _move_item(user: Person, to: str, row: LineItem) -> None:
    line_items.change(actor=user, row=row, status=to)
