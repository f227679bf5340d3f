"""Generic admin pages, derived from the model's fields."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from apps.erp.base.models.abstract import BaseResource
from apps.erp.base.services import resources
from core.auth_user import admin_user
from core.errors import ServiceError
from core.web.admin_base import ReadOnlyPage

# Notes and the like are read on a row's own page.
LONG = ("TextField", "JSONField", "ManyToManyField", "BinaryField")

# How a row is deleted by an administrator.
Deletion = Callable[[Any, Any], None]


class RowAdmin(ReadOnlyPage):
    """Rows of a kind: found by their keys, their names, and those of their bureau."""

    ordering = ["-uuid"]
    readonly_fields = ["uri", "created", "updated"]
    show_full_result_count = False
    actions = ["delete_chosen"]
    delete_row: Deletion

    @admin.action(description="Delete unused", permissions=["act"])
    def delete_chosen(self, request: HttpRequest, chosen: QuerySet) -> None:
        deleted = 0
        for row in chosen:
            try:
                self.delete_row(admin_user(request), row)
                deleted += 1
            except ServiceError as error:
                messages.error(request, f"{row}: {error.title}")
        messages.success(request, f"{deleted} deleted.")


class FeatureAdmin(RowAdmin):
    """What bureaus have beyond the ordinary: switched here, or over HTTP."""

    actions = ["switch_on", "switch_off", "delete_chosen"]

    @admin.action(description="Activate", permissions=["act"])
    def switch_on(self, request: HttpRequest, chosen: QuerySet) -> None:
        self._switch(request, chosen, on=True)

    @admin.action(description="Deactivate", permissions=["act"])
    def switch_off(self, request: HttpRequest, chosen: QuerySet) -> None:
        self._switch(request, chosen, on=False)

    def _switch(self, request: HttpRequest, chosen: QuerySet, *, on: bool) -> None:
        for feature in chosen:
            resources.change(actor=admin_user(request), row=feature, enabled=on)
        messages.success(request, f"{len(chosen)} switched {'on' if on else 'off'}.")


class BookAdmin(RowAdmin):
    """What is written into books: nobody deletes it."""

    actions = []


def page_of(
    kind: type[BaseResource],
    base: type[RowAdmin] = RowAdmin,
    delete: Deletion = lambda actor, row: resources.delete(row=row),
) -> type[RowAdmin]:
    """The page of a kind: its short columns in a list, filters by choices, search by names."""
    columns = [c for c in kind._meta.fields if c.get_internal_type() not in LONG]
    links = [c.name for c in columns if c.is_relation]
    above = [name for name in ("bureau", "location") if name in links]
    names = {
        "delete_row": staticmethod(delete),
        "list_display": [c.name for c in columns if c.name != "updated"],
        "list_filter": [
            *(c.name for c in columns if c.choices or c.get_internal_type() == "BooleanField"),
            "created",
        ],
        "list_select_related": links,
        "search_fields": [
            "=uuid",
            *(["name"] if any(c.name == "name" for c in columns) else []),
            *(["=user__username"] if "user" in links else []),
            *(f"={name}__uuid" for name in above),
            *(f"{name}__name" for name in above),
        ],
    }
    return type(f"{kind.__name__}Admin", (base,), {"__doc__": kind.__doc__, **names})
