"""G-code: upload, what its slicer states, and the build that prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast
from uuid import UUID

from django import forms
from django.http import HttpResponse, QueryDict
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import STAGES, Context, duration, error_message
from apps.console.views.base.page import PageContext, handle_form, page
from apps.console.views.base.page_urls import api_uri, page_path, uuid_of
from apps.console.views.parts.slices import has_layers
from core.files.signed_urls import upload_url
from core.uris import base_url

if TYPE_CHECKING:
    from manufacturing.generated.erp import GcodeMatch
    from manufacturing.generated.slicing import Gcode

MAX_WAITING = 200  # line items whose pieces are offered


class BuildForm(forms.Form):
    """A build that prints G-code, and the pieces of orders that it makes."""

    printer_type = forms.ChoiceField(label=_("Printer type"))
    name = forms.CharField(label=_("Name"), max_length=200, required=False)
    pieces = forms.MultipleChoiceField(
        label=_("Pieces of orders that it makes"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Selected are waiting pieces with the name of an object in the file."),
    )
    key = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        types: list[tuple[str, str]],
        pieces: list[tuple[str, str]],
        initial: Context,
    ):
        super().__init__(data, initial=initial)
        self.fields["printer_type"] = forms.ChoiceField(label=_("Printer type"), choices=types)
        if pieces:
            cast(forms.MultipleChoiceField, self.fields["pieces"]).choices = pieces
        else:
            del self.fields["pieces"]


class UploadForm(forms.Form):
    """The name of G-code that is uploaded."""

    name = forms.CharField(label=_("Name"), max_length=200)


@page("GET", "POST")
def upload_gcode(visit: PageContext) -> HttpResponse:
    """Create G-code, and lead to the upload of its file."""
    if not visit.person:
        return visit.to_sign_in()
    form = UploadForm(visit.request.POST if visit.posted else None)
    done, status = handle_form(form, lambda: visit.go(_created(visit, form)))
    return done or visit.show("gcode-upload", status, form=form)


def _created(visit: PageContext, form: UploadForm) -> str:
    uri = f"{base_url('slicing')}/gcode/"
    return visit.api.ask("POST", uri, form.cleaned_data)["Location"]


@page("GET", "POST")
def gcode(visit: PageContext, uuid: UUID) -> HttpResponse:
    """What is in G-code, and the form of a build that prints it."""
    row: Gcode = visit.api.get(api_uri("gcode", uuid))
    shop = visit.shop if visit.shop and visit.works_in_shop else None
    matches: GcodeMatch | None = None
    if shop and row["status"] == "processed":
        matches = visit.api.get(f"{shop['uri']}gcode-match/?gcode={row['uri']}")
    form = _form_of(visit, row, matches) if matches and matches["printer_types"] else None
    if form is None or not visit.posted:
        return _shown(visit, row, matches, form, 200)
    done, status = handle_form(form, lambda: visit.go(_create(visit, row, form), done="created"))
    return done or _shown(visit, row, matches, form, status)


def _create(visit: PageContext, row: Gcode, form: BuildForm) -> str:
    data = form.cleaned_data
    pieces = [uri for each in data.get("pieces", []) for uri in each.split(",")]
    body = {
        "gcode": row["uri"],
        "printer_type": data["printer_type"],
        "run_name": data["name"],
        "pieces": [f"{base_url('erp')}/piece/{key}/" for key in pieces],
    }
    return visit.make("erp", "create-gcode-run", body, key=data["key"])


def _form_of(visit: PageContext, row: Gcode, matches: GcodeMatch) -> BuildForm:
    types = [(each["printer_type"], each["name"]) for each in matches["printer_types"]]
    named = {uuid_of(uri) for each in matches["objects"] for uri in each["pieces"]}
    offered = _offered(visit, named)
    initial: Context = {
        "name": row["name"] or "",
        "key": visit.form_key,
        "pieces": [keys for keys, _label in offered if named.intersection(keys.split(","))],
    }
    data = visit.request.POST if visit.posted else None
    return BuildForm(data, types=types, pieces=offered, initial=initial)


def _offered(visit: PageContext, named: set[str]) -> list[tuple[str, str]]:
    """Waiting pieces as choices, those of each line item together: keys and a label.

    Of a line item that is named by the G-code, as many pieces as are named are one choice.
    """
    path = f"{visit.shop['uri']}unscheduled/" if visit.shop else ""
    rows = visit.api.list("erp", page_path(path), **{"page[limit]": MAX_WAITING})["resources"]
    choices: list[tuple[str, str]] = []
    for row in rows:
        process = row["process_type"]
        if row["hold"] or (process and not page_path(process).startswith("/printer-type/")):
            continue
        keys = [uuid_of(uri) for uri in row["pieces"]]
        own = [key for key in keys if key in named]
        order = f"#{row['order_number']} " if row["order_number"] else ""
        for part in filter(None, (own, [key for key in keys if key not in named])):
            choices.append(
                (",".join(part), f"{order}{row['name'] or _('Unnamed part')} × {len(part)}")
            )
    return choices


def _shown(
    visit: PageContext,
    row: Gcode,
    matches: GcodeMatch | None,
    form: BuildForm | None,
    status: int,
) -> HttpResponse:
    upload = ""
    if visit.person and row["status"] == "not-uploaded":
        whose = UUID(str(visit.person["uuid"]))
        then = base_url("") + page_path(row["uri"])
        upload = upload_url("gcode", UUID(uuid_of(row["uri"])), owner=whose, then=then)
    runs = visit.all_of("run", limit=20, gcode=row["uri"])
    return visit.show(
        "gcode",
        status,
        gcode=row,
        upload=upload,
        path=page_path(row["uri"]),
        has_layers=has_layers(row),
        stage=STAGES.get(row["status"]),
        busy=row["status"] == "processing",
        errors=[error_message(error) for error in row["errors"] or []],
        facts=_facts(row),
        objects=matches["objects"] if matches else [],
        doubts=[
            {"name": each["name"], "why": [error_message(one) for one in each["reasons"]]}
            for each in (matches["printer_types"] if matches else [])
            if each["reasons"]
        ],
        form=form,
        no_types=matches is not None and not matches["printer_types"],
        runs=[{**run, "path": page_path(run["uri"])} for run in runs],
    )


def _facts(row: Gcode) -> list[tuple[object, str]]:
    """What is known of the file: labels and values."""
    stated, figures = row["metadata"] or {}, row["figures"] or {}
    if not figures:
        return []
    seconds, own = stated.get("stated_seconds"), figures["build_time_seconds"]
    slicer = f"{stated.get('slicer') or ''} {stated.get('slicer_version') or ''}".strip()
    facts: list[tuple[object, str]] = [
        (_("Slicer"), slicer),
        (_("Printer"), stated.get("printer_model") or ""),
        (_("Nozzle"), _millimetres(stated.get("nozzle_diameters"))),
        (_("Filament"), ", ".join(stated.get("filament_types") or [])),
        (_("Layer height"), _millimetres([stated.get("layer_height")])),
        (_("Print time"), duration(own)),
        (_("Print time of the slicer"), duration(seconds) if seconds else ""),
        (_("Material"), f"{number_format(figures['build_volume_cc'], 1)} cm³"),
        (_("Layers"), str(figures["layers"])),
    ]
    return [(label, text) for label, text in facts if text]


def _millimetres(values: list[float | None] | None) -> str:
    sizes = [value for value in values or [] if value]
    return ", ".join(f"{number_format(value)} mm" for value in sizes)
