"""Production queue of a shop as its pages read it: line items, filter, form of a build."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.http import HttpResponse, QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.console.domain.work_queue import SHOWN, Filter, is_printed
from apps.console.views.base.page import PageContext
from apps.console.views.base.page_urls import api_uri, page_path, uri_choices, uuid_of

if TYPE_CHECKING:
    from apps.console.views.printers.farm import ShownPrinter
    from manufacturing.generated.erp import Bureau, Printer, Unscheduled

MAX_LINES = 1000  # line items that are read, in the order of work


class View(NamedTuple):
    """A view of the queue."""

    title: str | Promise
    icon: str


# By `view` in the address.
VIEWS = {
    "": View(_("Table"), icon="list-details"),
    "board": View(_("Board"), icon="layout-kanban"),
    "schedule": View(_("Schedule"), icon="timeline"),
}


class PackForm(forms.Form):
    """Pieces that a printer is to make together."""

    printer = forms.ChoiceField(label=_("Printer"))
    budget = forms.ChoiceField(
        label=_("Packing effort"),
        choices=[
            ("quick", _("Quick (seconds)")),
            ("standard", _("Standard (up to a minute)")),
            ("thorough", _("Thorough (minutes)")),
        ],
    )
    some = forms.BooleanField(
        label=_("Pack as many as fit; leave the rest unscheduled"), required=False
    )
    # Of the page and not of the moment it is sent: sent twice it is one run.
    name = forms.CharField(widget=forms.HiddenInput, max_length=100)
    key = forms.CharField(widget=forms.HiddenInput)

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        printers: Sequence[Printer],
        **initial: object,
    ):
        super().__init__(data, initial=initial)
        choices = uri_choices(printers)
        self.fields["printer"] = forms.ChoiceField(label=_("Printer"), choices=choices)


@dataclass(frozen=True)
class WorkQueue:
    """Line items of a shop that wait for planning, in the order of work.

    path  : of the page, which its forms are sent to
    rows  : line items with pieces that wait for printing, as far as they are read
    count : of all rows, also of finishing steps
    """

    visit: PageContext
    shop: Bureau
    path: str
    rows: list[Unscheduled]
    finishing: list[Unscheduled]
    count: int
    printers: list[ShownPrinter]

    @classmethod
    def read(cls, visit: PageContext, shop: Bureau) -> WorkQueue:
        """Read the queue of a shop."""
        path = f"{page_path(shop['uri'])}unscheduled/"
        result = visit.api.list("erp", path, **{"page[limit]": MAX_LINES})
        rows: list[Unscheduled] = result["resources"]
        return cls(
            visit=visit,
            shop=shop,
            path=visit.request.path,
            rows=[row for row in rows if is_printed(row)],
            finishing=[row for row in rows if not is_printed(row)],
            count=result["meta"]["count"],
            printers=visit.all_of("printer", bureau=shop["uri"], limit=MAX_LINES),
        )

    @property
    def filter(self) -> Filter:
        """What the address asks for."""
        query = self.visit.request.GET
        show = query.get("show", "")
        return Filter(
            show=show if show in SHOWN else "",
            material=_uri("material", query.get("material", "")),
            process=_uri("printer-type", query.get("type", "")),
            search=query.get("q", "").strip(),
        )

    def address(self, **arguments: str) -> str:
        """Return the address of the queue with these arguments."""
        query = urlencode({name: value for name, value in arguments.items() if value})
        return f"{self.path}?{query}" if query else self.path


def _uri(kind: str, key: str) -> str:
    """The URI of a resource whose key an address names; empty without one."""
    try:
        return api_uri(kind, UUID(key))
    except ValueError:
        return ""


def show(
    work: WorkQueue, view: str, status: int = 200, *, busy: bool = False, **context: object
) -> HttpResponse:
    """A view of the queue: its template is named for it."""
    shop = {**work.shop, "path": page_path(work.shop["uri"]), "key": uuid_of(work.shop["uri"])}
    return work.visit.show(
        f"queue-{view}" if view else "queue",
        status,
        shop=shop,
        views=[
            {
                "title": title,
                "icon": icon,
                "path": work.address(view=name),
                "chosen": name == view,
            }
            for name, (title, icon) in VIEWS.items()
        ],
        lines=len(work.rows),
        pieces=sum(row["count"] for row in work.rows),
        busy=busy,
        **context,
    )
