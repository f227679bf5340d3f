"""Pages of one resource of any kind: detail, new, edit, delete."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import quote
from uuid import UUID

from django.http import HttpResponse

from apps.console.domain.access import READING_RIGHTS
from apps.console.domain.messages import Context, error_message
from apps.console.domain.navigation import is_usable
from apps.console.domain.resources.resource_forms import FIND, ResourceForm, initial_of
from apps.console.domain.resources.resource_kinds import BY_NAME, KINDS, ResourceKind
from apps.console.domain.resources.resource_labels import field_label
from apps.console.domain.resources.resource_schema import HIDDEN, Field, Json, Schema
from apps.console.domain.resources.resource_values import MISSING, Value, shown
from apps.console.domain.settings_entries import settings_entries
from apps.console.views.base.names import Names, schemas_of, with_names
from apps.console.views.base.page import PageContext, handle_form, page
from apps.console.views.base.page_urls import page_path
from apps.console.views.generic.resource_fields import choices_of
from apps.console.views.generic.summaries import SUMMARY_COLUMNS
from core.errors import ErrorEntry
from core.uris import base_url
from core.web.internal_client import ApiError
from core.web.site_urls import store_page

if TYPE_CHECKING:
    from django.forms import Form

LAST = ("created", "updated")  # fields that stand at the end of a page
# Fields that a form shows at once beside those that its list has as columns.
COMMON = ("name", "quantity", "initial", "loaded", "customer_po", "notes")
MAX_RELATED = 8  # lists to which a page leads
MISSING_RESOURCE: ErrorEntry = {"code": "resource-not-found", "title": ""}


def schema_of(visit: PageContext, kind: ResourceKind) -> Schema:
    """Return what the document says of a kind."""
    return schemas_of(visit, kind.service)[kind.name]


def may_create(visit: PageContext, kind: ResourceKind) -> bool:
    """Return whether the visitor is led to the form of a new resource."""
    schema = schema_of(visit, kind)
    if not kind.new and (not kind.creates or schema.created is None):
        return False
    if not visit.shop or schema.right in visit.rights:
        return True
    if not schema.right:
        return kind.service != "erp" or visit.works_in_shop
    visit.api.find(visit.shop["uri"])  # an operator may, without a right of their own
    return visit.api.may("PUT", visit.shop["uri"])


def uri_of(kind: ResourceKind, uuid: UUID) -> str:
    """Return the URI of a resource."""
    return f"{base_url(kind.service)}/{kind.name}/{uuid}/"


@page("GET")
def detail(visit: PageContext, kind: str, uuid: UUID) -> HttpResponse:
    """The page of a resource: its values, and the lists that refer to it."""
    of = BY_NAME[kind]
    row = visit.api.get(uri_of(of, uuid))
    return visit.show("resource", **described(visit, of, row))


def _store_address(slug: str) -> str:
    """The page of a storefront: its path, or its address at another domain."""
    path, page = f"/s/{slug}/", store_page(slug)
    return path if page == base_url("") + path else page


def described(visit: PageContext, kind: ResourceKind, row: Json) -> Context:
    """Return what a page shows of a resource."""
    schema, names = schema_of(visit, kind), Names(visit)
    fields = [field for field in schema.shown if field.name not in (*HIDDEN, *kind.omitted)]
    fields.sort(key=lambda field: field.name in LAST)
    names.load(uris_in(fields, [row]))
    names.load(row.get(name) for name in kind.titles if isinstance(row.get(name), str))
    is_store = kind.name == "storefront"
    summary = SUMMARY_COLUMNS.get(kind.name)
    return {
        **common(visit, kind),
        "title": names.title(kind.name, row),
        "path": page_path(row["uri"]),
        "public_path": _store_address(row["slug"]) if is_store and row["enabled"] else "",
        "embed_script": f"{base_url('')}/embed.js" if is_store else "",
        "gcode": _gcode(visit, row) if kind.name == "printer-type" else None,
        "row": row,
        "may_edit": bool(kind.changes and schema.changed and visit.api.may("PUT", row["uri"])),
        "may_delete": visit.api.may("DELETE", row["uri"]),
        "values": [
            (field_label(field.name), field.unit, value_in(kind, field, row, names))
            for field in fields
            if field.name not in kind.titles or field.name in ("number", "lot", "order", "url")
        ]
        + [
            (label, "", value)
            for label, value in (summary.values_of(visit, row) if summary else ())
        ],
        "related": related(visit, kind, row["uri"]),
    }


def _gcode(visit: PageContext, row: Json) -> Context | None:
    """Return whether a printer type has confirmed G-code; None where its preset needs none."""
    preset = visit.api.find(row["preset"]) if row["preset"] else None
    if preset is None or not preset["estimate_only"]:
        return None
    return {"confirmed": bool(row["printer_gcode"])}


def common(visit: PageContext, kind: ResourceKind) -> Context:
    """Return what all pages of a kind show."""
    entries = settings_entries(kind.name, visit.rights) if kind.settings else []
    return {"kind": kind, "entries": entries}


def uris_in(fields: Sequence[Field], rows: Sequence[Json]) -> list[str]:
    """Return the URIs of the resources to which these fields refer."""
    values = [field.value_of(row) for field in fields if field.targets for row in rows]
    texts = [each for value in values for each in (value if isinstance(value, list) else [value])]
    return [each for each in texts if isinstance(each, str)]


def value_in(kind: ResourceKind, field: Field, row: Json, names: Names) -> Value:
    """Return a value as pages show it; resources that it names are loaded."""
    value = field.value_of(row)
    uris = [each for each in (value if isinstance(value, list) else [value]) if each]
    if not field.targets or not uris:
        return shown(kind.name, field, value)
    links = [(names.text(uri), names.path(uri)) for uri in uris]
    named_links = tuple((text, path) for text, path in links if text)
    return Value(", ".join(text for text, _path in named_links) or MISSING, links=named_links)


def related(visit: PageContext, kind: ResourceKind, uri: str) -> list[Context]:
    """Return the lists of what refers to a resource, each with its length."""
    result = []
    for each in KINDS:
        if not is_usable(READING_RIGHTS.get(each.name, ()), visit.rights):
            continue
        schema = schemas_of(visit, each.service).get(each.name)
        fields = schema.shown if schema and kind.name != "bureau" else ()
        for field in fields:
            if kind.name in field.targets and schema and field.name in schema.filters:
                query = {f"filter[{field.name}]": uri, "page[limit]": 1}
                try:
                    count = visit.api.list(each.service, each.collection, **query)["meta"]["count"]
                except ApiError:
                    continue
                is_offered = not each.new and may_create(visit, each)
                arguments = f"{field.name}={quote(uri, safe='')}"
                result.append(
                    {
                        "kind": each,
                        "count": count,
                        "path": f"{each.path}?filter%5B{field.name}%5D={quote(uri, safe='')}",
                        "new": f"{each.collection}new/?{arguments}" if is_offered else "",
                    }
                )
    return result[:MAX_RELATED]


@page("GET", "POST")
def new(visit: PageContext, kind: str) -> HttpResponse:
    """The form of a new resource; arguments of the address preset its fields."""
    of = BY_NAME[kind]
    if of.new:
        return visit.go(of.new)
    schema = schema_of(visit, of)
    if schema.created is None or not of.creates:
        raise ApiError(404, [MISSING_RESOURCE], {})
    if not visit.person:
        return visit.to_sign_in()
    if not visit.shop and of.service == "erp":
        return visit.go("/bureau/")
    if not may_create(visit, of):
        visit.require(*([schema.right] if schema.right else []))
    fields = schema.created
    presets = {field.name: _preset(visit, field) for field in fields}
    if visit.shop:
        presets["bureau"] = presets.get("bureau") or visit.shop["uri"]
    form = _form(visit, of, fields, presets, exists=False)

    def create() -> HttpResponse:
        made = visit.make(of.service, of.name, form.body(), key=form.cleaned_data["key"])
        return visit.go(made, done="created")

    return _answer(visit, of, form, create, {"exists": False, "back": of.path})


def _preset(visit: PageContext, field: Field) -> Any:
    values_of_argument = visit.request.GET.getlist(field.name)
    if field.form in ("references", "choices"):
        return values_of_argument
    return values_of_argument[0] if values_of_argument else None


@page("GET", "POST")
def edit(visit: PageContext, kind: str, uuid: UUID) -> HttpResponse:
    """The form that changes a resource."""
    of = BY_NAME[kind]
    row = visit.api.get(uri_of(of, uuid))
    schema = schema_of(visit, of)
    if not schema.changed or not of.changes:
        raise ApiError(404, [MISSING_RESOURCE], {})
    if not visit.api.may("PUT", row["uri"]):
        _deny(visit, of)
    names_shown = {field.name for field in schema.shown}
    names = Names(visit)
    fields = [field for field in schema.changed if not field.fixed and field.name in names_shown]
    fields = [field for field in fields if field.name not in ("bureau", *of.omitted)]
    names.load(row.get(name) for name in of.titles if isinstance(row.get(name), str))
    form = _form(visit, of, fields, initial_of(fields, row), exists=True)

    def change() -> HttpResponse:
        if body := form.body():
            visit.api.ask("PUT", row["uri"], body)
        return visit.go(row["uri"], done="saved")

    title = names.title(of.name, row)
    path = page_path(row["uri"])
    return _answer(visit, of, form, change, {"exists": True, "title": title, "back": path})


def _deny(visit: PageContext, kind: ResourceKind) -> NoReturn:
    """Refuse to change a resource. Raises Denied, or ApiError where the right is unknown."""
    schema = schema_of(visit, kind)
    visit.require(*([schema.right] if schema.right else []))
    raise ApiError(403, [{"code": "Unauthorized", "title": "You may not change this."}], {})


def _form(
    visit: PageContext,
    kind: ResourceKind,
    fields: Sequence[Field],
    values: Context,
    *,
    exists: bool,
) -> ResourceForm:
    sent = visit.request.POST if visit.posted else None
    is_search = sent is not None and "find" in sent
    typed = dict(values)
    if sent is not None:
        many = {field.name for field in fields if field.form in ("references", "choices")}
        typed |= {
            name: sent.getlist(name) if name in many else value for name, value in sent.items()
        }
    choices = choices_of(visit, kind.name, fields, Names(visit), typed)
    return ResourceForm(
        None if is_search else sent,
        fields=fields,
        choices=choices,
        common=[*kind.columns, *kind.titles, *COMMON],
        exists=exists,
        initial={"key": visit.form_key} | (typed if is_search else values),
    )


def _answer(
    visit: PageContext,
    kind: ResourceKind,
    form: Form,
    do: Callable[[], HttpResponse],
    context: Context,
) -> HttpResponse:
    def try_to() -> HttpResponse:
        try:
            return do()
        except ApiError as declined:
            raise with_names(visit, declined) from declined

    done, status = handle_form(form, try_to)
    if done:
        return done
    searches = {name.removeprefix(FIND) for name in getattr(form, "searched", {})}
    shared = common(visit, kind)
    return visit.show("resource-form", status, form=form, searches=searches, **shared, **context)


@page("GET", "POST")
def delete(visit: PageContext, kind: str, uuid: UUID) -> HttpResponse:
    """The page that asks whether a resource is to be deleted."""
    of = BY_NAME[kind]
    row = visit.api.get(uri_of(of, uuid))
    if not visit.api.may("DELETE", row["uri"]):
        _deny(visit, of)
    names = Names(visit)
    names.load(row.get(name) for name in of.titles if isinstance(row.get(name), str))
    refused = []
    status = 200
    if visit.posted:
        try:
            visit.api.ask("DELETE", row["uri"])
            return visit.go(of.path, done="removed")
        except ApiError as declined:
            status = declined.http_status
            refused = [error_message(error) for error in with_names(visit, declined).errors]
    return visit.show(
        "resource-delete",
        status,
        **common(visit, of),
        title=names.title(of.name, row),
        path=page_path(row["uri"]),
        refused=refused,
    )
