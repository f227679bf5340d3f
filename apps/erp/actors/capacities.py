"""Counts how many of a model fit, in the background."""

from collections.abc import Callable
from typing import Any

import dramatiq
from django.utils import timezone

from apps.erp.actors.jails import packers
from apps.erp.models import Capacity
from apps.warehouse import interface as warehouse
from core.jail import JobError


@dramatiq.actor(queue_name="packing", on_retry_exhausted="abandon_count")
def count_capacity(key: str) -> None:
    """Count how many fit: calculating -> final, better on the way."""
    row = Capacity.objects.filter(pk=key).first()
    if row is None or row.status == Capacity.Status.FINAL:
        return
    note = _noting(row)
    question = dict(row.question)
    try:
        with warehouse.stl_file(question.pop("mesh")) as path:
            found = packers.run(
                "apps.erp.jobs.counting:count_file", path=path, **question, progress=note
            )
    except JobError:
        found = {}  # what is known from boxes and bounds stands
    note(1.0, **found)
    _finish(key)


@dramatiq.actor(queue_name="packing")
def abandon_count(message: dict[str, Any], reason: dict[str, Any]) -> None:
    """Counting itself failed, again and again: what is known is all that will be."""
    (key,) = message["args"]
    _finish(key)


def _noting(row: Capacity) -> Callable[..., None]:
    """A progress function that keeps what has become better."""

    def note(
        done: float, *, at_least: int = 0, at_most: int | None = None, reason: str = ""
    ) -> None:
        better: dict[str, Any] = {}
        if at_least > row.at_least:
            better["at_least"] = at_least
        if at_most is not None and at_most < row.at_most:
            better |= {"at_most": at_most, "reason": reason}
        for name, value in better.items():
            setattr(row, name, value)
        if better:
            Capacity.objects.filter(pk=row.pk).update(**better, updated=timezone.now())

    return note


def _finish(key: str) -> None:
    Capacity.objects.filter(pk=key).update(status=Capacity.Status.FINAL, updated=timezone.now())
