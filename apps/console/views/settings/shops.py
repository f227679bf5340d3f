"""Shops: list and setup form."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any

from django import forms
from django.http import HttpResponse
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import Shown
from apps.console.views.base.page import SHOP_COOKIE, PageContext, handle_form, page
from apps.console.views.base.page_urls import page_path, uuid_of
from apps.console.views.base.preferences import keep
from apps.console.views.base.print_options import SUPPORTS
from apps.console.views.printers.catalogue import (
    USUAL_BED,
    make_printer_type,
    presets,
    usual_machine,
)

if TYPE_CHECKING:
    from manufacturing.generated.slicing import Preset

FILAMENTS = ("PLA", "PETG", "ABS", "ASA", "FLEX", "PC", "PA")


class ShopForm(forms.Form):
    """A shop with one printer and one material: more are added later."""

    name = forms.CharField(label=_("Shop name"), max_length=200)
    currency = forms.CharField(
        label=_("Currency"),
        initial="EUR",
        min_length=3,
        max_length=3,
        help_text=_("ISO 4217 code, e.g. EUR."),
    )
    preset = forms.ChoiceField(label=_("Printer"), required=False)
    x = forms.FloatField(
        label=_("Bed width (mm)"), initial=USUAL_BED["x"], min_value=1, required=False
    )
    y = forms.FloatField(
        label=_("Bed depth (mm)"), initial=USUAL_BED["y"], min_value=1, required=False
    )
    z = forms.FloatField(
        label=_("Print height (mm)"), initial=USUAL_BED["z"], min_value=1, required=False
    )
    hour = forms.FloatField(
        label=_("Machine cost per hour"), initial=2, min_value=0, required=False
    )
    material = forms.CharField(label=_("Material"), initial="PLA", max_length=200)
    filament = forms.ChoiceField(
        label=_("Filament type"), choices=[(word, word) for word in FILAMENTS]
    )
    cost = forms.FloatField(
        label=_("Material cost per cm³"),
        initial=0.03,
        min_value=0,
        required=False,
    )
    supports = forms.ChoiceField(label=_("Supports"), choices=SUPPORTS, required=False)
    infill = forms.FloatField(
        label=_("Infill (%)"),
        min_value=0,
        max_value=100,
        required=False,
        help_text=_("Empty: as in the profile of the printer."),
    )
    key = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, *given: Any, printers: list[Preset], **options: Any):
        super().__init__(*given, **options)
        self.fields["preset"].choices = _choices(printers)  # type: ignore[attr-defined]

    def bed(self) -> dict[str, float]:
        """How much a printer that is not in the catalogue holds, mm."""
        return {axis: self.cleaned_data[axis] or usual for axis, usual in USUAL_BED.items()}


def _choices(printers: list[Preset]) -> list[Any]:
    """The catalogue by makers, and last what is not in it."""
    makers = groupby(printers, key=lambda printer: printer["vendor"])
    known = [
        (maker, [(printer["uri"], printer["name"]) for printer in theirs])
        for maker, theirs in makers
    ]
    return [*known, ("", _("Other (custom bed size)"))]


@page("GET", "POST")
def shops(visit: PageContext) -> HttpResponse:
    """The shops of the visitor, and the form that sets up another."""
    found = visit.shops
    form = ShopForm(
        visit.request.POST if visit.posted else None,
        printers=presets(visit),
        initial={"key": visit.form_key},
    )

    def make() -> HttpResponse:
        made = set_up(visit, form.cleaned_data, _machine(visit, form))
        return keep(visit.go(made, done="set-up"), SHOP_COOKIE, uuid_of(made))

    done, status = handle_form(form, make)
    if done:
        return done
    listed = [{**shop, "path": page_path(shop["uri"])} for shop in found]
    return visit.show("shops", status, form=form, shops=listed, key=visit.form_key)


def set_up(visit: PageContext, values: Mapping[str, Any], machine: Mapping[str, object]) -> str:
    """The URI of a shop, with all that is needed to make a part in it.

    values    : as ShopForm cleans it
    machine : what its type of printer is called, and how it prints
    """

    def make(kind: str, **body: Any) -> str:
        return visit.make("erp", kind, body, key=values["key"])

    shop = make("bureau", name=values["name"], currency=values["currency"].upper())
    place = make("location", bureau=shop, name=str(_("Workshop")))
    material = make(
        "material",
        bureau=shop,
        name=values["material"],
        filament_type=values["filament"],
        cost=values["cost"] or 0,
    )
    details = {**values, "materials": [material], "workflow": str(_("Print"))}
    kind = make_printer_type(visit, shop, details, machine)
    # A person starts it, until something else is attached.
    first = str(_("Printer 1"))
    make("printer", location=place, printer_type=kind, name=first, driver="manual")
    return shop


def _machine(visit: PageContext, form: ShopForm) -> Shown:
    """What the form says of the printer: its maker's preset, or a bed."""
    said = form.cleaned_data
    if said["preset"]:
        return {"name": dict(_names(form))[said["preset"]], "preset": said["preset"]}
    return usual_machine(visit, form.bed(), key=said["key"])


def _names(form: ShopForm) -> list[tuple[str, str]]:
    """The names of the catalogue's printers, by their URIs."""
    groups = form.fields["preset"].choices[:-1]  # type: ignore[attr-defined]
    return [printer for _maker, printers in groups for printer in printers]
