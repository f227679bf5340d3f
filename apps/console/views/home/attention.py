"""Attention list of the dashboard: missing and low materials, due maintenance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from apps.console.domain.model_report import CARE
from apps.console.views.base.page import PageContext
from apps.console.views.base.page_urls import page_path

if TYPE_CHECKING:
    from apps.console.views.printers.farm import ShownPrinter
    from manufacturing.generated.erp import Bureau, Material, Shortage

MAX_SHORT = 5  # materials
MAX_DUE = 5  # printers with due maintenance


class Attention(NamedTuple):
    """Something that waits for a person.

    note : beside the title
    link : where it is settled, and what that is called
    """

    tone: str
    icon: str
    title: str
    note: str
    path: str
    link: str


def of_shortages(visit: PageContext, shop: Bureau) -> Iterator[Attention]:
    """The materials of which more is needed than there is."""
    path = f"{page_path(shop['uri'])}shortages/"
    short: list[Shortage] = visit.api.list("erp", path, **{"page[limit]": MAX_SHORT})["resources"]
    for row in short:
        placeholders = {
            "missing": number_format(row["missing"], 0),
            "free": number_format(row["free"], 0),
            "needed": number_format(row["needed"], 0),
            "unit": row["unit"],
            "name": row["name"],
        }
        yield Attention(
            tone=CARE,
            icon="disc",
            title=_("%(name)s runs out: %(missing)s %(unit)s missing") % placeholders,
            note=_("%(free)s %(unit)s left, %(needed)s %(unit)s needed") % placeholders,
            path="/stock/",
            link=_("Open inventory"),
        )


def of_low_materials(visit: PageContext, shop: Bureau) -> Iterator[Attention]:
    """The materials of which less is free than their reorder point."""
    low: list[Material] = visit.all_of(
        "material", limit=MAX_SHORT, bureau=shop["uri"], stock_level="low"
    )
    for row in low:
        yield Attention(
            tone=CARE,
            icon="disc",
            title=_("%(name)s is low") % {"name": row["name"]},
            note=_("Less than the reorder point of %(point)s is free")
            % {"point": number_format(row["reorder_point"] or 0, 0)},
            path="/stock/?filter[level]=low",
            link=_("Open inventory"),
        )


def of_maintenance(printers: list[ShownPrinter]) -> Iterator[Attention]:
    """The printers that have maintenance due, those that have waited longest first."""
    due = [row for row in printers if row["due_maintenance"]]
    due.sort(key=lambda row: min(task["since"] for task in row["due_maintenance"]))
    for row in due[:MAX_DUE]:
        yield Attention(
            tone=CARE,
            icon="list-details",
            title=_("%(name)s: maintenance due") % {"name": row["name"]},
            note=", ".join(task["name"] for task in row["due_maintenance"]),
            path=f"{row['path']}maintenance/",
            link=_("Open maintenance"),
        )
