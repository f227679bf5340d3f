"""Base classes of the Django admin pages."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import flatten_fieldsets
from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.forms.models import BaseInlineFormSet
from django.http import HttpRequest

from core.errors import ServiceError
from core.web.admin_display import columns

MAX_ROWS = 100  # below another


class BasePage(admin.ModelAdmin):
    """Base of admin pages of a kind, with readable values.

    failed    : which rows have failed, for the list of failures on the first page
    failed_at : the column with the time of the failure
    again     : the action that repeats the work; None where there is none
    """

    failed: Q | None = None
    again: str | None = None
    failed_at = "updated"

    def why(self, row: Any) -> str:
        """Why a row has failed: the titles of its errors."""
        return " ".join(error["title"] for error in row.errors or ())

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Whether actions may be taken: the right to change, also of what no form changes."""
        name = f"{self.opts.app_label}.change_{self.opts.model_name}"
        return request.user.has_perm(name)  # type: ignore[union-attr]

    def get_list_display(self, request: HttpRequest) -> Any:
        return columns(self.opts, super().get_list_display(request))

    def get_list_display_links(self, request: HttpRequest, list_display: Any) -> Any:
        return columns(self.opts, super().get_list_display_links(request, list_display) or ())

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        fieldsets = super().get_fieldsets(request, obj)
        if obj is None or self.has_change_permission(request, obj):
            return fieldsets
        return [
            (
                title,
                {**options, "fields": columns(self.opts, flatten_fieldsets([(title, options)]))},
            )
            for title, options in fieldsets
        ]


class ReadOnlyPage(BasePage):
    """Rows that only the API makes and changes: operators look, and act through actions."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


class FirstRows(BaseInlineFormSet):
    """The first rows below another: there may be thousands, and the page is one."""

    def get_queryset(self) -> Any:
        if not hasattr(self, "_queryset"):
            self._queryset: Any = super().get_queryset()[:MAX_ROWS]
        return self._queryset


class ReadOnlyInline(admin.TabularInline):
    """Rows below another, to be looked at."""

    columns: tuple[str, ...] = ()  # names of fields and methods
    extra = 0
    can_delete = False
    formset = FirstRows

    def get_fields(self, request: HttpRequest, obj: object = None) -> Any:
        return columns(self.opts, self.columns)

    def get_readonly_fields(self, request: HttpRequest, obj: object = None) -> Any:
        return columns(self.opts, self.columns)

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


def apply_to_each(
    request: HttpRequest, chosen: QuerySet[Any], act: Callable[[Any], None], *, done: str
) -> None:
    """Apply an action to each selected row; report failures and continue with the others."""
    count = 0
    for row in chosen:
        try:
            act(row)
        except ServiceError as error:
            messages.error(request, f"{row}: {error.title}")
        else:
            count += 1
    messages.success(request, f"{count} {done}.")


def count_of(kind: Any, column: str) -> Coalesce:
    """How many rows of a kind name a row in this column: counted for those of the page only."""
    found = kind.objects.filter(**{column: OuterRef("pk")}).order_by().values(column)
    counted = found.annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)
