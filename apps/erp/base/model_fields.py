"""Custom model fields: amounts, money, currency, colour, foreign URIs, links within a bureau."""

from typing import Any

from django.conf import settings
from django.core.validators import BaseValidator, MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.deconstruct import deconstructible

from core.money import RATE_DECIMALS, RATE_DIGITS

THOUSANDTHS = 1000  # of a g or ml in which amounts are kept
MAX_AMOUNT = 10**9 * THOUSANDTHS
MAX_TEXT = 10_000  # characters of a note or a description
MAX_SIDE = 10_000  # mm, of a build volume
LARGEST_MEASURE = 1e9  # of a duration, factor, density or the like, in whatever unit
FARTHEST = 50  # mm, from part to part in a run


@deconstructible
class Above(BaseValidator):
    """A number that must be more than the limit."""

    message = "Send a number that is more than %(limit_value)s."
    code = MinValueValidator.code

    def compare(self, value: Any, limit: Any) -> bool:
        return value <= limit


def name_field(**options: Any) -> models.CharField:
    """What people call it."""
    return models.CharField(max_length=200, **options)


def short_text_field(**options: Any) -> models.CharField:
    """A short text; may be empty."""
    return models.CharField(max_length=200, blank=True, default="", **options)


def text_field(**options: Any) -> models.TextField:
    """A note or a description; may be empty."""
    return models.TextField(max_length=MAX_TEXT, blank=True, default="", **options)


def measure(**options: Any) -> models.FloatField:
    """A length, density or the like: more than 0."""
    return models.FloatField(validators=[Above(0)], **options)


def length(**options: Any) -> models.FloatField:
    """One side of a build volume, mm."""
    return models.FloatField(validators=[Above(0), MaxValueValidator(MAX_SIDE)], **options)


def distance(**options: Any) -> models.FloatField:
    """How far parts stay from one another, mm."""
    return models.FloatField(
        validators=[MinValueValidator(0), MaxValueValidator(FARTHEST)], **options
    )


def amount_of(**options: Any) -> models.FloatField:
    """A duration, factor or the like: 0 or more."""
    return models.FloatField(validators=[MinValueValidator(0)], **options)


def bounded(column: models.Field) -> list[Any]:
    """The validators of a number, with a maximum: what is computed of it can be stored."""
    has_maximum = any(isinstance(each, MaxValueValidator) for each in column.validators)
    return [*column.validators, *([] if has_maximum else [MaxValueValidator(LARGEST_MEASURE)])]


class Money(models.DecimalField):
    """A rate in the bureau's currency, 0 or more."""

    def __init__(self, **options: Any):
        fixed = {"max_digits": RATE_DIGITS, "decimal_places": RATE_DECIMALS}
        super().__init__(validators=[MinValueValidator(0)], **options | fixed)

    def deconstruct(self) -> Any:
        name, path, arguments, options = super().deconstruct()
        options.pop("validators", None)
        return name, path, arguments, options


class Amount(models.BigIntegerField):
    """g or ml, kept as whole thousandths: what is added up stays exact."""


class Currency(models.CharField):
    """Three letters of ISO 4217."""

    def __init__(self, **options: Any):
        super().__init__(**options | {"max_length": 3})


class Color(models.CharField):
    """#RRGGBB, or nothing."""

    def __init__(self, **options: Any):
        super().__init__(**options | {"max_length": 7})


class ForeignUriField(models.CharField):
    """The URI of another service's resource: `kind` is what it is called there."""

    def __init__(self, *, kind: str = "", **options: Any):
        super().__init__(**options | {"max_length": 500})
        self.kind = kind


class GroupKey(models.UUIDField):
    """The key of a group of people; its URI is shown, and never changed."""


class BureauForeignKey(models.ForeignKey):
    """Another resource of the same bureau, which cannot be deleted while this one is there."""

    def __init__(self, to: Any, on_delete: Any = models.PROTECT, **options: Any):
        super().__init__(to, on_delete, **{"related_name": "+", **options})


def user_field(**options: Any) -> models.ForeignKey:
    """A user."""
    return models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", **options)
