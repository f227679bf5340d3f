"""Forms of resources: fields from the OpenAPI document, and bodies from what was typed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from apps.console.domain.messages import Context, JsonValue, Row
from apps.console.domain.resources.resource_labels import field_label
from apps.console.domain.resources.resource_schema import Field
from apps.console.domain.resources.resource_values import moment
from apps.console.domain.resources.rows_field import RowsField
from apps.console.domain.value_labels import value_label
from core.uris import base_url

Choices = Sequence[tuple[str, Any]]
LOCAL_TIME = "%Y-%m-%dT%H:%M"
FIND = "find."  # beginning of the names of the search fields of long selects
MAX_LINES = 4000  # characters
UUID_TEXT = re.compile(r"[0-9a-fA-F-]{36}")


class LinesField(forms.CharField):
    """A list of texts or numbers, one a line."""

    widget = forms.Textarea

    def __init__(self, *, item: str, **options: JsonValue):
        super().__init__(**options)
        self.item = item

    def prepare_value(self, value: JsonValue) -> Any:
        """Return the text of a list."""
        return "\n".join(str(each) for each in value) if isinstance(value, list) else value

    def clean(self, value: JsonValue) -> Any:
        """Return the list of the lines that are not empty."""
        lines = [line.strip() for line in super().clean(value).splitlines() if line.strip()]
        if self.item == "string":
            return lines
        try:
            return [int(line) if self.item == "integer" else float(line) for line in lines]
        except ValueError:
            raise forms.ValidationError(_("Enter one number a line.")) from None

    def has_changed(self, initial: JsonValue, data: JsonValue) -> bool:
        """Return whether the lines are not those of the list."""
        return [str(each) for each in initial or []] != (data or "").split()


class JsonField(forms.JSONField):
    """A value in JSON; an empty field is none."""

    def prepare_value(self, value: JsonValue) -> Any:
        """Return the text of a value."""
        return "" if value is None else super().prepare_value(value)


class ResourceForm(forms.Form):
    """The form of a resource, new or existing."""

    key = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(
        self,
        *given: JsonValue,
        fields: Sequence[Field],
        choices: Mapping[str, Choices],
        common: Sequence[str],
        exists: bool = False,
        **options: JsonValue,
    ):
        super().__init__(*given, **options)
        self.described = {field.name: field for field in fields}
        self.exists = exists
        self._common = set(common)
        for field in sorted(fields, key=lambda each: not each.required):
            self.fields[field.name] = form_field(field, choices.get(field.name), exists=exists)
        if "bureau" in self.fields:  # the shop in which the person works
            self.fields["bureau"].widget = forms.HiddenInput()
        self.searched = {name: f"{FIND}{name}" for name in choices if f"{FIND}{name}" in choices}

    def main(self) -> list[forms.BoundField]:
        """The fields that are shown at once."""
        return [field for field in self.visible_fields() if self._is_main(field)]

    def rare(self) -> list[forms.BoundField]:
        """The fields that are shown on request."""
        return [field for field in self.visible_fields() if not self._is_main(field)]

    def rare_errors(self) -> bool:
        """Return whether a field that is shown on request has an error."""
        return any(field.errors for field in self.rare())

    def _is_main(self, field: forms.BoundField) -> bool:
        described = self.described[field.name]
        return described.required or field.name in self._common

    def body(self) -> Context:
        """Return the body of the request: of a new resource what was typed, else the changes."""
        changed = set(self.changed_data) & set(self.described)
        groups = {name.partition(".")[0] for name in changed if "." in name}
        body: Context = {}
        for name, field in self.described.items():
            group, _dot, part = name.partition(".")
            value = _json(field, self.cleaned_data.get(name))
            if part and group in groups and not (value is None and not self.exists):
                body.setdefault(group, {})[part] = value
            elif not part and self._is_sent(field, value, changed):
                body[name] = value
        return body

    def _is_sent(self, field: Field, value: JsonValue, changed: set[str]) -> bool:
        if self.exists:
            return field.name in changed and (value is not None or field.nullable)
        return value is not None and value != []


def form_field(field: Field, choices: Choices | None, *, exists: bool) -> forms.Field:
    """Return the form field of a field.

    choices : of a field that refers to other resources; None where it is typed
    """
    unit = f" ({field.unit})" if field.unit else ""
    is_boolean = field.form == "boolean" and not field.nullable
    options: Context = {
        "label": f"{str(field_label(field.name)).removesuffix(unit)}{unit}",
        "help_text": help_text(field),
        "required": field.required and not is_boolean,
    }
    if field.default is not None and not exists:
        options["initial"] = field.default
    if field.form in ("reference", "references") and choices is not None:
        return _select(field, choices, options)
    if field.form in ("choice", "choices"):
        return _select(field, [(each, value_label(each)) for each in field.choices], options)
    if is_boolean:
        return forms.BooleanField(**options)
    if field.form == "boolean":
        return _select(field, [("true", _("Yes")), ("false", _("No"))], options)
    return _typed(field, options)


def help_text(field: Field) -> str:
    """Return the sentence of the OpenAPI document in the language of the page."""
    return _(field.help) if field.help else ""


def _select(field: Field, choices: Choices, options: Context) -> forms.Field:
    if field.form in ("references", "choices"):
        boxes = forms.CheckboxSelectMultiple(attrs={"class": "form-check-input"})
        return forms.MultipleChoiceField(choices=choices, widget=boxes, **options)
    empty = [] if field.required and len(choices) == 1 else [("", "–")]
    return forms.ChoiceField(choices=[*empty, *choices], **options)


def _typed(field: Field, options: Context) -> forms.Field:
    if field.form in ("number", "integer"):
        bounds: Context = {"min_value": field.minimum, "max_value": field.maximum}
        if field.form == "integer":
            return forms.IntegerField(**bounds, **options)
        any_number = forms.NumberInput(attrs={"step": "any"})
        return forms.FloatField(widget=any_number, **bounds, **options)
    if field.form == "date":
        day = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
        return forms.DateField(widget=day, **options)
    if field.form == "datetime":
        time = forms.DateTimeInput(attrs={"type": "datetime-local"}, format=LOCAL_TIME)
        options["label"] = f"{options['label']} (UTC)"
        return forms.DateTimeField(widget=time, **options)
    if field.form == "lines":
        return LinesField(
            item=field.item,
            max_length=MAX_LINES,
            widget=forms.Textarea(attrs={"rows": 3}),
            **{**options, "help_text": f"{help_text(field)} {_('One a line.')}"},
        )
    if field.form == "rows":
        return RowsField(columns=field.choices, **options)
    if field.form == "json":
        widget = forms.Textarea(attrs={"rows": 3, "spellcheck": "false"})
        return JsonField(widget=widget, **{**options, "help_text": f"{help_text(field)} (JSON)"})
    if field.form == "email":
        return forms.EmailField(**options)
    if field.form == "long":
        options["widget"] = forms.Textarea(attrs={"rows": 3})
    return forms.CharField(max_length=field.max_length, **options)


def initial_of(fields: Sequence[Field], row: Row) -> Context:
    """Return the values of a resource, as its form shows them."""
    result = {}
    for field in fields:
        value = field.value_of(row)
        if field.form == "datetime" and (at := moment(value)):
            value = at.replace(second=0, microsecond=0)
        elif field.form == "boolean" and field.nullable and value is not None:
            value = "true" if value else "false"
        elif field.form == "json" and not value:
            value = None
        result[field.name] = value
    return result


def _json(field: Field, value: JsonValue) -> Any:
    """Return a value that was typed, as the API takes it."""
    if field.form == "boolean":
        return {"true": True, "false": False}.get(value) if field.nullable else bool(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    if (
        field.targets == ("users",)
        and isinstance(value, str)
        and UUID_TEXT.fullmatch(value.strip())
    ):
        return f"{base_url('users')}/users/{value.strip()}/"
    return None if value == "" else value
