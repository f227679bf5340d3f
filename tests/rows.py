"""A row of any kind, with all that it needs, made from what its fields say."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from itertools import count
from typing import Any
from uuid import uuid4

from django.contrib import admin
from django.db.models import Field, Model
from django.utils import timezone

from apps.users import interface as users
from apps.users.models import Group, Membership

# What fields of these types hold, from a number that no other row has.
VALUES: dict[str, Any] = {
    "BigIntegerField": lambda number: number,
    "BinaryField": lambda number: number.to_bytes(32, "big"),
    "BooleanField": lambda number: True,
    "CharField": lambda number: f"{number:08}",
    "DateField": lambda number: timezone.now().date() - timedelta(days=31 * (number % 1000)),
    "DateTimeField": lambda number: timezone.now(),
    "DecimalField": lambda number: Decimal(number),
    "FloatField": float,
    "HalfVectorField": lambda number: [0.5] * 324,
    "IntegerField": lambda number: number,
    "JSONField": lambda number: {"number": number, "within": [{"deeper": {"x": 1}}]},
    "PositiveIntegerField": lambda number: number,
    "SmallIntegerField": lambda number: number % 30_000,
    "TextField": lambda number: f"text {number}",
    "UUIDField": lambda number: uuid4(),
}
# What constraints of the database ask for beyond that.
WANTED: dict[str, dict[str, Any]] = {
    "erp.Attempt": {"status": "done"},
    "callbacks.Subscription": {"events": ["*"], "resource": None},
    "payment.Charge": {"status": "recorded", "corrects": None},
    "erp.MaintenanceTask": {"interval_jobs": 20},
    "erp.Document": {"series": None, "corrects": None, "quote": None, "shipment": None},
    "erp.Piece": {"place": None},
    "erp.PriceTable": {"expires": timezone.now() + timedelta(days=1)},
    "erp.ProcessStep": {"post_processor_type": None, "shipping": None},
    "erp.StockMovement": {"attempt": None},
    "sales.Visit": {"account": None},
    "sales.CustomerLink": {"expires": timezone.now() + timedelta(days=1)},
    "search.PairCheck": {"second_hash": "z"},
    "slicing.Config": {"parameters": {"perimeters": 3}},
    "slicing.Constraint": {"parameters": {"perimeters": {"min": 2}}},
}
# References that may be empty, but not all of them.
NEEDED = ("erp.ProcessStep.printer_type",)
_numbers = count(1)


def row_of(kind: type[Model], **given: Any) -> Any:
    """A new row, and a new one for each of its references; `given` sets its fields."""
    return _make(kind, given, _new_reference)


def _new_reference(field: Field) -> Any:
    return _make(field.related_model, {}, _old_reference)


def _old_reference(field: Field) -> Any:
    """Of what a row refers to, one is enough; what may be empty is."""
    kind = field.related_model
    if field.null and str(field) not in NEEDED:
        return None
    return kind._base_manager.first() or _make(kind, {}, _old_reference)


def _make(kind: type[Model], given: dict[str, Any], reference: Callable[[Field], Any]) -> Any:
    values = {**WANTED.get(kind._meta.label, {}), **given}
    for field in kind._meta.concrete_fields:
        if field.name in values or field.has_default() or getattr(field, "auto_now_add", False):
            continue
        if field.is_relation:
            values[field.name] = reference(field)
        elif not (field.null or field.blank or getattr(field, "auto_now", False)):
            values[field.name] = _value(field)
    if kind._meta.app_label == "erp" and not kind._meta.managed:
        return _shown(kind, values)
    return kind._base_manager.create(**values)


def _shown(kind: Any, values: dict[str, Any]) -> Any:
    """A row of a view of what the users service says of people."""
    user = values["user"]
    if "right" not in values:
        group, _ = Group.objects.get_or_create(pk=values["bureau"].group)
        Membership.objects.create(user=user, group=group)
        return kind.objects.get(user=user, bureau=values["bureau"])
    place = values[kind.PARENT]
    right = {"namespace": "erp", "object": place.uri, "right": values["right"]}
    users.grant(actor=None, holder=user.uri, **right)
    return kind.objects.get(user=user, right=values["right"], **{kind.PARENT: place})


def _value(field: Field) -> Any:
    """Something that the field takes."""
    number = next(_numbers)
    if field.choices:
        return field.choices[0][0]
    value = VALUES[field.get_internal_type()](number)
    return value[-field.max_length :] if isinstance(value, str) and field.max_length else value


def fill() -> None:
    """Two rows of each kind that operators have a page of, where there are fewer."""
    for kind in admin.site._registry:
        for _ in range(2 - kind._base_manager.count()):
            row_of(kind)
