"""Dashboard: what waits for a person, orders due next, key figures, printers, first steps."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings
from django.http import HttpResponse
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.console.domain.charts import BarChart, bar_chart
from apps.console.domain.messages import Context
from apps.console.domain.model_report import BAD, CARE
from apps.console.domain.printers.printer_status import UPKEEP, urgency
from apps.console.domain.production_status import ORDERS, State, money
from apps.console.domain.roles import FIRST_PAGES, OWNING, role_of
from apps.console.domain.stats import Stat, rounded_money
from apps.console.views.base.page import PageContext, page
from apps.console.views.base.page_urls import page_path
from apps.console.views.home.attention import (
    Attention,
    of_low_materials,
    of_maintenance,
    of_shortages,
)
from apps.console.views.home.failures import count_failed
from apps.console.views.printers.farm import MAX_PRINTERS, show_printers
from core.web.internal_client import ApiError

if TYPE_CHECKING:
    from apps.console.views.printers.farm import ShownPrinter
    from manufacturing.generated.erp import Bureau, Figures, Order, SalesWeek

MAX_DUE = 6  # orders that are due next
MAX_SHOWN = 8  # printers
MAX_WAITING = 6  # printers that need attention
MAX_ITEMS = 1000  # of these orders
MONTH = 4  # weeks
LATE = State(BAD, gettext_lazy("Late"))


class Step(NamedTuple):
    """Something that a new shop sets up; `right` is needed for it, if any."""

    title: str
    note: str
    path: str
    done: bool
    right: str = ""


@page("GET")
def home(visit: PageContext) -> HttpResponse:
    """The dashboard of the current shop; the welcome page for strangers."""
    if not visit.person:
        return visit.show("welcome", open=settings.REGISTRATION == "open")
    if visit.shop is None:
        return visit.show("dashboard", greeting=_greeting(visit), key=visit.form_key)
    first = FIRST_PAGES.get(role_of(visit.rights), "")
    if first:
        return visit.go(f"{first}?{visit.request.GET.urlencode()}")
    return _dashboard(visit, visit.shop)


def _dashboard(visit: PageContext, shop: Bureau) -> HttpResponse:
    figures: Figures = visit.api.get(f"{shop['uri']}figures/")
    printers = visit.all_of("printer", bureau=shop["uri"], limit=MAX_PRINTERS)
    show_printers(visit, printers)
    printers.sort(key=lambda row: urgency(row["state"], row["end"]))
    orders = _due(visit, shop)
    waiting = [
        *_of_printers(printers),
        *_of_orders(orders),
        *of_shortages(visit, shop),
        *of_low_materials(visit, shop),
        *of_maintenance(printers),
        *_of_jobs(visit),
    ]
    return visit.show(
        "dashboard",
        shop=shop,
        greeting=_greeting(visit),
        waiting=waiting,
        orders=orders,
        printers=printers[:MAX_SHOWN],
        count=len(printers),
        stats=_stats(figures),
        chart=_chart(figures["sales"], figures["currency"]),
        steps=_steps(visit, shop, figures, has_printer=bool(printers)),
    )


def _greeting(visit: PageContext) -> str:
    names = visit.person["name"].split() if visit.person else []
    return _("Hello, %(name)s") % {"name": names[0]} if names else _("Dashboard")


# ---------------------------------------------------------------- orders


def _due(visit: PageContext, shop: Bureau) -> list[Context]:
    """The confirmed orders that are due next, late ones first, with `done` of `pieces`."""
    parameters = {
        "filter[bureau]": shop["uri"],
        "filter[status]": "confirmed,in-progress",
        "sort": "due_date",
        "page[limit]": MAX_DUE,
    }
    orders: list[Order] = visit.api.list("erp", "/order/", **parameters)["resources"]
    customers = _customers(visit, orders)
    named = ",".join(order["uri"] for order in orders)
    items = visit.all_of("line-item", limit=MAX_ITEMS, order=named) if orders else []
    return [
        {
            **order,
            "path": page_path(order["uri"]),
            "customer": customers.get(order["customer"] or "") or order["customer_name"] or "",
            "due": datetime.fromisoformat(order["due_date"]) if order["due_date"] else None,
            "pieces": sum(
                item["quantity"]
                for item in items
                if item["order"] == order["uri"] and item["status"] != "cancelled"
            ),
            "done": _done(visit, order),
            "late": _is_late(order),
            "state": LATE if _is_late(order) else ORDERS[order["status"]],
        }
        for order in orders
    ]


def _is_late(order: Order) -> bool:
    due = order["due_date"]
    return due is not None and datetime.fromisoformat(due) < timezone.now()


def _done(visit: PageContext, order: Order) -> int:
    """How many pieces of an order are complete."""
    parameters = {"filter[order]": order["uri"], "filter[status]": "complete", "page[limit]": 1}
    return visit.api.list("erp", "/piece/", **parameters)["meta"]["count"]


def _customers(visit: PageContext, orders: list[Order]) -> dict[str, str]:
    """The names of the customers of orders, by their URIs; of those that the visitor may see."""
    named = {order["customer"] for order in orders if order["customer"]}
    if not named:
        return {}
    stats = visit.all_of("customer", uri=",".join(sorted(named)))
    return {customer["uri"]: customer["name"] for customer in stats}


# ---------------------------------------------------------------- what waits for a person


def _of_printers(printers: list[ShownPrinter]) -> Iterator[Attention]:
    waiting = [
        row
        for row in printers
        if row["driver"] and row["state"].sign in (CARE, BAD) and row["state"] is not UPKEEP
    ]
    for row in waiting[:MAX_WAITING]:
        yield Attention(
            tone=row["state"].sign,
            icon="printer",
            title=f"{row['name']}: {row['state'].words}",
            note=str(row["run"]["name"]) if row["run"] else "",
            path=row["path"],
            link=_("Open printer"),
        )
    if more := len(waiting[MAX_WAITING:]):
        title = ngettext("%(count)s more printer", "%(count)s more printers", more)
        yield Attention(
            tone=CARE,
            icon="printer",
            title=title % {"count": more},
            note="",
            path="/printer/?state=attention",
            link=_("Show printers"),
        )


def _of_orders(orders: list[Context]) -> Iterator[Attention]:
    for order in orders:
        if order["late"]:
            title = _("Order #%(number)s is late") % {"number": order["number"]}
            note = " · ".join(word for word in (order["customer"], order["name"]) if word)
            yield Attention(
                tone=BAD,
                icon="clock-exclamation",
                title=title,
                note=note,
                path=order["path"],
                link=_("Open order"),
            )


def _of_jobs(visit: PageContext) -> Iterator[Attention]:
    if count := count_failed(visit):
        title = ngettext("%(count)s failed job", "%(count)s failed jobs", count) % {"count": count}
        note = _("Parts, slices, estimates and builds")
        yield Attention(
            tone=BAD,
            icon="alert-triangle",
            title=title,
            note=note,
            path="/failed/",
            link=_("Show reasons"),
        )


# ---------------------------------------------------------------- key figures


def _stats(figures: Figures) -> list[Stat]:
    """The key figures that the visitor may see."""
    stats = [] if figures["sales"] is None else [_sales(figures["sales"], figures["currency"])]
    quotes, on_time = figures["quotes"], figures["on_time"]
    count, total = quotes["count"], quotes["total"]
    open_quotes = ngettext("%(count)s quote", "%(count)s quotes", count) % {"count": count}
    if total is None:
        stats.append(Stat(_("Open quotes"), number_format(count), ""))
    else:
        stats.append(Stat(_("Open quotes"), rounded_money(total, figures["currency"]), open_quotes))
    late = _("%(part)s of %(whole)s orders late") % {
        "part": on_time["late"],
        "whole": on_time["due"],
    }
    used, scrap = figures["utilisation"], figures["scrap"]
    printers = ngettext("%(count)s printer", "%(count)s printers", used["printers"])
    rejected = _("%(part)s of %(whole)s pieces") % {
        "part": scrap["rejected"],
        "whole": scrap["finished"],
    }
    return [
        *stats,
        Stat(
            _("On-time delivery, 30 days"),
            _percent(on_time["share"]),
            late if on_time["due"] else _("No orders were due"),
            "down" if on_time["late"] else "muted",
        ),
        Stat(
            _("Printer utilisation, 7 days"),
            _percent(used["share"]),
            printers % {"count": used["printers"]},
        ),
        Stat(
            _("Scrap, 30 days"),
            _percent(scrap["share"], digits=1),
            rejected if scrap["finished"] else _("No pieces were finished"),
        ),
    ]


def _sales(weeks: list[SalesWeek], currency: str) -> Stat:
    """Sales of the last four weeks, beside those of the four before."""
    now = sum(week["net"] for week in weeks[-MONTH:])
    before = sum(week["net"] for week in weeks[-2 * MONTH : -MONTH])
    note, tone = _("Net, confirmed orders"), "muted"
    if before:
        change = round(100 * (now / before - 1))
        note = _("%(change)s %% to 4 weeks before") % {"change": f"{change:+d}"}
        tone = "up" if change >= 0 else "down"
    return Stat(_("Sales, 4 weeks"), rounded_money(now, currency), note, tone)


def _percent(share: float | None, digits: int = 0) -> str:
    return "–" if share is None else f"{number_format(100 * share, digits)} %"


def _chart(weeks: list[SalesWeek] | None, currency: str) -> BarChart | None:
    """Sales by week as a chart; None where the visitor may not see them, or nothing was sold."""
    if not weeks or not any(week["net"] for week in weeks):
        return None
    numbers = [date.fromisoformat(week["week"]).isocalendar().week for week in weeks]
    labels = [_("W%(week)s") % {"week": number} for number in numbers]
    titles = [
        f"{label}: {money(week['net'], currency)}"
        for label, week in zip(labels, weeks, strict=True)
    ]
    return bar_chart([week["net"] for week in weeks], labels, titles)


# ---------------------------------------------------------------- first steps


def _steps(visit: PageContext, shop: Bureau, figures: Figures, *, has_printer: bool) -> list[Step]:
    """What a new shop sets up; nothing once all is done, or an order was completed."""
    if figures["orders"]["complete"]:
        return []
    path = page_path(shop["uri"])
    steps = [
        Step(
            _("Add a printer"),
            _("What you print on"),
            "/printer/add/",
            has_printer,
            "printer.all",
        ),
        Step(
            _("Add a material"),
            _("What you print with, and what it costs"),
            "/material/new/",
            _any(visit, "erp", "material", shop),
            "material.all",
        ),
        Step(
            _("Create a price list"),
            _("Prices for quotes"),
            f"{path}prices/",
            _any(visit, "erp", "price-list", shop),
            "price.all",
        ),
        Step(
            _("Upload a part"),
            _("STL, 3MF, STEP and more"),
            "/model/",
            _any(visit, "models", "model"),
        ),
        Step(
            _("Create an order"),
            _("Parts, quantities, material"),
            "/order/new/",
            any(figures["orders"].values()),
        ),
        Step(
            _("Invite a person"),
            _("Production or sales"),
            "/settings/people/invite/",
            _any(visit, "erp", "membership-bureau", shop, more_than=1),
            OWNING,
        ),
    ]
    if not visit.works_in_shop:
        return []
    steps = [step for step in steps if not step.right or step.right in visit.rights]
    return [] if all(step.done for step in steps) else steps


def _any(
    visit: PageContext, service: str, kind: str, shop: Bureau | None = None, more_than: int = 0
) -> bool:
    """Whether there are more of a kind than this; not where the visitor may not see any."""
    parameters = {"filter[bureau]": shop["uri"] if shop else None, "page[limit]": more_than + 1}
    try:
        return len(visit.api.list(service, f"/{kind}/", **parameters)["resources"]) > more_than
    except ApiError:
        return False
