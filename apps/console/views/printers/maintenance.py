"""Maintenance of a printer: tasks with what is left of their intervals, log, form of entries."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from django import forms
from django.http import HttpResponse, QueryDict
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.console.domain.messages import Shown
from apps.console.domain.resources.resource_values import moment
from apps.console.views.base.page import PageContext, handle_form, key_of, page
from apps.console.views.base.page_urls import api_uri, page_path

if TYPE_CHECKING:
    from datetime import datetime

    from manufacturing.generated.erp import Maintenance, Measure, Printer, TaskState

MAX_ENTRIES = 50  # of the log
SOON = 80  # percent of an interval, from which a task is marked


class Interval(NamedTuple):
    """An interval of a task: used part in percent, at most 100, and in words."""

    percent: int
    tone: str
    every: str
    left: str


class ShownTask(NamedTuple):
    """A task of a printer as pages show it."""

    uri: str
    name: str
    notes: str
    is_due: bool
    blocks: bool
    done: datetime | None
    intervals: list[Interval]


class MaintenanceForm(forms.Form):
    """Work that was done on a printer, and whether it takes runs."""

    name = forms.CharField(label=gettext_lazy("Other work"), max_length=200, required=False)
    notes = forms.CharField(
        label=gettext_lazy("Notes"),
        required=False,
        max_length=10_000,
        widget=forms.Textarea({"rows": 2}),
    )
    maintenance = forms.BooleanField(
        label=gettext_lazy("In maintenance"),
        required=False,
        help_text=gettext_lazy("While this is on, the printer takes no builds."),
    )
    key = forms.CharField(widget=forms.HiddenInput)

    field_order = ("tasks", "name", "notes", "maintenance", "key")

    def __init__(
        self,
        data: QueryDict | None,
        *,
        initial: Shown,
        tasks: list[tuple[str, str]],
        may_change: bool,
    ) -> None:
        """Tasks: URI and name of each; may_change: whether the person may change the printer."""
        super().__init__(data, initial=initial)
        if tasks:
            self.fields["tasks"] = forms.MultipleChoiceField(
                label=gettext_lazy("Completed tasks"),
                choices=tasks,
                required=False,
                widget=forms.CheckboxSelectMultiple({"class": "form-check-input"}),
            )
            self.order_fields(self.field_order)
        if not may_change:
            del self.fields["maintenance"]

    def clean(self) -> None:
        """Require work, or a change of whether the printer takes runs."""
        values = self.cleaned_data
        is_empty = not values.get("tasks") and not values.get("name")
        if is_empty and (values.get("notes") or "maintenance" not in self.changed_data):
            self.add_error("name", _("Select a task, or name the other work."))


@page("GET", "POST")
def maintenance(visit: PageContext, uuid: UUID) -> HttpResponse:
    """The maintenance plan and log of a printer; POST logs work."""
    printer: Printer = visit.api.get(api_uri("printer", uuid))
    plan: Maintenance = visit.api.get(f"{printer['uri']}maintenance/")
    form = MaintenanceForm(
        visit.request.POST if visit.posted else None,
        initial={"key": visit.form_key, "maintenance": printer["maintenance"]},
        tasks=[(task["task"], task["name"]) for task in plan["tasks"]],
        may_change=visit.api.may("PUT", printer["uri"]),
    )

    def log() -> HttpResponse:
        _log(visit, printer, form)
        return visit.go(f"{page_path(printer['uri'])}maintenance/", done="saved")

    done, status = handle_form(form, log) if visit.posted else (None, 200)
    return done or visit.show(
        "printer-maintenance",
        status,
        printer={**printer, "path": page_path(printer["uri"])},
        tasks=[_shown(task) for task in plan["tasks"]],
        entries=_entries(visit, printer),
        form=form,
        may_log=visit.works_in_shop,
        may_plan=visit.api.may("PUT", printer["printer_type"]),
        plan_path=f"/maintenance-task/?filter[printer_type]={printer['printer_type']}",
        counters=_counters(plan),
    )


def _log(visit: PageContext, printer: Printer, form: MaintenanceForm) -> None:
    """Create an entry for each task and the other work, and set whether the printer takes runs."""
    values = form.cleaned_data
    works: list[Shown] = [{"task": uri} for uri in values.get("tasks", ())]
    if values["name"]:
        works.append({"name": values["name"]})
    for work in works:
        body = {"printer": printer["uri"], "notes": values["notes"], **work}
        visit.make("erp", "maintenance-entry", body, key=key_of(form))
    is_in = values.get("maintenance", printer["maintenance"])
    if is_in != printer["maintenance"]:
        visit.api.ask("PUT", printer["uri"], {"maintenance": is_in})


def tasks_of(visit: PageContext, printer: Printer) -> list[ShownTask]:
    """Return the tasks of a printer, those that are due first."""
    plan: Maintenance = visit.api.get(f"{printer['uri']}maintenance/")
    return [_shown(task) for task in plan["tasks"]]


def _shown(task: TaskState) -> ShownTask:
    return ShownTask(
        uri=task["task"],
        name=task["name"],
        notes=task["notes"] or "",
        is_due=task["due"],
        blocks=task["blocks"],
        done=moment(task["done"]),
        intervals=[
            _interval(name, measure)
            for name, measure in (
                ("hours", task["hours"]),
                ("grams", task["grams"]),
                ("jobs", task["jobs"]),
                ("days", task["days"]),
            )
            if measure
        ],
    )


def _interval(name: str, measure: Measure) -> Interval:
    interval, left = measure["interval"], ceil(max(measure["remaining"], 0))
    percent = min(100 * measure["used"] / interval, 100)
    tone = "bad" if measure["remaining"] <= 0 else "warn" if percent >= SOON else ""
    every, rest = _sentences(name, interval, left)
    shown = int(interval) if interval == int(interval) else interval
    numbers = {"interval": number_format(shown), "left": number_format(left)}
    return Interval(int(percent), tone, every % numbers, rest % numbers)


def _sentences(name: str, interval: float, left: int) -> tuple[str, str]:
    """How often a task is due by a measure, and what is left, without the numbers."""
    if name == "hours":
        return _("every %(interval)s h"), _("%(left)s h left")
    if name == "grams":
        return _("every %(interval)s g"), _("%(left)s g left")
    if name == "jobs":
        return (
            ngettext("every %(interval)s print", "every %(interval)s prints", int(interval)),
            ngettext("%(left)s print left", "%(left)s prints left", left),
        )
    return (
        ngettext("every %(interval)s day", "every %(interval)s days", int(interval)),
        ngettext("%(left)s day left", "%(left)s days left", left),
    )


def _entries(visit: PageContext, printer: Printer) -> list[Shown]:
    """Return the newest entries of a printer's log, with the names of who made them."""
    rows = visit.api.list(
        "erp",
        "/maintenance-entry/",
        **{"filter[printer]": printer["uri"], "sort": "-created", "page[limit]": MAX_ENTRIES},
    )["resources"]
    names = {row["uri"]: row["name"] or row["username"] for row in visit.members}
    return [
        {**row, "at": moment(row["created"]), "by": names.get(row["creator"], "")} for row in rows
    ]


def _counters(plan: Maintenance) -> list[tuple[str, str]]:
    """Label and value of what a printer has printed."""
    counters = plan["counters"]
    return [
        (_("Print time"), f"{number_format(counters['hours'], 0)} h"),
        (_("Filament"), f"{number_format(counters['grams'] / 1000, 1)} kg"),
        (_("Prints"), number_format(counters["jobs"])),
    ]
