"""Readings of a machine during a print attempt."""

from typing import NamedTuple

from django.db import models

from apps.erp.production.models.attempts import Attempt

MAX_SAMPLES = 400
FIRST_INTERVAL = 10  # s


class Reading(NamedTuple):
    """Readings at a moment of a print: s since its start, part of 1, °C; None: not reported."""

    seconds: int
    progress: float | None
    nozzle: float | None
    bed: float | None


class AttemptReadings(models.Model):
    """Readings during an attempt: at most MAX_SAMPLES, whose interval doubles when they fill up.

    interval : s between two of them
    last     : s from the start of the print to the last one; null: none
    rows     : lists of the values of `Reading`
    """

    attempt = models.OneToOneField(
        Attempt, on_delete=models.CASCADE, primary_key=True, related_name="readings"
    )
    interval = models.PositiveIntegerField(default=FIRST_INTERVAL)
    last = models.PositiveIntegerField(null=True, blank=True)
    rows = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"{len(self.rows)} readings"

    def add(self, reading: Reading) -> None:
        """Add a reading; drop every second one, and double the interval, of too many."""
        self.rows = [*self.rows, list(reading)]
        if len(self.rows) > MAX_SAMPLES:
            self.rows, self.interval = self.rows[::2], self.interval * 2
        self.last = reading.seconds
