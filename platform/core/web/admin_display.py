"""Renders values on admin pages: JSON as tables, URIs as links."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.admin.utils import display_for_value
from django.core.exceptions import FieldDoesNotExist
from django.db.models import CharField, Field, JSONField, TextField
from django.db.models.options import Options
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html, format_html_join

from core.resources import kinds
from core.uris import resolve_uri

NOTHING = "-"
DEEPEST = 6  # tables within tables
_KEY = UUID(int=0)


def shown(value: Any, *, depth: int = 0) -> str:
    """A value that a person can read: mappings and lists as tables, URIs of ours as links."""
    if value is None or value in ("", [], {}):
        return NOTHING
    if isinstance(value, str):
        return _text(value)
    if depth == DEEPEST or not isinstance(value, Mapping | list):
        return format_html("{}", display_for_value(value, NOTHING))
    if isinstance(value, Mapping):
        rows = ((name, shown(found, depth=depth + 1)) for name, found in value.items())
        lines = format_html_join("", "<tr><th>{}</th><td>{}</td></tr>", rows)
        return format_html('<table class="value">{}</table>', lines)
    if all(isinstance(item, Mapping) for item in value):
        return _table(value, depth)
    return format_html_join(", ", "{}", ((shown(item, depth=depth + 1),) for item in value))


def _table(rows: list[Mapping[str, Any]], depth: int) -> str:
    """Of mappings with the same names: one line each, a column for each name."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    head = format_html_join("", "<th>{}</th>", ((name,) for name in names))
    lines = (
        (
            format_html_join(
                "", "<td>{}</td>", ((shown(row.get(n), depth=depth + 1),) for n in names)
            ),
        )
        for row in rows
    )
    body = format_html_join("", "<tr>{}</tr>", lines)
    return format_html('<table class="value"><tr>{}</tr>{}</table>', head, body)


def _text(value: str) -> str:
    page = page_of(value)
    return format_html('<a href="{}">{}</a>', page, value) if page else format_html("{}", value)


def page_of(uri: str) -> str | None:
    """Return the admin page of the resource `uri`; None where there is none."""
    reference = resolve_uri(uri) if uri.startswith("http") else None
    kind = kinds().get((reference.service, reference.kind)) if reference else None
    if reference is None or kind is None:
        return None
    name = f"admin:{kind._meta.app_label}_{kind._meta.model_name}_change"
    try:
        return reverse(name, urlconf="project.admin_urls", args=[reference.kwargs["uuid"]])
    except (KeyError, NoReverseMatch):
        return None


def link(row: Any) -> str:
    """A link to the row's own page."""
    if row is None:
        return "-"
    name = f"admin:{row._meta.app_label}_{row._meta.model_name}_change"
    return format_html('<a href="{}">{}</a>', reverse(name, args=[row.pk]), row)


def columns(opts: "Options[Any]", names: Any) -> list[Any]:
    """Return `names` of columns, with replacements for values that Django shows badly."""
    return [_column(opts, name) if isinstance(name, str) else name for name in names]


@cache
def _column(opts: "Options[Any]", name: str) -> str | Callable[[Any], str]:
    try:
        field = opts.get_field(name)
    except FieldDoesNotExist:
        return name
    needs_more = isinstance(field, JSONField | CharField | TextField)
    if not isinstance(field, Field) or not needs_more or field.choices:
        return name

    @admin.display(description=field.verbose_name, ordering=name)
    def column(row: Any) -> str:
        return shown(getattr(row, name))

    column.__name__ = name
    return column
