"""Forms with a quantity for each line item of an order."""

from __future__ import annotations

from collections.abc import Iterable

from django import forms

from apps.console.domain import production_status
from apps.console.views.base.page_urls import uuid_of

PREFIX = "n-"  # of the fields' names; the key of the line item follows


class QuantitiesForm(forms.Form):
    """How many pieces of each line item are in a parcel or on a document."""

    key = forms.CharField(widget=forms.HiddenInput)

    def add_lines(self, lines: Iterable[tuple[str, str, int]]) -> None:
        """Add a quantity for each line item.

        lines : URI and name of the line item, and the number of pieces, which is filled in
        """
        for uri, name, pieces in lines:
            self.fields[f"{PREFIX}{uuid_of(uri)}"] = forms.IntegerField(
                label=production_status.part_name(name),
                min_value=0,
                max_value=pieces,
                initial=pieces,
                required=False,
                widget=forms.NumberInput({"class": "quantity"}),
            )

    def quantities(self) -> list[forms.BoundField]:
        """The quantities; `field.max_value` of each is the number of pieces."""
        return [field for field in self if field.name.startswith(PREFIX)]

    def details(self) -> list[forms.BoundField]:
        """The other fields that are shown."""
        return [field for field in self.visible_fields() if not field.name.startswith(PREFIX)]
