"""Maintenance log of printers, and the tasks that are due."""

from django.db import models

from apps.erp.base.model_fields import BureauForeignKey, name_field, text_field, user_field
from apps.erp.base.models.abstract import BureauResource
from apps.erp.organisation.models.equipment import Printer
from apps.erp.organisation.models.maintenance import MaintenanceTask


class MaintenanceEntry(BureauResource):
    """An entry in the maintenance log of a printer, which never changes.

    task               : that was done; null: another work, or the task was deleted
    name               : of the task as it was, or of the other work
    hours, grams, jobs : that the printer had printed by then
    """

    KIND = "maintenance-entry"
    PARENT = "printer"
    READ_ONLY = frozenset({"hours", "grams", "jobs", "creator"})

    printer = BureauForeignKey(Printer, models.CASCADE)
    task = BureauForeignKey(MaintenanceTask, models.SET_NULL, null=True, blank=True)
    name = name_field(blank=True, default="")
    notes = text_field()
    hours = models.FloatField()
    grams = models.FloatField()
    jobs = models.PositiveIntegerField()
    creator = user_field()

    class Meta(BureauResource.Meta):
        verbose_name_plural = "maintenance entries"
        indexes = [
            *BureauResource.Meta.indexes,
            models.Index(fields=["printer", "task", "-uuid"], name="maintenance_last_entry"),
        ]


class DueMaintenance(models.Model):
    """A task that is due for a printer: written when it becomes due, deleted when it is done."""

    printer = BureauForeignKey(Printer, models.CASCADE, related_name="due_maintenance")
    task = BureauForeignKey(MaintenanceTask, models.CASCADE)
    since = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["printer", "task"], name="due_maintenance_once")
        ]

    def __str__(self) -> str:
        return f"{self.task_id} of {self.printer_id}"
