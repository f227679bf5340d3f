"""Serializers and representations derived from a model's fields."""

import functools
import re
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, TypedDict, get_type_hints

from django.db import models
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.erp.base import model_fields as erp
from apps.erp.base.models.abstract import Row
from apps.erp.base.models.access import readable_by
from apps.users import interface as users
from core import uris
from core.api import list_queries
from core.api.fields import (
    Choice,
    EmailText,
    Number,
    Optional,
    StrictBoolean,
    StrictSerializer,
    StrictText,
    UriField,
    WholeNumber,
)
from core.api.list_queries import Column, ListOptions
from core.api.money import CurrencyField, RateField
from core.api.response_types import Email, Uri
from core.auth_user import Person

Telling = Callable[[Any], Any]
MOST_ENTRIES = 1000  # entries of a list


@extend_schema_field(OpenApiTypes.URI)
class LinkField(Optional, serializers.Field):
    """The URI of a row of a kind that the caller reads; its value is the row."""

    def __init__(self, kind: type[Any], **options: Any):
        super().__init__(**options)
        self.kind = kind

    def to_internal_value(self, data: Any) -> Any:
        (row,) = _rows_at([data], self.kind, self.context["request"].user)
        return row


class LinksField(serializers.ListField):
    """The URIs of rows of a kind that the caller reads; its value is the rows."""

    def __init__(self, kind: type[Any], *, most: int = MOST_ENTRIES, **options: Any):
        super().__init__(child=StrictText(max_length=2048), **options)
        self.kind = kind
        self.most = most

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, list) and len(data) > self.most:
            words = f"Send at most {self.most} URIs."
            raise serializers.ValidationError(words, code="max_length")
        given = super().to_internal_value(data)
        return _rows_at(given, self.kind, self.context["request"].user)


def _rows_at(given: list[Any], kind: Any, user: Person) -> list[Any]:
    """The rows that URIs name, in their order: one statement."""
    if issubclass(kind, Row):
        what, rows = kind.KIND, readable_by(kind, user)
    else:
        what, rows = "user", kind.objects.filter(is_active=True)
    keys = [uris.keys_of(uri, what) if isinstance(uri, str) else [] for uri in given]
    found = {row.pk: row for row in rows.filter(pk__in=[key for own in keys for key in own])}
    missing = [
        f"{str(uri)[:200]} is not a {what} that you may read."
        for uri, own in zip(given, keys, strict=True)
        if not own or own[0] not in found
    ]
    if missing:
        raise serializers.ValidationError(missing[:10], code="resource-not-found")
    return [found[own[0]] for own in keys]


class AmountField(Number):
    """g or ml; its value is in thousandths."""

    def to_internal_value(self, data: Any) -> int:
        given = super().to_internal_value(data)
        if abs(given) > erp.MOST_AMOUNT / erp.THOUSANDTHS:
            words = f"Send a number within {erp.MOST_AMOUNT / erp.THOUSANDTHS:,.0f}."
            raise serializers.ValidationError(words, code="max_value")
        return round(given * erp.THOUSANDTHS)


class ColorField(StrictText):
    """#RRGGBB."""

    def to_internal_value(self, data: Any) -> str:
        color = super().to_internal_value(data)
        if not re.fullmatch(r"#[0-9a-fA-F]{6}", color):
            words = "Send a color such as #FF8800."
            raise serializers.ValidationError(words, code="not-allowed")
        return color


class Moment(serializers.DateTimeField):
    """An ISO 8601 time, or a date: its first moment."""

    def to_internal_value(self, value: Any) -> Any:
        if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value):
            value += "T00:00:00Z"
        return super().to_internal_value(value)


class RowSerializer(StrictSerializer):
    """Input of a kind, whose links are read as rows."""

    def _current(self, name: str) -> Any:
        return getattr(self.instance, name, None)


def serializer_of(kind: type[Row], **more: Any) -> type[StrictSerializer]:
    """The input of a kind: one field a column, as its columns say; `more` come beside them."""
    fields: dict[str, Any] = {}
    for name, columns in public_columns(kind).items():
        if isinstance(columns, dict):
            parts: dict[str, Any] = {part: input_of(column) for part, column in columns.items()}
            group = type(
                f"{kind.__name__}{name.title()}Serializer", (StrictSerializer,), dict(parts)
            )
            fields[name] = group(required=any(part.required for part in parts.values()))
        elif _comes_in(columns):
            fields[name] = input_of(columns)
    fixed = {kind.PARENT, *kind.FIXED} - {""}
    names = {
        "__doc__": kind.__doc__,
        "fixed_fields": tuple(sorted(fixed)),
        "known_extras": kind.EXTRAS,
    }
    return type(f"{kind.__name__}Serializer", (RowSerializer,), names | fields | more)


def answer_of(kind: type[Row], beside: Any = None) -> Any:
    """The type of what is told of a row: its URI, its columns, and the members of `beside`.

    And `moves`, where callers send rows of the kind from state to state.
    """
    hints: dict[str, Any] = {"uri": Uri}
    for name, columns in public_columns(kind).items():
        hints[name] = _hint_of(columns, f"{kind.__name__}{name.title()}")
    if _moves(kind):
        hints["moves"] = Annotated[list[str], "The states that it can be sent to now."]
    hints |= get_type_hints(beside, include_extras=True) if beside else {}
    make: Any = TypedDict
    return make(f"{kind.__name__}Answer", hints)


def public_columns(kind: Any) -> dict[str, Any]:
    """What is told of a kind, in the order of its columns: name -> column, or columns by name."""
    columns = {
        column.name: column
        for column in (*kind._meta.fields, *kind._meta.many_to_many)
        if column.name not in {"uuid", *kind.PRIVATE}
    }
    grouped = {column for group in kind.GROUPS.values() for column in group.values()}
    plain = {kind.spelled(name): column for name, column in columns.items() if name not in grouped}
    groups = {
        name: {part: columns[column] for part, column in group.items()}
        for name, group in kind.GROUPS.items()
    }
    return plain | groups


def _is_uri(column: Any) -> bool:
    return isinstance(column, erp.ForeignUriField)


def flat(kind: type[Row], values: dict[str, Any]) -> dict[str, Any]:
    """What was read of a body, by columns: groups opened."""
    uris_in = {kind.spelled(c.name): c.name for c in kind._meta.fields if _is_uri(c)}
    values = {uris_in.get(name, name): value for name, value in values.items()}
    for name, group in kind.GROUPS.items():
        for part, value in values.pop(name, {}).items():
            values[group[part]] = value
    return values


def _comes_in(column: Any) -> bool:
    """Whether clients write the column: not what the platform keeps, or what the parent says."""
    kind = column.model
    return (
        column.editable
        and column.name not in {"created", "updated", *kind.READ_ONLY}
        and (column.name != "bureau" or kind.PARENT == "bureau")
    )


def input_of(column: Any) -> serializers.Field:
    """The field that reads a column's values."""
    options: dict[str, Any] = {"required": not (column.blank or column.has_default())}
    if column.null:
        options["allow_null"] = True
    if isinstance(column, models.ManyToManyField):
        return LinksField(column.related_model, **options | {"required": False})
    if isinstance(column, models.ForeignKey):
        return LinkField(column.related_model, **options)
    if isinstance(column, models.JSONField):
        return serializers.ListField(
            child=serializers.JSONField(), max_length=MOST_ENTRIES, **options
        )
    if column.choices:
        return Choice(choices=column.choices, **options)
    if isinstance(column, erp.Money):
        return RateField(free=True, **options)
    if isinstance(column, models.BooleanField):
        return StrictBoolean(**options)
    if isinstance(column, models.DateTimeField):
        return Moment(**options)
    if isinstance(column, erp.Amount):
        return AmountField(validators=column.validators, **options)
    if isinstance(column, models.IntegerField | models.FloatField):
        number = WholeNumber if isinstance(column, models.IntegerField) else Number
        return number(validators=column.validators, **options)
    return _text_of(column, options)


def _text_of(column: Any, options: dict[str, Any]) -> serializers.Field:
    if _is_uri(column):
        return UriField(**options)
    if column.blank and not column.null:
        options["allow_blank"] = True
    if isinstance(column, erp.Currency):
        return CurrencyField(**options)
    if isinstance(column, erp.Color):
        return ColorField(**options)
    if isinstance(column, models.EmailField):
        return EmailText(**options)
    return StrictText(max_length=column.max_length, **options)


# The type of a column's value in an answer, by the column's.
_HINTS: dict[Any, Any] = {
    models.ManyToManyField: list[Uri],
    models.ForeignKey: Uri,
    erp.ForeignUriField: Uri,
    erp.GroupKey: Uri,
    models.EmailField: Email,
    models.BooleanField: bool,
    models.DateTimeField: datetime,
    erp.Amount: float,
    models.IntegerField: int,
    models.FloatField: float,
    models.DecimalField: Decimal,
    models.JSONField: Any,
    models.Field: str,
}


def _hint_of(column: Any, name: str) -> Any:
    """The type of what is told of a column; `name` is for that of several."""
    if isinstance(column, dict):
        make: Any = TypedDict
        return make(f"{name}Answer", {part: _hint_of(inner, "") for part, inner in column.items()})
    hint = next(hint for kind, hint in _HINTS.items() if isinstance(column, kind))
    if isinstance(column, models.JSONField) and _comes_in(column):
        hint = list[Any]
    if column.choices:
        hint = Annotated[str, Literal[*(value for value, _ in column.choices)]]  # type: ignore[valid-type]
    unknown = column.null or (
        isinstance(column, models.CharField | models.TextField) and column.blank
    )
    return hint | None if unknown else hint


# ---------------------------------------------------------------- rows told


def resource(row: Any) -> dict[str, Any]:
    """A row of any kind, as JSON."""
    kind: Any = type(row)
    told = {"uri": row.uri} | {name: tell(row) for name, tell in _telling(kind)}
    moves = _moves(kind)
    return told | {"moves": moves.get(row.status, [])} if moves else told


@functools.cache
def _moves(kind: type[Row]) -> dict[str, list[str]]:
    """By state, where callers may send rows of a kind; empty for kinds without such states."""
    table: Any = getattr(kind, "TRANSITIONS", {})
    return {state: sorted(to.asked) for state, to in table.items() if getattr(to, "asked", None)}


@functools.cache
def _telling(kind: type[Row]) -> tuple[tuple[str, Telling], ...]:
    return tuple((name, _teller(columns)) for name, columns in public_columns(kind).items())


def _teller(column: Any) -> Telling:
    if isinstance(column, dict):
        tellers = {part: _teller(inner) for part, inner in column.items()}
        return lambda row: {part: teller(row) for part, teller in tellers.items()}
    name = column.name
    if isinstance(column, models.ManyToManyField):
        return lambda row: sorted(other.uri for other in getattr(row, name).all())
    if isinstance(column, models.ForeignKey):
        uri_of = _uri_of(column.related_model)
        return lambda row: uri_of(key) if (key := getattr(row, column.attname)) else None
    if isinstance(column, erp.GroupKey):
        return lambda row: users.group_uri(getattr(row, name))
    if isinstance(column, erp.Amount):
        return lambda row: told_amount(getattr(row, name))
    if isinstance(column, models.CharField | models.TextField):
        return lambda row: getattr(row, name) or None
    return lambda row: getattr(row, name)


def told_amount(kept: int | None) -> float | None:
    """An amount in g or ml, as it is told."""
    return None if kept is None else kept / erp.THOUSANDTHS


def _uri_of(kind: Any) -> Callable[[Any], str]:
    if issubclass(kind, Row):
        return kind.uri_of
    return uris.user_uri


# ---------------------------------------------------------------- lists


def listing_of(kind: Any) -> ListOptions:
    """What a list of a kind can be filtered, searched and sorted by: its columns."""
    columns: dict[str, Any] = {}
    for name, found in public_columns(kind).items():
        if isinstance(found, dict):
            columns |= {f"{name}.{part}": column for part, column in found.items()}
        else:
            columns[name] = found
    filters = {name: asked for name, column in columns.items() if (asked := _column(column))}
    words = [name for name in ("name", "description", "notes") if name in columns]
    plain = [name for name in ("name", "status", "updated", *kind.SORTED) if name in columns]
    return ListOptions(
        filters=filters,
        search={name: name for name in words},
        sort={"created": "uuid"} | {name: name for name in plain},
    )


def _thousandths(value: str) -> float:
    """What an amount is compared with; beyond the largest that there can be it is that."""
    most = float(erp.MOST_AMOUNT)
    return round(min(max(list_queries.number(value), -most), most) * erp.THOUSANDTHS, 3)


def _column(column: Any) -> Column | None:
    if isinstance(column, models.ForeignKey):
        return Column(column.attname, list_queries.key_in_uri)
    if isinstance(column, models.ManyToManyField):
        return Column(column.name, list_queries.key_in_uri)
    if isinstance(column, models.JSONField | models.TextField):
        return None
    if _is_uri(column):
        return Column(column.name, list_queries.uri)
    if isinstance(column, erp.GroupKey):
        return Column(column.name, list_queries.key_in_uri)
    if isinstance(column, models.BooleanField):
        return Column(column.name, list_queries.boolean)
    if isinstance(column, models.DateTimeField):
        return Column(column.name, list_queries.time, ordered=True)
    if isinstance(column, models.DateField):
        return Column(column.name, list_queries.date, ordered=True)
    if isinstance(column, erp.Amount):
        return Column(column.name, _thousandths, ordered=True)
    if isinstance(column, models.IntegerField | models.FloatField | models.DecimalField):
        return Column(column.name, list_queries.number, ordered=True)
    return Column(column.name)
