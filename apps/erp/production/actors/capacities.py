"""Job: compute a capacity."""

from collections.abc import Callable

from django.db.models.functions import Now

from apps.erp.production.actors.sandboxes import packers
from apps.erp.production.models.capacity import Capacity
from apps.warehouse import interface as warehouse
from core.errors import ErrorEntry
from core.queue.row_jobs import row_job


def _end(row: Capacity, errors: list[ErrorEntry]) -> None:
    """Counting failed: what is known from boxes and bounds stands."""
    row.move(Capacity.Status.FINAL)


@row_job("packing", of=Capacity, begun_in=[Capacity.Status.CALCULATING], fail=_end)
def count_capacity(row: Capacity) -> None:
    """Count how many fit: calculating -> final, better on the way."""
    note = _noting_better(row)
    question = dict(row.question)
    with warehouse.stl_file(question.pop("mesh")) as path:
        found = packers.run(
            "apps.erp.production.jobs.capacity:count_file", path=path, **question, progress=note
        )
    note(1.0, **found)
    row.move(Capacity.Status.FINAL)


def _noting_better(row: Capacity) -> Callable[..., None]:
    """A progress function that keeps what has become better."""

    def note(
        done: float, *, at_least: int = 0, at_most: int | None = None, reason: str = ""
    ) -> None:
        better: dict[str, int | str] = {}
        if at_least > row.at_least:
            better["at_least"] = at_least
        if at_most is not None and at_most < row.at_most:
            better |= {"at_most": at_most, "reason": reason}
        for name, value in better.items():
            setattr(row, name, value)
        if better:
            Capacity.objects.filter(pk=row.pk).update(**better, updated=Now())

    return note
