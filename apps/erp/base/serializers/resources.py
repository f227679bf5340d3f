"""Serializers and representations derived from a model's fields."""

import functools
import re
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, TypedDict, get_type_hints
from uuid import UUID

from django.db import models
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.erp.base import model_fields as erp
from apps.erp.base.models.abstract import BaseResource
from apps.erp.base.models.access import readable_by
from apps.users import interface as users
from core import uris
from core.api.fields import (
    Choice,
    EmailText,
    Number,
    Optional,
    StrictBoolean,
    StrictSerializer,
    StrictText,
    UriField,
    ValidatedData,
    WholeNumber,
)
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.money import CurrencyField, RateField
from core.api.openapi.response_types import Email, FreeJson, Uri
from core.auth_user import Person

PublicColumn = models.Field | dict[str, models.Field]  # or those of a group, by its parts
Telling = Callable[[Any], Any]
MAX_ENTRIES = 1000  # entries of a list


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

    def __init__(self, kind: type[Any], *, most: int = MAX_ENTRIES, **options: Any):
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
    if issubclass(kind, BaseResource):
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
        if abs(given) > erp.MAX_AMOUNT / erp.THOUSANDTHS:
            words = f"Send a number within {erp.MAX_AMOUNT / erp.THOUSANDTHS:,.0f}."
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


def serializer_of(kind: type[BaseResource], **more: Any) -> type[StrictSerializer]:
    """The input of a kind: one field a column, as its columns say; `more` come beside them."""
    fields: dict[str, serializers.Field] = {}
    for name, columns in public_columns(kind).items():
        if isinstance(columns, dict):
            parts = {part: input_of(column) for part, column in columns.items()}
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


def answer_of(kind: type[BaseResource], beside: Any = None) -> Any:
    """The type of a row's answer: its URI, its columns, and the members of `beside`.

    And `moves`, where callers send rows of the kind from state to state.
    """
    hints: dict[str, object] = {"uri": Uri}
    for name, columns in public_columns(kind).items():
        hints[name] = _hint_of(columns, f"{kind.__name__}{name.title()}")
    if _moves(kind):
        hints["moves"] = Annotated[list[str], "Allowed status transitions."]
    hints |= get_type_hints(beside, include_extras=True) if beside else {}
    make: Any = TypedDict
    return make(f"{kind.__name__}Answer", hints)


def public_columns(kind: Any) -> dict[str, PublicColumn]:
    """The answer of a kind, in the order of its columns: name -> column, or columns by name."""
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


def flat(kind: type[BaseResource], values: ValidatedData) -> ValidatedData:
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


class ColumnType(NamedTuple):
    """How the columns of a type are read, typed, shown and filtered by.

    field  : makes the field that reads a value, of the column and the field's options
    hint   : of a value in an answer
    tell   : a value as JSON, of the column and the row's value
    filter : reads what a list is filtered by; None where lists are not filtered by it
    """

    field: Callable[..., serializers.Field]
    hint: Any
    tell: Callable[[Any, Any], Any] = lambda column, value: value
    filter: Callable[[str], Any] | None = None
    ordered: bool = False


def _plain_field(field: type[serializers.Field]) -> Callable[..., serializers.Field]:
    return lambda column, options: field(**options)


def _text_field(column: models.Field, options: dict[str, bool]) -> serializers.Field:
    return StrictText(max_length=column.max_length, **options)


def _number_field(field: type[serializers.Field]) -> Callable[..., serializers.Field]:
    return lambda column, options: field(validators=column.validators, **options)


def _tell_text(column: object, value: str | None) -> str | None:
    return value or None


def _thousandths(value: str) -> float:
    """What an amount is compared with; beyond the largest that there can be it is that."""
    limit = float(erp.MAX_AMOUNT)
    return round(min(max(list_queries.number(value), -limit), limit) * erp.THOUSANDTHS, 3)


# By the first type of model field that a column is of: each stands before those it is derived from.
_TYPES: dict[type, ColumnType] = {
    models.ManyToManyField: ColumnType(
        lambda column, options: LinksField(column.related_model, **options | {"required": False}),
        list[Uri],
        lambda column, rows: sorted(row.uri for row in rows.all()),
        list_queries.key_in_uri,
    ),
    models.ForeignKey: ColumnType(
        lambda column, options: LinkField(column.related_model, **options),
        Uri,
        lambda column, key: _uri_of(column.related_model, key) if key else None,
        list_queries.key_in_uri,
    ),
    models.JSONField: ColumnType(
        lambda column, options: serializers.ListField(
            child=serializers.JSONField(), max_length=MAX_ENTRIES, **options
        ),
        Any,
    ),
    erp.ForeignUriField: ColumnType(_plain_field(UriField), Uri, _tell_text, list_queries.uri),
    erp.GroupKey: ColumnType(
        _text_field, Uri, lambda column, key: users.group_uri(key), list_queries.key_in_uri
    ),
    models.BooleanField: ColumnType(_plain_field(StrictBoolean), bool, filter=list_queries.boolean),
    models.DateTimeField: ColumnType(
        _plain_field(Moment), datetime, filter=list_queries.time, ordered=True
    ),
    models.DateField: ColumnType(_text_field, str, filter=list_queries.date, ordered=True),
    erp.Amount: ColumnType(
        _number_field(AmountField),
        float,
        lambda column, amount: shown_amount(amount),
        _thousandths,
        ordered=True,
    ),
    models.IntegerField: ColumnType(
        _number_field(WholeNumber), int, filter=list_queries.number, ordered=True
    ),
    models.FloatField: ColumnType(
        lambda column, options: Number(validators=erp.bounded(column), **options),
        float,
        filter=list_queries.number,
        ordered=True,
    ),
    erp.Money: ColumnType(
        lambda column, options: RateField(free=True, **options),
        Decimal,
        filter=list_queries.number,
        ordered=True,
    ),
    erp.Currency: ColumnType(_plain_field(CurrencyField), str, _tell_text, list_queries.text),
    erp.Color: ColumnType(_plain_field(ColorField), str, _tell_text, list_queries.text),
    models.EmailField: ColumnType(_plain_field(EmailText), Email, _tell_text, list_queries.text),
    models.TextField: ColumnType(_text_field, str, _tell_text),
    models.CharField: ColumnType(_text_field, str, _tell_text, list_queries.text),
    models.Field: ColumnType(_text_field, str, filter=list_queries.text),
}


def _type_of(column: models.Field) -> ColumnType:
    return next(_TYPES[kind] for kind in _TYPES if isinstance(column, kind))


def input_of(column: Any) -> serializers.Field:
    """The field that reads a column's values."""
    options = {"required": not (column.blank or column.has_default())}
    if column.null:
        options["allow_null"] = True
    if isinstance(column, models.CharField | models.TextField) and not _is_uri(column):
        options |= {"allow_blank": True} if column.blank and not column.null else {}
    if column.choices:
        return Choice(choices=column.choices, **options)
    return _type_of(column).field(column, options)


def _hint_of(column: Any, name: str) -> Any:
    """The type of a column's answer; `name` is for that of several."""
    if isinstance(column, dict):
        make: Any = TypedDict
        return make(f"{name}Answer", {part: _hint_of(inner, "") for part, inner in column.items()})
    hint = _type_of(column).hint
    if isinstance(column, models.JSONField) and _comes_in(column):
        hint = list[Any]
    if column.choices:
        hint = Annotated[str, Literal[*(value for value, _ in column.choices)]]  # type: ignore[valid-type]
    unknown = column.null or (
        isinstance(column, models.CharField | models.TextField) and column.blank
    )
    return hint | None if unknown else hint


# ---------------------------------------------------------------- rows


def resource(row: Any) -> FreeJson:
    """A row of any kind, as JSON."""
    kind: Any = type(row)
    answer = {"uri": row.uri} | {name: tell(row) for name, tell in _telling(kind)}
    moves = _moves(kind)
    return answer | {"moves": moves.get(row.status, [])} if moves else answer


@functools.cache
def _moves(kind: type[BaseResource]) -> dict[str, list[str]]:
    """By state, where callers may send rows of a kind; empty for kinds without such states."""
    table: Any = getattr(kind, "TRANSITIONS", {})
    return {state: sorted(to.asked) for state, to in table.items() if getattr(to, "asked", None)}


@functools.cache
def _telling(kind: type[BaseResource]) -> tuple[tuple[str, Telling], ...]:
    return tuple((name, _teller(columns)) for name, columns in public_columns(kind).items())


def _teller(column: Any) -> Telling:
    if isinstance(column, dict):
        tellers = {part: _teller(inner) for part, inner in column.items()}
        return lambda row: {part: teller(row) for part, teller in tellers.items()}
    name, tell = column.attname, _type_of(column).tell
    return lambda row: tell(column, getattr(row, name))


def shown_amount(kept: int | None) -> float | None:
    """An amount in g or ml, as answers show it."""
    return None if kept is None else kept / erp.THOUSANDTHS


def _uri_of(kind: Any, key: UUID) -> str:
    return str(kind.uri_of(key)) if issubclass(kind, BaseResource) else uris.user_uri(key)


# ---------------------------------------------------------------- lists


def listing_of(kind: Any) -> ListOptions:
    """What a list of a kind can be filtered, searched and sorted by: its columns."""
    columns: dict[str, models.Field] = {}
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


def _column(column: Any) -> Column | None:
    kind = _type_of(column)
    return kind.filter and Column(column.attname, kind.filter, ordered=kind.ordered)
