"""List pages of all kinds: search, filters, order, pages, CSV export, deletion of many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast
from urllib.parse import parse_qsl, urlencode

import orjson
from django.http import HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from apps.console.domain.access import READING_RIGHTS
from apps.console.domain.messages import Context, JsonValue
from apps.console.domain.resources.list_view import BY_ACCOUNT, DIVIDING, ListView
from apps.console.domain.resources.resource_kinds import BY_NAME, ResourceKind
from apps.console.domain.resources.resource_labels import field_label
from apps.console.domain.resources.resource_schema import HIDDEN, Field, Json, Schema
from apps.console.domain.resources.resource_values import STATES
from apps.console.domain.value_labels import value_label
from apps.console.views.base.names import Names
from apps.console.views.base.page import PageContext, page
from apps.console.views.base.page_urls import page_path, pages_of, uuid_of
from apps.console.views.generic.bulk_actions import actions_of, perform
from apps.console.views.generic.headlines import HEADLINES
from apps.console.views.generic.list_tabs import list_tabs
from apps.console.views.generic.resources import (
    common,
    may_create,
    schema_of,
    uris_in,
    value_in,
)
from apps.console.views.generic.saved_views import views_of_list
from apps.console.views.generic.stock_stats import stock_stats
from apps.console.views.generic.summaries import SUMMARY_COLUMNS
from apps.console.views.generic.summary_columns import Row
from core.api.lists.csv_export import table
from core.web.internal_client import ListPage

MAX_ROWS = 10_000  # of a CSV export
BATCH = 1000
IMPORTS = {"customer": "/customer/import/"}  # pages that import files, by kind
STATS = {"stock": stock_stats}  # key figures above lists, by kind


@page("GET", "POST")
def listed(visit: PageContext, kind: str) -> HttpResponse:
    """The list of a kind; its form acts on the selected resources."""
    of = BY_NAME[kind]
    if not visit.person:
        return visit.to_sign_in()
    if required := READING_RIGHTS.get(kind):
        visit.require(*required)
    schema = schema_of(visit, of)
    if visit.posted:
        return perform(visit, of)
    shop = {}
    if visit.shop and "bureau" in schema.filters:
        shop = {"filter[bureau]": visit.shop["uri"]}
    address = visit.request.GET.dict()
    # The form that chooses columns sends one argument for each.
    address["columns"] = ",".join(visit.request.GET.getlist("columns"))
    view = ListView.of(of, schema, address)
    if visit.request.GET.get("format") == "csv":
        return _csv(visit, view, shop)
    by = {"count_by": view.chips.name} if view.chips else {}
    result = visit.api.list(of.service, of.collection, **{**shop, **view.request(), **by})
    summary = None if view.columns else SUMMARY_COLUMNS.get(kind)
    columns = _columns(of, schema, view, omitted=summary.omitted if summary else ())
    names = Names(visit)
    rows = result["resources"]
    names.load(uris_in(columns, rows))
    names.load(row[name] for row in rows for name in of.titles if isinstance(row.get(name), str))
    may = _allowed(visit, of, schema, rows)
    labelled = [(str(field_label(field.name)), field) for field in columns]
    shown = [_row(of, labelled, row, names) for row in rows]
    heads = [_head(view, field) for field in columns]
    counts = result["meta"].get("counts", {})
    if summary:
        shown = summary.completed(visit, rows, shown)
        heads += summary.heads(view)
    return visit.show(
        "list",
        **common(visit, of),
        view=view,
        columns=heads,
        views=views_of_list(visit, view, columns),
        name_head=_name_head(view),
        rows=shown,
        chips=_chips(view, counts),
        reduced=_reduced(view, names),
        pages=_pages(result),
        first=view.offset + 1,
        last=view.offset + len(rows),
        count=result["meta"]["count"],
        csv=f"?{urlencode({**view.arguments, 'sort': view.sort, 'format': 'csv'})}",
        may_edit="PUT" in may,
        may_delete="DELETE" in may,
        actions=actions_of(visit, of, may_delete="DELETE" in may),
        new=_new(visit, view),
        imports=IMPORTS.get(kind, "") if may_create(visit, of) else "",
        tabs=list_tabs(view),
        stats=STATS[kind](visit) if kind in STATS else (),
        headline=HEADLINES[kind](visit, counts) if kind in HEADLINES else "",
        no_shop=not visit.shop and of.service == "erp",
    )


def _columns(
    kind: ResourceKind, schema: Schema, view: ListView, *, omitted: Sequence[str] = ()
) -> list[Field]:
    names = view.columns or kind.columns
    result = [schema.field(name) for name in names if name not in (*HIDDEN, *omitted)]
    return [field for field in result if field]


def _allowed(
    visit: PageContext, kind: ResourceKind, schema: Schema, rows: list[JsonValue]
) -> set[str]:
    """What the visitor may do with the rows: with the first one, since all are of one shop."""
    if not rows:
        return set()
    may = visit.api.methods(rows[0]["uri"])
    return may if kind.changes and schema.changed else may - {"PUT"}


def _head(view: ListView, field: Field) -> Context:
    return {
        "label": field_label(field.name),
        "unit": field.unit,
        "number": field.form in ("number", "integer"),
        "path": view.sorted_by(field.name) if field.name in view.schema.sorts else "",
        "order": {field.name: "up", f"-{field.name}": "down"}.get(view.sort, ""),
    }


def _name_head(view: ListView) -> Context:
    """The head of the column of titles."""
    order = {"name": "up", "-name": "down"}.get(view.sort, "")
    path = view.sorted_by("name") if "name" in view.schema.sorts else ""
    return {"label": view.kind.title, "path": path, "order": order}


def _row(kind: ResourceKind, columns: list[tuple[str, Field]], row: Json, names: Names) -> Row:
    return Row(
        key=uuid_of(row["uri"]),
        title=names.title(kind.name, row),
        path=page_path(row["uri"]),
        cells=[(label, value_in(kind, field, row, names)) for label, field in columns],
    )


def _chips(view: ListView, counts: Mapping[str, int]) -> list[Context]:
    """The values of the enumeration that filters the list, each with the length of its list."""
    field = view.chips
    if not field:
        return []
    name = f"filter[{field.name}]"
    chosen = view.arguments.get(name, "")

    def chip(label: str | Promise, value: str, count: int) -> Context:
        path = view.address(**{name: value or None})
        return {"words": label, "path": path, "count": count, "chosen": value == chosen}

    states = STATES.get(view.kind.name, {}) if field.name == "status" else {}
    labels = {each: states[each].words if each in states else each for each in field.choices}
    total = sum(counts.values())
    if field.name == "segment":
        total = sum(counts.get(each, 0) for each in DIVIDING)
        for pair in (DIVIDING, BY_ACCOUNT):
            if total in (counts.get(each, 0) for each in pair):  # no division
                labels = {each: each for each in labels if each not in pair or each == chosen}
    every = [chip(_("All"), "", total)]
    every += [chip(value_label(str(text)), v, counts.get(v, 0)) for v, text in labels.items()]
    return [each for each in every if each["count"] or each["chosen"]]


def _reduced(view: ListView, names: Names) -> list[dict[str, str]]:
    """The filters by other resources, each with the address of the list without it."""
    result = []
    for name, value in view.arguments.items():
        field = view.schema.field(name.partition("[")[2].removesuffix("]"))
        if field and field.targets and name.startswith("filter") and field.name != "bureau":
            names.load([value])
            text = f"{field_label(field.name)}: {names.text(value)}"
            result.append({"text": text, "path": view.address(**{name: None})})
    return result


def _pages(result: ListPage) -> dict[str, str]:
    """The pages before and after this one; the shop is that of the visitor, not of the address."""
    return {
        way: "?"
        + urlencode(
            [each for each in parse_qsl(query[1:]) if each[0] not in ("filter[bureau]", "count_by")]
        )
        for way, query in pages_of(result).items()
        if query
    }


def _new(visit: PageContext, view: ListView) -> str:
    """The path of the form of a new resource, preset by the filters; empty where there is none."""
    kind = view.kind
    if not may_create(visit, kind):
        return ""
    if kind.new:
        return kind.new
    fields = {f"filter[{field.name}]": field.name for field in view.schema.created or ()}
    presets = {fields[name]: value for name, value in view.arguments.items() if name in fields}
    return f"{kind.collection}new/" + (f"?{urlencode(presets)}" if presets else "")


def _csv(visit: PageContext, view: ListView, shop: Mapping[str, str]) -> HttpResponse:
    """The whole list as a file, as far as `MAX_ROWS`."""
    columns = _columns(view.kind, view.schema, view)
    own_columns = {field.name for field in columns} | {"uri"}
    columns += [field for field in view.schema.shown if field.name not in own_columns]
    heads = ["uri", *(field.name for field in columns)]
    names = Names(visit)
    first = _batch(visit, view, shop, 0)

    def rows() -> Iterator[Any]:
        batch, offset = first, 0
        while batch and offset < MAX_ROWS:
            names.load(uris_in(columns, batch))
            yield from batch
            offset += len(batch)
            full = len(batch) == BATCH and offset < MAX_ROWS
            batch = _batch(visit, view, shop, offset) if full else []

    def line(row: Json) -> Context:
        return {"uri": row["uri"], **{f.name: _plain(f, row, names) for f in columns}}

    return cast(HttpResponse, table(view.kind.name, heads, rows(), line))


def _batch(
    visit: PageContext, view: ListView, shop: Mapping[str, str], offset: int
) -> list[JsonValue]:
    page_of = {"page[limit]": BATCH, "page[offset]": offset, "page[after]": None}
    arguments = {**shop, **view.request(), **page_of}
    return visit.api.list(view.kind.service, view.kind.collection, **arguments)["resources"]


def _plain(field: Field, row: Json, names: Names) -> Any:
    """A value of a CSV file: names of resources, other values as the API returns them."""
    value = field.value_of(row)
    if field.targets and value:
        uris = value if isinstance(value, list) else [value]
        return ", ".join(names.text(uri) or uri for uri in uris)
    if isinstance(value, list | dict):
        return orjson.dumps(value).decode()
    return value
