"""Settings page "Machine of Cura": a slicer profile of a machine of Cura and what fits it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from django import forms
from django.http import HttpResponse, QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.console.domain.messages import Context
from apps.console.domain.settings_entries import settings_entries
from apps.console.views.base.page import PageContext, handle_form, page
from apps.console.views.base.page_urls import uuid_of
from apps.console.views.printers.cura_machines import (
    PATH,
    bed_text,
    cura_machines,
    find_machine,
    fitting_choices,
    matching,
    page_of_machine,
    quality_name,
)

if TYPE_CHECKING:
    from manufacturing.generated.slicing import CuraChoices, CuraMachine, CuraMaterial

MAX_RESULTS = 24  # machines that the page shows
NAMES = ("nozzle", "material", "quality")  # of which each narrows the following ones


class CuraProfileForm(forms.Form):
    """What a profile is made of; fields without anything to choose are left out."""

    nozzle = forms.ChoiceField(label=gettext_lazy("Nozzle"))
    material = forms.ChoiceField(label=gettext_lazy("Material"))
    quality = forms.ChoiceField(label=gettext_lazy("Quality"))
    intent = forms.ChoiceField(label=gettext_lazy("Intent"), required=False)
    description = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=1000,
        required=False,
        help_text=gettext_lazy("Left empty: the names of machine, nozzle, material and quality."),
    )
    machine = forms.CharField(widget=forms.HiddenInput)
    key = forms.CharField(widget=forms.HiddenInput)

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        choices: CuraChoices,
        initial: Mapping[str, str | None],
    ):
        super().__init__(data, initial=dict(initial))
        offered: dict[str, list[Any]] = {
            "nozzle": [(name, name) for name in choices["nozzles"]],
            "material": list(_brands(choices["materials"])),
            "quality": [
                (row["quality"], quality_name(row["name"], row["layer_height"]))
                for row in choices["qualities"]
            ],
            "intent": [(name, name.capitalize()) for name in choices["intents"]],
        }
        for name, rows in offered.items():
            if not rows:
                del self.fields[name]
                continue
            field = cast(forms.ChoiceField, self.fields[name])
            field.choices = [("", _("Default")), *rows] if name == "intent" else rows
            field.error_messages["invalid_choice"] = _(
                "This does not fit the other choices: choose again."
            )


def _brands(materials: list[CuraMaterial]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Materials by their makers, generic ones first; those of one name have their identifier."""
    names = [row["name"] for row in materials]
    groups: dict[str, list[tuple[str, str]]] = {}
    for row in materials:
        is_double = names.count(row["name"]) > 1
        label = f"{row['name']} ({row['identifier']})" if is_double else row["name"]
        groups.setdefault(row["brand"] or _("Other"), []).append((row["identifier"], label))
    for brand in sorted(groups, key=lambda name: (name != "Generic", name.casefold())):
        yield brand, sorted(groups[brand], key=lambda row: row[1].casefold())


@page("GET", "POST")
def cura_profile(visit: PageContext) -> HttpResponse:
    """Choose a machine; then its nozzle, material, quality and intent."""
    if not visit.person:
        return visit.to_sign_in()
    sent = visit.request.POST if visit.posted else visit.request.GET
    machine = find_machine(visit, visit.request.GET.get("machine", ""))
    if machine is None:
        return visit.show("cura-machines", **_found_machines(visit))
    fitting = fitting_choices(visit, machine, {name: sent.get(name, "") for name in NAMES})
    choices = fitting.choices
    intent = sent.get("intent", "")
    form = CuraProfileForm(
        visit.request.POST if visit.posted else None,
        choices=choices,
        initial={
            "nozzle": choices["nozzle"],
            "material": choices["material"],
            "quality": choices["quality"],
            "intent": intent if intent in choices["intents"] else "",
            "description": sent.get("description", ""),
            "machine": uuid_of(machine["uri"]),
            "key": visit.form_key,
        },
    )

    def make() -> HttpResponse:
        values = form.cleaned_data
        body = {
            "printer": machine["identifier"],
            **{name: values.get(name, "") for name in (*NAMES, "intent", "description")},
        }
        visit.make("slicing", "config/bundle", body, key=values["key"])
        return visit.go("/settings/profiles/", done="created")

    done, status = handle_form(form, make)
    return done or visit.show(
        "cura-profile",
        status,
        entries=settings_entries("profiles", visit.rights),
        form=form,
        machine=machine,
        bed=bed_text(machine),
        replaced=[] if visit.posted else fitting.replaced,
        other=PATH,
    )


def _found_machines(visit: PageContext) -> Context:
    """The machines that match the search."""
    query = visit.request.GET.get("q", "").strip()
    every = cura_machines(visit)
    rows = matching(every, query, [f"{row['manufacturer'] or ''} {row['name']}" for row in every])
    return {
        "entries": settings_entries("profiles", visit.rights),
        "sought": query,
        "total": len(every),
        "count": len(rows),
        "machines": [_shown_machine(row) for row in rows[:MAX_RESULTS]],
    }


def _shown_machine(machine: CuraMachine) -> Context:
    return {
        "title": machine["name"],
        "maker": machine["manufacturer"],
        "bed": bed_text(machine),
        "path": page_of_machine(machine),
    }
