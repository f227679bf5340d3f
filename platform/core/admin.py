"""What operators' pages of several services share."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.forms.models import BaseInlineFormSet
from django.http import HttpRequest

from core.errors import ServiceError

MOST_ROWS = 100  # below another


class Watched(admin.ModelAdmin):
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
            self._queryset: Any = super().get_queryset()[:MOST_ROWS]
        return self._queryset


class Rows(admin.TabularInline):
    """Rows below another, to be looked at."""

    columns: tuple[str, ...] = ()
    extra = 0
    can_delete = False
    formset = FirstRows

    def get_fields(self, request: HttpRequest, obj: object = None) -> Any:
        return self.columns

    def get_readonly_fields(self, request: HttpRequest, obj: object = None) -> Any:
        return self.columns

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


def act_on_each(
    request: HttpRequest, chosen: QuerySet[Any], act: Callable[[Any], None], *, done: str
) -> None:
    """Do something to each chosen row; who may not go along is told, and holds up no other."""
    count = 0
    for row in chosen:
        try:
            act(row)
        except ServiceError as error:
            messages.error(request, f"{row}: {error.title}")
        else:
            count += 1
    messages.success(request, f"{count} {done}.")
