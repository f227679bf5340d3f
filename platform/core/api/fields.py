"""Strict serializer base and fields."""

import copy
import math
from collections.abc import Mapping, Set
from datetime import datetime
from typing import Any, TypeAlias

import orjson
from django.utils.datastructures import MultiValueDict
from django.utils.dateparse import parse_datetime
from rest_framework import serializers
from rest_framework.fields import empty

from core import uris
from core.api.renderers import dumps
from core.outbound import url_policy
from core.text.normalization import composed

# A body as its serializer read it, by the names of the fields.
ValidatedData: TypeAlias = dict[str, Any]
# What is wrong with a body, by the names of the fields.
Faults: TypeAlias = dict[str, "list[serializers.ErrorDetail] | Faults"]


# Times of every resource, which clients put back in whatever they send.
TIMES = frozenset({"created", "updated"})


class StrictSerializer(serializers.Serializer):
    """Input of a resource: unknown fields are errors; on create, read-only ones are ignored.

    Read-only are the properties of the answer that are not declared here: the context's `answered`
    names them, and its `current` returns the present answer to a GET. `known_extras` are fields
    that old clients send and that have no effect. On update (`partial=True`), a field in
    `fixed_fields` and a read-only one may only have its present value, and is removed from the
    validated data; read-only ones may have any value where the body has the resource's own `uri`:
    then it is a GET put back. `created` and `updated` are always ignored.
    """

    known_extras: tuple[str, ...] = ()
    # Whether it is the resource that is answered; a request for one is not.
    takes_back = True
    fixed_fields: tuple[str, ...] = ()

    def get_fields(self) -> dict[str, serializers.Field]:
        """The declared fields, each bound to this serializer alone.

        DRF makes each anew from its arguments, which took longer than to read a body by them;
        only one with a child, which knows its parent, has to be.
        """
        return {
            name: copy.deepcopy(field) if hasattr(field, "child") else _again(field)
            for name, field in self._declared_fields.items()
        }

    def to_internal_value(self, data: Any) -> ValidatedData:
        if not isinstance(data, Mapping):
            raise whole_fault("Send an object with the fields.", "not_a_dict")
        if not data and not self.partial and any(f.required for f in self.fields.values()):
            names = ", ".join(name for name, field in self.fields.items() if field.required)
            raise whole_fault(f"The body is empty; it needs: {names}.", "empty")
        faults = self._unknown(data)
        try:
            values = super().to_internal_value(data)
        except serializers.ValidationError as error:
            faults |= dict(error.detail)  # type: ignore[arg-type]
            values = {}
        faults |= self._fixed(values) | self._read_only(data)
        if faults:
            raise serializers.ValidationError(faults)
        if self.instance is None:
            return values
        return {name: value for name, value in values.items() if name not in self.fixed_fields}

    def _unknown(self, data: Mapping[str, Any]) -> Faults:
        if self._declared_fields.keys() >= data.keys():
            return {}
        times = TIMES if self._answered() else ()
        known = {*self._declared_fields, *self.known_extras, *self._answered(), *times}
        nested = isinstance(data, MultiValueDict)  # a form spells nested fields as a.b or a[b]
        return {
            name: [
                serializers.ErrorDetail(
                    f"There is no field {name!r} here; the fields are: "
                    f"{', '.join(self._declared_fields)}.",
                    code="unknown",
                )
            ]
            for name in data
            if name not in known and not (nested and _head(name) in known)
        }

    def _fixed(self, values: Mapping[str, Any]) -> Faults:
        if self.instance is None:
            return {}
        words = "{!r} is set at creation and cannot be changed."
        return {
            name: [serializers.ErrorDetail(words.format(name), code="fixed")]
            for name in self.fixed_fields
            if name in values and _known(values[name]) != _known(self._current(name))
        }

    def _read_only(self, data: Mapping[str, Any]) -> Faults:
        if self.instance is None:
            return {}
        read_only = self._answered() - self._declared_fields.keys()
        given = [name for name in data if name in read_only - TIMES]
        if not given:
            return {}
        current = self.context["current"]()
        if "uri" in given and same_value(data["uri"], current["uri"]):
            return {}
        words = (
            "{!r} is set by the server and cannot be changed: leave it out, or send the whole "
            "resource as it was read, with its uri."
        )
        return {
            name: [serializers.ErrorDetail(words.format(name), code="fixed")]
            for name in given
            if not same_value(data[name], current.get(name))
        }

    def _answered(self) -> Set[str]:
        """Return the names of the resource's own properties, without those of nested objects."""
        whole = self.root is self and self.takes_back
        return self.context.get("answered", frozenset()) if whole else frozenset()

    def _current(self, name: str) -> Any:
        """Return a fixed field's value in the form in which it is parsed from a body."""
        return self.context["current"]()[name]


def _again(field: serializers.Field) -> serializers.Field:
    """The same field once more; `copy.copy` finds out each time how that is done."""
    again = object.__new__(type(field))
    again.__dict__.update(field.__dict__)
    return again


def _known(value: Any) -> Any:
    """Return the value; an empty one as None, as in answers."""
    return None if value == "" else value


def same_value(given: Any, current: Any) -> bool:
    """Return whether a client's value, from JSON or a form, equals the value of an answer."""
    written = dumps(current)
    current = orjson.loads(written)
    if not isinstance(given, str):
        return given == current
    if not isinstance(current, str):
        return given == (written.decode() if current is not None else "")
    return uris.canonical(given) == current or (_moment(given) or given) == _moment(current)


def _moment(text: str) -> datetime | None:
    try:
        return parse_datetime(text)
    except ValueError:
        return None


def whole_fault(title: str, code: str) -> serializers.ValidationError:
    """A fault of the whole body."""
    return serializers.ValidationError({"non_field_errors": [serializers.ErrorDetail(title, code)]})


def _head(name: str) -> str:
    return name.replace("[", ".").partition(".")[0]


class Optional(serializers.Field):
    """A text field that may be empty: null and "" are both accepted and equal.

    Empty is None with `allow_null`, as in a nullable column, and "" with `allow_blank`; in answers
    it is null.
    """

    def __init__(
        self,
        *arguments: Any,
        allow_null: bool = False,
        allow_blank: bool = False,
        **options: Any,
    ):
        super().__init__(*arguments, allow_null=allow_null or allow_blank, **options)
        self.nothing = None if allow_null else ""
        # So that the document says it, too.
        self.allow_blank = self.allow_null and isinstance(self, serializers.CharField)

    def run_validation(self, data: Any = empty) -> Any:
        trimmed = getattr(self, "trim_whitespace", False) and isinstance(data, str)
        text = data.strip() if trimmed else data
        if self.allow_null and not self.read_only and text in (None, ""):
            return self.nothing
        return super().run_validation(data)


class StrictText(Optional, serializers.CharField):
    """A string, and nothing that could be turned into one: numbers are refused.

    Its letters are composed (Unicode NFC), as lists search for them: macOS names files with
    decomposed ones. What comes back exactly as it was sent (`trim_whitespace=False`), such as
    passwords and files, is not changed.
    """

    composed = True

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        text = super().to_internal_value(data)
        return composed(text) if self.composed and self.trim_whitespace else text


class UriField(StrictText):
    """An absolute URI of a resource of the platform, stored in its canonical form."""

    composed = False

    def __init__(self, **options: Any):
        super().__init__(max_length=2048, **options)

    def to_internal_value(self, data: Any) -> str:
        return uris.canonical(super().to_internal_value(data))


class UrlText(StrictText):
    """A URL of a foreign server, stored without normalisation."""

    composed = False


class PatternText(Optional, serializers.RegexField):
    """A string of a certain form."""


class EmailText(Optional, serializers.EmailField):
    """An address of a mailbox."""


class Choice(Optional, serializers.ChoiceField):
    """One of a few words; the error lists them."""

    def __init__(self, choices: Any, **options: Any):
        super().__init__(choices, **options)
        words = ", ".join(str(choice) for choice in self.choices)
        self.error_messages["invalid_choice"] = f'"{{input}}" is not one of: {words}.'


class Number(serializers.FloatField):
    """A finite number; `above` is a bound that it may not reach. From forms also its text."""

    default_error_messages = {
        "invalid": "Send a number.",
        "not_finite": "Send a finite number: this one is too large to be computed with.",
    }

    def __init__(self, *, above: float | None = None, **options: Any):
        super().__init__(**options)
        self.above = above

    def to_internal_value(self, data: Any) -> float:
        if isinstance(data, bool) or (isinstance(data, str) and not from_form(self)):
            self.fail("invalid")
        try:
            value = super().to_internal_value(data)
        except OverflowError:
            value = math.inf
        if not math.isfinite(value):
            self.fail("not_finite")
        if self.above is not None and value <= self.above:
            words = f"Send a number that is more than {self.above:g}."
            raise serializers.ValidationError(words, code="min_value")
        return value


class WholeNumber(serializers.IntegerField):
    """A whole number; from forms also its text."""

    default_error_messages = {"invalid": "Send a whole number."}

    def to_internal_value(self, data: Any) -> int:
        whole = isinstance(data, int | float) and not isinstance(data, bool) and data == data // 1
        if not whole and not (isinstance(data, str) and from_form(self)):
            self.fail("invalid")
        return super().to_internal_value(data)


def from_form(field: serializers.Field) -> bool:
    """Whether the body is a form, which knows only text."""
    return isinstance(getattr(field.root, "initial_data", None), MultiValueDict)


class StrictBoolean(serializers.BooleanField):
    """true or false; from forms, which know only text, also their spellings."""

    default_error_messages = {"invalid": "Send true or false."}

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool) and not (from_form(self) and isinstance(data, str)):
            self.fail("invalid", input=data)
        return super().to_internal_value(data)


class CallbackSerializer(StrictSerializer):
    """Callback of state changes: `url`, and the method of its requests."""

    url = UrlText(max_length=2048)
    method = Choice(choices=["GET", "POST", "PUT"], default="POST")

    def validate_url(self, url: str) -> str:
        try:
            url_policy.validate_url(url)
        except url_policy.ForbiddenUrl as error:
            raise serializers.ValidationError(str(error), code="not-allowed") from error
        return url
