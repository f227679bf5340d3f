"""Table of the production queue: line items in the order of work, filters, suggested builds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from apps.console.domain import production_status
from apps.console.domain.messages import Context, JsonValue, Shown, duration
from apps.console.domain.work_queue import (
    SHOWN,
    Filter,
    due_of,
    due_state,
    groups_of,
    suggestions,
)
from apps.console.views.base.page import PageContext
from apps.console.views.base.page_urls import page_path, uuid_of
from apps.console.views.production.work_queue import MAX_LINES, PackForm, WorkQueue, show
from core.web.internal_client import ListPage

if TYPE_CHECKING:
    from manufacturing.generated.erp import Bureau, LineItem, Run, Unscheduled

A_PAGE = 20  # line items
MAX_RUNS = 6
MAX_SUGGESTIONS = 6
RUNNING = ("created", "calculating")


def show_table(
    work: WorkQueue, status: int = 200, errors: Sequence[str | Promise] = ()
) -> HttpResponse:
    visit, chosen, now = work.visit, work.filter, timezone.now()
    query = {"filter[bureau]": work.shop["uri"], "page[limit]": MAX_RUNS}
    runs = visit.api.list("erp", "/run/", **query)
    kinds = _rows(visit, "material", work.shop)
    materials = {uri: row["name"] for uri, row in kinds.items()}
    types = {uri: row["name"] for uri, row in _rows(visit, "printer-type", work.shop).items()}
    shown = [row for row in work.rows if chosen.matches(row, now)]
    number = visit.request.GET.get("page", "")
    first = (max(1, int(number[:6])) - 1) * A_PAGE if number.isdecimal() else 0
    rows = shown[first : first + A_PAGE]
    lines = _lines(work, rows, materials, types)
    for row in lines:
        row["color"] = (kinds.get(str(row["material"])) or {}).get("color")
    arguments = visit.request.GET.dict()
    return show(
        work,
        "",
        status,
        errors=errors,
        form=_pack_form(work, chosen, rows, runs),
        rows=lines,
        may=bool(rows) and _may_change(visit, rows[0]["line_item"]),
        selected=visit.request.POST.getlist("pieces"),
        all_selected="select" in arguments,
        filter=chosen,
        chips=_chips(work, materials, types),
        suggestions=_suggestions(work, materials, types),
        runs=[_shown_run(run) for run in runs["resources"]],
        busy=any(run["status"] in RUNNING for run in runs["resources"]),
        first=first + 1,
        last=first + len(rows),
        total=len(shown),
        unread=max(0, work.count - MAX_LINES),
        prev=work.address(**arguments | {"page": str(first // A_PAGE)}) if first else "",
        next=work.address(**arguments | {"page": str(first // A_PAGE + 2)})
        if first + A_PAGE < len(shown)
        else "",
    )


def _may_change(visit: PageContext, uri: str) -> bool:
    return visit.api.find(uri) is not None and visit.api.may("PUT", uri)


def _rows(visit: PageContext, kind: str, shop: Bureau) -> dict[str, JsonValue]:
    """The resources of a kind, by URI."""
    return {row["uri"]: row for row in visit.all_of(kind, bureau=shop["uri"], limit=MAX_LINES)}


def _shown_run(run: Run) -> Shown:
    return {
        **run,
        "path": page_path(run["uri"]),
        "state": production_status.RUNS[run["status"]],
        "percent": round(100 * (run["progress"] or 0)),
        "number": len(run["pieces"]),
    }


def _pack_form(
    work: WorkQueue, chosen: Filter, rows: Sequence[Unscheduled], runs: ListPage
) -> PackForm:
    """The form of a build, for the printers that print what is shown."""
    printers = [
        row for row in work.printers if chosen.process in ("", row["printer_type"])
    ] or work.printers
    wanted = next((row["process_type"] for row in rows if row["process_type"]), None)
    usual = next((row["uri"] for row in printers if row["printer_type"] == wanted), "")
    # A run that is made changes the form: what waits again may be packed again.
    key = runs["resources"][0]["uri"] if runs["resources"] else "first"
    today = date_format(timezone.localdate(), "SHORT_DATE_FORMAT")
    name = f"{_('Build of')} {today} ({runs['meta']['count'] + 1})"
    # A suggested build is of all that goes together, which may be more than fits.
    some = "select" in work.visit.request.GET
    return PackForm(printers=printers, printer=usual, some=some, key=key, name=name)


def _lines(
    work: WorkQueue,
    rows: Sequence[Unscheduled],
    materials: dict[str, str],
    types: dict[str, str],
) -> list[Shown]:
    """What the table shows of line items, whose pictures and estimates are read."""
    named = ",".join(sorted({row["line_item"] for row in rows}))
    items = work.visit.all_of("line-item", uri=named, limit=MAX_LINES) if rows else []
    by_uri: dict[str, LineItem] = {item["uri"]: item for item in items}
    now = timezone.now()
    lines = []
    for row in rows:
        if (item := by_uri.get(row["line_item"])) is None:  # deleted meanwhile, or not shown
            continue
        due, key = due_of(row), uuid_of(row["line_item"])
        estimates = item["estimates"]
        seconds = estimates["per_piece"]["print_time"] if estimates else None
        lines.append(
            {
                **row,
                "key": key,
                "title": production_status.part_name(row["name"]),
                "picture": item["snapshot"],
                "part_path": page_path(item["model"]) if item["model"] else "",
                "order_path": page_path(row["order"]) if row["order"] else "",
                "number": row["count"],
                "of": item["quantity"],
                "due": due,
                "due_state": due_state(due, now),
                "material_name": materials.get(row["material"] or "", ""),
                "type_name": types.get(row["process_type"] or "", ""),
                "print_time": duration(seconds * row["count"]) if seconds else "",
                "value": f"{key}:{','.join(uuid_of(uri) for uri in row['pieces'])}",
            }
        )
    return lines


def _chips(work: WorkQueue, materials: dict[str, str], types: dict[str, str]) -> list[Context]:
    """Filter chips, each with the number of line items; what all have in common has none."""
    chosen, now = work.filter, timezone.now()
    searched = Filter(search=chosen.search)
    rows = [row for row in work.rows if searched.matches(row, now)]
    groups = [groups_of(row, now) for row in rows]
    chips = [
        {
            "title": title,
            "path": work.address(show=name, q=chosen.search),
            "count": sum(name in {"", *theirs} for theirs in groups),
            "chosen": name == chosen.show and not chosen.material and not chosen.process,
        }
        for name, title in SHOWN.items()
    ]
    by_material = [row["material"] for row in rows if row["material"] in materials]
    by_type = [row["process_type"] for row in rows if row["process_type"] in types]
    for argument, uris, titles in (("material", by_material, materials), ("type", by_type, types)):
        values = sorted({uri for uri in uris if uri})
        chips += [
            {
                "title": titles[uri],
                "path": work.address(**{argument: uuid_of(uri), "q": chosen.search}),
                "count": uris.count(uri),
                "chosen": uri in (chosen.material, chosen.process),
            }
            for uri in values
            if len(values) > 1
        ]
    return [chip for at, chip in enumerate(chips) if chip["count"] or chip["chosen"] or not at]


def _suggestions(
    work: WorkQueue, materials: dict[str, str], types: dict[str, str]
) -> list[Context]:
    """The builds that may be planned of what waits."""
    return [
        {
            "title": " · ".join(
                name for name in (types.get(each.process), materials.get(each.material)) if name
            ),
            "pieces": each.pieces,
            "orders": each.orders,
            "path": work.address(
                type=uuid_of(each.process) if each.process else "",
                material=uuid_of(each.material) if each.material else "",
                select="all",
            ),
        }
        for each in suggestions(work.rows)[:MAX_SUGGESTIONS]
    ]
