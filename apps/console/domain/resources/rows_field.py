"""Form field of a list of rows, each an object of numbers: an input for each of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import JsonValue, Row
from apps.console.domain.resources.resource_labels import field_label

EMPTY_ROWS = 3  # below those that are filled in

Rows = list[dict[str, float]]


def _number(text: str) -> float:
    """A finite number, whole where it is whole. Raises ValueError."""
    number = float(text if "." in text else text.replace(",", "."))
    if not math.isfinite(number):
        raise ValueError(text)
    return int(number) if number.is_integer() else number


class RowsWidget(forms.Widget):
    """A table of inputs, named `field.row.column`."""

    columns: Sequence[str] = ()

    def render(
        self,
        name: str,
        value: JsonValue,
        attrs: Row | None = None,
        renderer: JsonValue = None,
    ) -> SafeString:
        """Draw the rows, and empty ones for more."""
        rows = [*(value or []), *([{}] * EMPTY_ROWS)]
        cells = [
            [
                (f"{name}.{at}.{column}", field_label(column), row.get(column, ""))
                for column in self.columns
            ]
            for at, row in enumerate(rows)
        ]
        heads = [field_label(column) for column in self.columns]
        context = {"heads": heads, "rows": cells, "attrs": attrs or {}}
        return render_to_string("console/parts/rows.html", context)

    def value_from_datadict(self, data: Mapping[str, str], files: JsonValue, name: str) -> Any:
        """Return what was typed, row by row, without empty rows."""
        rows = []
        for at in range(sum(key.startswith(f"{name}.") for key in data)):
            typed = {
                column: data.get(f"{name}.{at}.{column}", "").strip() for column in self.columns
            }
            rows.append({column: text for column, text in typed.items() if text})
        return [row for row in rows if row]

    def value_omitted_from_data(self, data: Mapping[str, str], files: JsonValue, name: str) -> bool:
        """Return whether the form has no row at all."""
        return not any(key.startswith(f"{name}.") for key in data)


class RowsField(forms.Field):
    """A list of objects with these numbers; those that are empty are left out."""

    widget = RowsWidget

    def __init__(self, *, columns: Sequence[str], **options: JsonValue):
        super().__init__(**options)
        self.widget.columns = columns

    def to_python(self, value: JsonValue) -> Rows:
        """Return the rows with numbers. Raises ValidationError."""
        try:
            return [{column: _number(text) for column, text in row.items()} for row in value or []]
        except ValueError:
            raise forms.ValidationError(_("Enter a number.")) from None

    def has_changed(self, initial: JsonValue, data: JsonValue) -> bool:
        """Return whether the numbers differ; amounts that are absent are null or left out."""
        before = [{k: float(v) for k, v in row.items() if v is not None} for row in initial or []]
        try:
            return before != self.to_python(data)
        except forms.ValidationError:
            return True
