"""Maintenance tasks: the maintenance plan of a printer type."""

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from apps.erp.base.model_fields import Above, BureauForeignKey, name_field, text_field
from apps.erp.base.models.abstract import BureauResource
from apps.erp.organisation.models.equipment import PrinterType

MAX_INTERVAL = 1_000_000  # h, g, prints or days


def _measured() -> models.FloatField:
    """An interval by a measured quantity; null: not by it."""
    limits = [Above(0), MaxValueValidator(MAX_INTERVAL)]
    return models.FloatField(null=True, blank=True, validators=limits)


def _counted() -> models.PositiveIntegerField:
    """An interval by a count; null: not by it."""
    limits = [MinValueValidator(1), MaxValueValidator(MAX_INTERVAL)]
    return models.PositiveIntegerField(null=True, blank=True, validators=limits)


class MaintenanceTask(BureauResource):
    """A task that each printer of a type needs at intervals: due by the first that is reached.

    interval_hours, interval_grams : printed since the task was done last
    interval_jobs                  : prints that ended since then
    interval_days                  : since then
    notes                          : how it is done
    blocks                         : whether a printer takes no runs while the task is due
    """

    MEASURES: ClassVar = ("hours", "grams", "jobs", "days")

    KIND = "maintenance-task"
    RIGHT = "printer_type.all"
    FIXED = frozenset({"printer_type"})
    GROUPS = {"interval": {measure: f"interval_{measure}" for measure in MEASURES}}

    printer_type = BureauForeignKey(PrinterType, models.CASCADE)
    name = name_field()
    interval_hours = _measured()
    interval_grams = _measured()
    interval_jobs = _counted()
    interval_days = _counted()
    blocks = models.BooleanField(default=False)
    notes = text_field()

    class Meta(BureauResource.Meta):
        constraints = [
            models.CheckConstraint(
                condition=Q(interval_hours__isnull=False)
                | Q(interval_grams__isnull=False)
                | Q(interval_jobs__isnull=False)
                | Q(interval_days__isnull=False),
                name="maintenance_task_has_interval",
            )
        ]

    @property
    def intervals(self) -> dict[str, float]:
        """The intervals that are set, by their measures."""
        values = {measure: getattr(self, f"interval_{measure}") for measure in self.MEASURES}
        return {measure: value for measure, value in values.items() if value is not None}
