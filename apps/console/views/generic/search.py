"""Search over all kinds; numbers, identifiers and scanned labels lead straight to their page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urlsplit
from uuid import UUID

from django.http import HttpResponse
from django.urls import Resolver404, resolve
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.console.domain.messages import Context, JsonValue, Row
from apps.console.domain.model_report import verdict
from apps.console.domain.production_status import LINE_ITEMS, ORDERS, RUNS, State
from apps.console.views.base.page import PageContext, page
from apps.console.views.base.page_urls import api_uri, page_path
from core.web.internal_client import ApiError

A_GROUP = 6  # results of a kind
MAX_QUERY = 200  # characters
NUMBER = re.compile(r"#?\s*([1-9]\d{0,8})")
# A bare identifier does not name its kind: these are tried, the usual ones first.
IDENTIFIED = (
    *("piece", "order", "run", "printer", "stock", "model", "line-item", "material", "customer"),
    *("slice", "location", "bureau", "attempt", "quote"),
)


class Hit(NamedTuple):
    """Something that was found; `orders` leads to the list of its orders."""

    title: str
    path: str
    note: str = ""
    state: State | None = None
    orders: str = ""


class SearchedKind(NamedTuple):
    """A kind that is searched.

    by   : parameters of its list; each takes the text that is searched for
    more : the list with all results; empty where no list shows them
    tell : the result of a resource
    """

    service: str
    name: str
    title: Promise
    icon: str
    by: tuple[str, ...]
    more: str
    tell: Callable[[Any], Hit]


class Group(NamedTuple):
    """The results of a kind; `more` leads to all of them where there are more."""

    title: Promise
    icon: str
    results: list[Hit]
    more: str


def _named(row: Row, note: str = "", state: State | None = None) -> Hit:
    return Hit(row["name"] or "–", page_path(row["uri"]), note, state)


def _order(row: Row) -> Hit:
    title = f"#{row['number']} {row['name']}"
    note = row["customer_name"] or row["customer_po"] or ""
    return Hit(title, page_path(row["uri"]), note, ORDERS[row["status"]])


def _part(row: JsonValue) -> Hit:
    matches = verdict(row)
    return _named(row, state=State(matches.sign, matches.short))


def _line_item(row: Row) -> Hit:
    note = _("%(count)s pieces") % {"count": row["quantity"]}
    if number := row.get("order_number"):
        note = f"#{number} · {note}"
    path = page_path(row["order"] or row["uri"])
    return Hit(row["name"] or "–", path, note, LINE_ITEMS[row["status"]])


def _customer(row: Row) -> Hit:
    orders = f"/order/?{urlencode({'filter[customer]': row['uri']})}"
    return _named(row, note=row["email"] or "")._replace(orders=orders)


def _lot(row: Row) -> Hit:
    return Hit(row["lot"], page_path(row["uri"]), row["supplier"] or "")


NAME = ("search[name]",)
KINDS = [
    SearchedKind(
        "erp",
        "order",
        gettext_lazy("Orders"),
        icon="shopping-cart",
        by=(*NAME, "filter[customer_po]", "filter[customer_name]"),
        more="/order/",
        tell=_order,
    ),
    SearchedKind(
        "models",
        "model",
        gettext_lazy("Parts"),
        icon="cube",
        by=NAME,
        more="/model/",
        tell=_part,
    ),
    SearchedKind(
        "erp",
        "line-item",
        gettext_lazy("Order lines"),
        icon="list-details",
        by=(*NAME, "filter[customer_id]"),
        more="",
        tell=_line_item,
    ),
    SearchedKind(
        "erp",
        "customer",
        gettext_lazy("Customers"),
        icon="users",
        by=(*NAME, "filter[email]"),
        more="/customer/",
        tell=_customer,
    ),
    SearchedKind(
        "erp",
        "printer",
        gettext_lazy("Printers"),
        icon="printer",
        by=NAME,
        more="/printer/list/",
        tell=_named,
    ),
    SearchedKind(
        "erp",
        "run",
        gettext_lazy("Builds"),
        icon="stack-2",
        by=NAME,
        more="/run/",
        tell=lambda row: _named(row, state=RUNS[row["status"]]),
    ),
    SearchedKind(
        "erp",
        "material",
        gettext_lazy("Materials"),
        icon="disc",
        by=NAME,
        more="/material/",
        tell=_named,
    ),
    SearchedKind(
        "erp",
        "stock",
        gettext_lazy("Lots"),
        icon="tag",
        by=("filter[lot]",),
        more="",
        tell=_lot,
    ),
]


@page("GET")
def search(visit: PageContext) -> HttpResponse:
    """Results by kind; leads to the page of what is named exactly."""
    text = " ".join(visit.request.GET.get("q", "").split())[:MAX_QUERY]
    if not visit.person:
        return visit.to_sign_in()
    if path := exact_page(visit, text) if text else "":
        return visit.go(path)
    groups = [group for kind in KINDS if (group := _group_of(visit, kind, text))] if text else []
    return visit.show("search", query=text, groups=groups)


def exact_page(visit: PageContext, text: str) -> str:
    """The page of the address, identifier or order number that a text is; empty for others."""
    if "/" in text:
        return _of_address(text)
    try:
        return _of_key(visit, UUID(text))
    except ValueError:
        pass
    number = NUMBER.fullmatch(text)
    if number and visit.shop:
        matches = visit.all_of("order", limit=1, bureau=visit.shop["uri"], number=number[1])
        return page_path(matches[0]["uri"]) if matches else ""
    return ""


def _of_address(text: str) -> str:
    """The page of the address of a page or a resource, on whatever host name it was printed."""
    try:
        path = f"{urlsplit(text).path.rstrip('/')}/"
        return path if "uuid" in resolve(path, "apps.console.urls").kwargs else ""
    except (ValueError, Resolver404):
        return ""


def _of_key(visit: PageContext, key: UUID) -> str:
    """The page of the resource with this key."""
    for kind in IDENTIFIED:
        if visit.api.find(api_uri(kind, key)):
            return f"/{kind}/{key}/"
    return ""


def _group_of(visit: PageContext, kind: SearchedKind, text: str) -> Group | None:
    """The results of a kind; None where there are none."""
    rows: Context = {}
    count = 0
    for matches in _pages(visit, kind, text):
        rows |= {row["uri"]: row for row in matches["resources"]}
        count = max(count, matches["meta"]["count"])
    if not rows:
        return None
    _add_numbers(visit, rows.values())
    results = [kind.tell(row) for row in rows.values()][:A_GROUP]
    more = f"{kind.more}?search[name]={quote(text)}" if kind.more and count > A_GROUP else ""
    return Group(kind.title, kind.icon, results, more)


def _add_numbers(visit: PageContext, rows: Iterable[Context]) -> None:
    """Put beside line items the number of their order."""
    named = {row["order"] for row in rows if row.get("order")}
    orders = visit.all_of("order", uri=",".join(sorted(named))) if named else []
    numbers = {order["uri"]: order["number"] for order in orders}
    for row in rows:
        row["order_number"] = numbers.get(row.get("order"))


def _pages(visit: PageContext, kind: SearchedKind, text: str) -> Iterator[Any]:
    """The first results by each parameter; none by one that does not take such a text."""
    for name in kind.by:
        parameters = {name: text, "page[limit]": A_GROUP}
        try:
            yield visit.api.list(kind.service, f"/{kind.name}/", **parameters)
        except ApiError as declined:
            if declined.http_status != 400:
                raise
