"""Form of print options: supports, infill, layer height, orientation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import Shown
from apps.console.domain.price_table import ORIENTATIONS, SUPPORTS

if TYPE_CHECKING:
    from manufacturing.generated.erp import LineItem, PriceTable

# What the API takes as well.
OTHER_WORDS = {"true": "on", "yes": "on", "false": "off", "no": "off"}
DEFAULT = ("", _("Default of the printer"))
OPTIONS = ("supports", "infill", "layer_height", "orientation")


class PrintOptionsForm(forms.Form):
    """What line items are printed with; empty fields leave it to the printer."""

    supports = forms.ChoiceField(
        label=_("Supports"), choices=(DEFAULT, *SUPPORTS.items()), required=False
    )
    infill = forms.FloatField(
        label=_("Infill (%)"),
        min_value=0,
        max_value=100,
        required=False,
        widget=forms.NumberInput({"placeholder": DEFAULT[1]}),
    )
    layer_height = forms.FloatField(
        label=_("Layer height (mm)"),
        min_value=0.01,
        max_value=5,
        required=False,
        widget=forms.NumberInput({"placeholder": DEFAULT[1]}),
    )
    orientation = forms.ChoiceField(
        label=_("Rotation on the plate"), choices=(DEFAULT, *ORIENTATIONS.items()), required=False
    )

    def options(self) -> dict[str, list[BoundField]]:
        """The fields of the options, as the template of fields takes a form."""
        return {"visible_fields": [self[name] for name in OPTIONS]}

    def wishes(self) -> Shown:
        """The options as members of a line item."""
        values = self.cleaned_data
        infill = values["infill"]
        return {
            "support_strategy": values["supports"] or None,
            "infill_strategy": None if infill is None else f"{infill:g}%",
            "layer_thickness": values["layer_height"],
            "orientation": values["orientation"] or None,
        }


def options_of(item: LineItem | PriceTable) -> PrintOptionsForm:
    """The form with the options of a line item or a price table."""
    infill = (item["infill_strategy"] or "").removesuffix("%").strip()
    supports = (item["support_strategy"] or "").strip().lower()
    return PrintOptionsForm(
        initial={
            "supports": OTHER_WORDS.get(supports, supports),
            "infill": infill,
            "layer_height": item["layer_thickness"],
            "orientation": item["orientation"],
        },
        auto_id=f"{item['uri'].split('/')[-2]}-%s",
    )
