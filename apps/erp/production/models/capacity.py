"""Capacity: how many copies of a part fit a printer type."""

from django.db import models

from core.model_fields import DatabaseTimeField
from core.state_machine import Stateful


class Capacity(Stateful):
    """How many copies of one mesh a build volume holds.

    key      : hash of all that decides it
    question : mesh (SHA-256), volume, distance, mode, packer, policy of turning
    """

    class Status(models.TextChoices):
        CALCULATING = "calculating"
        FINAL = "final"

    TRANSITIONS = {Status.CALCULATING: {Status.FINAL}}

    created = DatabaseTimeField(auto_now_add=True)
    updated = DatabaseTimeField(auto_now=True)
    key = models.CharField(primary_key=True, max_length=64)
    question = models.JSONField()
    at_least = models.PositiveBigIntegerField()
    at_most = models.PositiveBigIntegerField()
    reason = models.TextField()
    status = models.CharField(max_length=16, choices=Status, default=Status.CALCULATING)

    class Meta:
        verbose_name_plural = "capacities"

    def __str__(self) -> str:
        return f"{self.at_least} to {self.at_most}"
