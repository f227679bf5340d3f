"""Start and end G-code of a printer type: proposal, confirmation, test slice."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from uuid import UUID

from django import forms
from django.http import HttpResponse
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import Context, error_message
from apps.console.domain.printers.gcode_notes import translated_note
from apps.console.views.base.page import PageContext, handle_form, page
from apps.console.views.base.page_urls import api_uri, page_path

if TYPE_CHECKING:
    from manufacturing.generated.erp import PrinterType
    from manufacturing.generated.slicing import (
        GcodeProposal,
        PrinterGcode,
        ProposedGcode,
        Unresolved,
    )

LABELS = {
    "start_gcode": _("Start G-code"),
    "before_layer_gcode": _("Before layer change G-code"),
    "layer_gcode": _("Layer change G-code"),
    "end_gcode": _("End G-code"),
}
REQUIRED = ("start_gcode", "end_gcode")
MAX_ROWS = 24  # of a text area
RUNNING = ("queued", "processing")


def _text(name: str, rows: int = 8) -> forms.CharField:
    widget = forms.Textarea(attrs={"class": "font-monospace", "rows": rows, "spellcheck": "false"})
    required = name in REQUIRED
    return forms.CharField(label=LABELS[name], widget=widget, required=required, strip=False)


class GcodeForm(forms.Form):
    """G-code with PrusaSlicer's placeholders, and the confirmation of it."""

    start_gcode = _text("start_gcode")
    before_layer_gcode = _text("before_layer_gcode")
    layer_gcode = _text("layer_gcode")
    end_gcode = _text("end_gcode")
    confirm = forms.BooleanField(label=_("I have read this G-code and it is right for my printer"))
    key = forms.CharField(widget=forms.HiddenInput)


class OriginalForm(forms.Form):
    """G-code with the placeholders of OrcaSlicer or Bambu Studio."""

    start_gcode = _text("start_gcode")
    before_layer_gcode = _text("before_layer_gcode", 3)
    layer_gcode = _text("layer_gcode", 3)
    end_gcode = _text("end_gcode")


@page("GET", "POST")
def printer_gcode(visit: PageContext, uuid: UUID) -> HttpResponse:
    """The proposed G-code of a printer type beside its original, and what has been confirmed."""
    row: PrinterType = visit.api.get(api_uri("printer-type", uuid))
    if not row["preset"]:
        return visit.go(page_path(row["uri"]))
    visit.require("printer_type.all")
    action = visit.request.POST.get("action", "")
    if action == "use":
        visit.api.ask("PUT", row["uri"], {"printer_gcode": visit.request.POST.get("gcode", "")})
        return visit.go(page_path(row["uri"]), done="saved")
    original = OriginalForm(visit.request.POST if action == "translate" else None, auto_id="o_%s")
    proposal: GcodeProposal = visit.api.get(f"{row['preset']}gcode-proposal/")

    def translate() -> HttpResponse:
        answer = visit.api.ask("POST", f"{row['preset']}gcode-translation/", original.cleaned_data)
        return _shown(visit, row, json.loads(answer.content), original, None)

    if action == "translate":
        done, status = handle_form(original, translate)
        return done or _shown(visit, row, proposal, original, None, status)
    form = GcodeForm(visit.request.POST) if action == "confirm" else None

    def confirm() -> HttpResponse:
        assert form is not None  # noqa: S101  for the type checker
        body = {name: form.cleaned_data[name] for name in (*LABELS, "confirm")}
        body["printer"] = row["preset"]
        visit.make("slicing", "printer-gcode", body, key=form.cleaned_data["key"])
        return visit.go(f"{page_path(row['uri'])}gcode/")

    if form is None:
        return _shown(visit, row, proposal, original, None)
    done, status = handle_form(form, confirm)
    return done or _shown(visit, row, proposal, original, form, status)


def _shown(
    visit: PageContext,
    row: PrinterType,
    proposal: GcodeProposal,
    original: forms.Form,
    form: GcodeForm | None,
    status: int = 200,
) -> HttpResponse:
    query = {"filter[printer]": row["preset"], "sort": "-created", "page[limit]": "1"}
    rows: list[PrinterGcode] = visit.api.list("slicing", "/printer-gcode/", **query)["resources"]
    newest = rows[0] if rows else None
    if form is None:
        texts = {each["field"]: each["text"] for each in proposal["gcodes"]}
        if newest and not visit.posted:  # what was confirmed, which may have been edited
            texts = {
                "start_gcode": newest["start_gcode"],
                "before_layer_gcode": newest["before_layer_gcode"] or "",
                "layer_gcode": newest["layer_gcode"] or "",
                "end_gcode": newest["end_gcode"],
            }
        form = GcodeForm(initial={**texts, "key": visit.form_key})
    gcodes = [_gcode(each, form) for each in proposal["gcodes"]]
    running = bool(newest and newest["status"] in RUNNING)
    return visit.show(
        "printer-gcode",
        status,
        busy=running,
        title=row["name"],
        path=page_path(row["uri"]),
        proposal=proposal,
        form=form,
        original=original,
        gcodes=gcodes,
        has_original=any(each["original"] for each in gcodes),
        unresolved=[fault for each in gcodes for fault in each["unresolved"]],
        warnings=[translated_note(each) for each in proposal["warnings"]],
        assumed=[
            {**one, "reason": translated_note(one["reason"])}
            for each in proposal["gcodes"]
            for one in each["assumed"]
        ],
        newest=newest,
        running=running,
        used=bool(newest and newest["uri"] == row["printer_gcode"]),
        errors=[error_message(error) for error in (newest and newest["errors"]) or ()],
    )


def _gcode(proposed: ProposedGcode, form: GcodeForm) -> Context:
    """Return one G-code of the page: label, original, field, and lines that must be edited."""
    name = proposed["field"]
    field, lines = form[name], proposed["text"].splitlines()
    length = max(len(lines), proposed["original"].count("\n") + 1, 2)
    field.field.widget.attrs["rows"] = rows = min(length, MAX_ROWS)
    return {
        "label": LABELS[name],
        "field": field,
        "name": name,
        "original": proposed["original"],
        "rows": rows,
        "unresolved": [
            {
                "label": LABELS[name],
                "name": fault["name"],
                "line": fault["line"],
                **_parts(lines, fault),
            }
            for fault in proposed["unresolved"]
        ],
    }


def _parts(lines: list[str], fault: Unresolved) -> Context:
    """Return a line in three parts: before a placeholder's name, the name, and behind it."""
    line = lines[fault["line"] - 1] if fault["line"] <= len(lines) else ""
    before, name, behind = line.partition(fault["name"]) if fault["name"] else (line, "", "")
    return {"before": before, "marked": name, "behind": behind}
