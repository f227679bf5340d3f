"""Forms of print options: supports, infill, layer height, orientation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django import forms
from django.forms import BoundField
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import Shown
from apps.console.domain.price_table import ORIENTATIONS, SUPPORTS

if TYPE_CHECKING:
    from manufacturing.generated.erp import LineItem, PriceTable
    from manufacturing.generated.sales import StorefrontPage, VisitTable

# What the API takes as well.
OTHER_WORDS = {"true": "on", "yes": "on", "false": "off", "no": "off"}
DEFAULT = ("", _("Default of the printer"))
STANDARD = ("", _("Standard"))  # the same, for visitors of a storefront
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


class OfferedOptionsForm(forms.Form):
    """How parts of a visit are printed, of what a storefront offers, and one more quantity."""

    support_strategy = forms.ChoiceField(label=_("Supports"), required=False)
    infill_strategy = forms.ChoiceField(label=_("Infill"), required=False)
    layer_thickness = forms.ChoiceField(label=_("Layer height"), required=False)
    quantity = forms.IntegerField(
        label=_("Other quantity"), required=False, min_value=1, max_value=10_000
    )

    def __init__(
        self,
        data: Mapping[str, str] | None = None,
        *,
        front: StorefrontPage,
        initial: Shown | None = None,
        auto_id: str = "id_%s",
    ):
        super().__init__(data, initial=initial, auto_id=auto_id)
        offered: dict[str, list[Any]] = {
            "support_strategy": [(each, SUPPORTS[each]) for each in front["support_strategies"]],
            "infill_strategy": [
                (each, f"{each.rstrip(' %')} %") for each in front["infill_strategies"]
            ],
            "layer_thickness": [
                (f"{each:g}", f"{number_format(each)} mm") for each in front["layer_thicknesses"]
            ],
        }
        for name, choices in offered.items():
            field: Any = self.fields[name]
            field.choices = [STANDARD, *choices]
            if not choices:
                del self.fields[name]

    def wishes(self) -> Shown:
        """The chosen options as members of a request for a price table."""
        wishes = {name: value for name, value in self.cleaned_data.items() if value}
        wishes.pop("quantity", None)
        if height := wishes.get("layer_thickness"):
            wishes["layer_thickness"] = float(height)
        return wishes


def offered_options(
    front: StorefrontPage, table: VisitTable, *, auto_id: str = "id_%s"
) -> OfferedOptionsForm:
    """The form with the options of a price table."""
    height = table["layer_thickness"]
    initial: Shown = {
        "support_strategy": table["support_strategy"],
        "infill_strategy": table["infill_strategy"],
        "layer_thickness": height and f"{height:g}",
    }
    return OfferedOptionsForm(front=front, initial=initial, auto_id=auto_id)


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
