"""Slices: settings form, progress, result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from django import forms
from django.http import HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import STAGES, Shown, duration, error_message
from apps.console.domain.model_report import needs_support
from apps.console.domain.slice_settings import setting_rows
from apps.console.views.base.page import PageContext, handle_form, key_of, page
from apps.console.views.base.page_urls import api_uri, page_path
from core.uris import base_url

if TYPE_CHECKING:
    from manufacturing.generated.slicing import Config, Engine, Gcode, Slice

# By the API's words, what they call themselves.
ENGINES = {"slic3r": "PrusaSlicer", "cura": "CuraEngine"}
PROGRAMS = {
    "prusaslicer": "PrusaSlicer",
    "orcaslicer": "OrcaSlicer",
    "bambustudio": "Bambu Studio",
    "curaengine": "CuraEngine",
}
PARAMETERS = ("material", "print_quality", "infill_density", "perimeters", "support", "raft")


class SliceForm(forms.Form):
    """The curated parameters that most prints are described by, with the API's own words."""

    engine = forms.ChoiceField(label=_("Slicer"), choices=list(ENGINES.items()))
    material = forms.ChoiceField(label=_("Material"), choices=[("PLA", "PLA"), ("ABS", "ABS")])
    print_quality = forms.ChoiceField(
        label=_("Quality"),
        choices=[
            ("standard", _("Standard (0.2 mm layer height)")),
            ("fine", _("Fine (0.1 mm layer height)")),
            ("low", _("Draft (0.3 mm layer height)")),
        ],
    )
    infill_density = forms.FloatField(
        label=_("Infill density (%)"), initial=20, min_value=0, max_value=100
    )
    perimeters = forms.IntegerField(
        label=_("Perimeters (wall loops)"), initial=2, min_value=0, max_value=100
    )
    support = forms.BooleanField(label=_("Generate supports"), required=False)
    raft = forms.BooleanField(label=_("Raft"), required=False)
    key = forms.CharField(widget=forms.HiddenInput)

    def offer(self, engines: list[Engine]) -> None:
        """Let only these slicers be chosen: of the platform, and by their URIs those in shops."""
        field = cast(forms.ChoiceField, self.fields["engine"])
        here = [row["engine"] for row in engines if not row["in_shop"]]
        field.choices = [
            *((key, name) for key, name in ENGINES.items() if key in here),
            *(
                (row["uri"], _("%(name)s in the shop") % {"name": row["name"]})
                for row in engines
                if row["in_shop"]
            ),
        ]


@page("GET", "POST")
def choose(visit: PageContext, uuid: UUID) -> HttpResponse:
    """The form for a slice of a model; sent, it makes the config and the slice."""
    model = visit.api.get(api_uri("model", uuid))
    first = {"key": visit.form_key, **(_like(visit) or {"support": needs_support(model)})}
    form = SliceForm(visit.request.POST if visit.posted else None, initial=first)
    engines: list[Engine] = visit.api.list("slicing", "/engine/")["resources"]
    usable = [row for row in engines if row["usable"] and not row["origin"]]
    form.offer(usable)
    here = [row for row in engines if not row["in_shop"]]
    done, status = handle_form(form, lambda: visit.go(_make(visit, model["uri"], form)))
    if done:
        return done
    path = page_path(model["uri"])
    return visit.show(
        "slice-form",
        status,
        form=form,
        model={**model, "path": path},
        missing=[engine for engine in here if not engine["usable"]],
        notes=[note for engine in here for note in engine["notes"]],
    )


def _like(visit: PageContext) -> Shown:
    """The settings of another slice, where the address names one as `like`."""
    try:
        uuid = UUID(visit.request.GET.get("like", ""))
    except ValueError:
        return {}
    found = visit.api.get(api_uri("slice", uuid))
    config = visit.api.find(found["config"])
    if config is None or config["kind"] != "curated":
        return {}
    chosen = {name: config["parameters"].get(name) for name in PARAMETERS}
    known = {name: value for name, value in chosen.items() if value is not None}
    return {"engine": config["engine"], **known}


def _make(visit: PageContext, model: str, form: SliceForm) -> str:
    """The URI of the slice that is chosen."""
    chosen, key, slicing = form.cleaned_data, key_of(form), base_url("slicing")
    in_shop = None if chosen["engine"] in ENGINES else visit.api.get(chosen["engine"])
    body = {
        "engine": in_shop["engine"] if in_shop else chosen["engine"],
        "parameters": {name: chosen[name] for name in PARAMETERS},
    }
    made = visit.api.ask("POST", f"{slicing}/config/curated/", body, key=f"{key}-config")
    config = made["Location"]
    if in_shop:
        body = {"engine": in_shop["uri"]}
        made = visit.api.ask("POST", f"{config}engine/", body, key=f"{key}-engine")
        config = made["Location"]
    body = {"model": model, "config": config}
    return visit.api.ask("POST", f"{slicing}/slice/", body, key=f"{key}-slice")["Location"]


@page("GET")
def slice_page(visit: PageContext, uuid: UUID) -> HttpResponse:
    row = visit.api.get(api_uri("slice", uuid))
    figures = row["figures"] or {}
    # Either may be deleted since, or not be for them.
    model, config = visit.api.find(row["model"]), visit.api.find(row["config"])
    seconds = row["estimates"]["build_time_seconds"]
    return visit.show(
        "slice",
        slice=row,
        name=model["name"] if model else "",
        model_path=page_path(row["model"]),
        uuid=uuid,
        path=page_path(row["uri"]),
        has_layers=has_layers(row),
        settings=_curated_settings(config, row)
        if config and config["kind"] == "curated"
        else used(visit, row),
        engine=_engine_of(row),
        stage=STAGES[row["status"]],
        percent=round(100 * row["progress"]),
        errors=[error_message(error) for error in row["errors"] or ()],
        warnings=[error_message(error) for error in row["warnings"]],
        time=duration(seconds) if seconds else "",
        metres=figures["filament_mm"] / 1000 if figures.get("filament_mm") else None,
        figures=figures,
        busy=row["status"] in ("queued", "processing"),
    )


def _engine_of(row: Slice) -> str:
    """The program that makes a slice, with its version."""
    names = {**ENGINES, **PROGRAMS}
    name = names.get(row["program"] or row["engine"], row["engine"])
    return _("%(name)s in the shop") % {"name": name} if row["program"] else name


def has_layers(row: Slice | Gcode) -> bool:
    """Whether a slice, or uploaded G-code, has layers that can be shown."""
    return bool(row["content"] and (row["figures"] or {}).get("layers"))


def used(visit: PageContext, row: Slice) -> list[tuple[str | Promise, str]]:
    """The effective settings of a slice: label and value of each."""
    return setting_rows(visit.api.get(f"{row['uri']}settings/"))


def _curated_settings(config: Config, row: Slice) -> list[tuple[Any, Any]]:
    """What a curated config says, as the form asks for it: label and answer of each field."""
    settings = {"engine": config["engine"], **config["parameters"]}
    words = []
    for name, field in SliceForm.base_fields.items():
        value = settings.get(name)
        if value is None or name == "key":
            continue
        if name == "engine":
            value = _engine_of(row)
        elif isinstance(field, forms.ChoiceField):
            value = dict(field.choices).get(value, value)  # type: ignore[arg-type, call-overload]
        elif isinstance(value, bool):
            value = _("yes") if value else _("no")
        elif isinstance(value, float):
            value = f"{value:g}"
        words.append((field.label, value))
    return words
