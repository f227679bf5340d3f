"""Model fields: times of the database's clock, decimal amounts, ISO 4217 currencies."""

from typing import Any

from django.db import models
from django.db.models.functions import Now

from core.money import MAX_DECIMALS, MAX_DIGITS


class DatabaseTimeField(models.DateTimeField):
    """A DateTimeField whose `auto_now` and `auto_now_add` are the database's time.

    The clocks of the machines that write rows may differ, and clients follow `updated`. A new row
    gets its values with its INSERT; an UPDATE takes a time that is read before it.
    """

    @property
    def db_returning(self) -> bool:
        """Whether an INSERT returns the value."""
        return bool(self.auto_now or self.auto_now_add)

    def pre_save(self, model_instance: models.Model, add: bool) -> object:  # noqa: FBT001
        """The value to write, which the instance has then, too."""
        if add and self.db_returning:
            return Now()
        if not self.auto_now:
            return super().pre_save(model_instance, add)
        rows = type(model_instance)._base_manager.filter(pk=model_instance.pk)
        (time,) = rows.values_list(Now()).first() or (Now(),)
        setattr(model_instance, self.attname, time)
        return time

    def deconstruct(self) -> Any:
        """The column is that of a DateTimeField: migrations see no difference."""
        name, _, arguments, options = super().deconstruct()
        return name, "django.db.models.DateTimeField", arguments, options


def amount(**options: Any) -> models.DecimalField:
    """Return a decimal field of an amount, whose currency is in a field beside it."""
    return models.DecimalField(max_digits=MAX_DIGITS, decimal_places=MAX_DECIMALS, **options)


def currency(**options: Any) -> models.CharField:
    """Three letters of ISO 4217."""
    return models.CharField(max_length=3, **options)
