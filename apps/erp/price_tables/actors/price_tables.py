"""Jobs: compute large price tables; refresh tables and learned speeds when a slice completes."""

from typing import Any

import dramatiq
from django.db import transaction
from django.utils import timezone

from apps.callbacks import interface as callbacks
from apps.erp.base.domain.events import emit_status
from apps.erp.orders.domain.prices import print_speed
from apps.erp.orders.domain.prices.line_prices import Made
from apps.erp.orders.models.prices import PriceTable
from apps.erp.price_tables.domain import computing, price_table_cells
from apps.erp.price_tables.domain.response_types import CellAnswer
from apps.slicing import interface as slicing
from apps.warehouse import interface as warehouse
from core.errors import ErrorEntry, error_entry
from core.queue.row_jobs import cancel_jobs, enqueue, row_job

# What changes while slices come in.
CHANGING = (PriceTable.Status.ESTIMATED, PriceTable.Status.MIXED)
MODEL_GONE = error_entry("resource-not-found", "A model of the table was deleted.")


@transaction.atomic
def _fail(table: PriceTable, errors: list[ErrorEntry]) -> None:
    """The cells stay empty; a table that has prices keeps them."""
    if table.status == PriceTable.Status.PENDING:
        table.move(PriceTable.Status.ERROR, errors=errors)
        emit_status(table)


@row_job("packing", of=PriceTable, begun_in=[PriceTable.Status.PENDING, *CHANGING], fail=_fail)
def compute_price_table(table: PriceTable) -> None:
    """Compute the cells of a large table: pending -> estimated, mixed, exact, or -> error.

    Outside of a transaction, since it takes seconds. It is done again where a slice came to its
    end meanwhile: its own message may have met the table before there were cells.
    """
    made = _made(table)
    if made is None:
        return _fail(table, [MODEL_GONE])
    try:
        cells = computing.all_cells(table.basis, made)
    except price_table_cells.StepsExceeded:
        return _fail(table, computing.too_large().entries())
    with transaction.atomic():
        locked = PriceTable.objects.select_for_update().filter(pk=table.pk).first()
        if locked is None or locked.status not in (PriceTable.Status.PENDING, *CHANGING):
            return
        if _made(locked) == made:
            _keep(locked, made, cells)
        else:
            enqueue_computing(locked)


def enqueue_computing(table: PriceTable, expected: int = 0) -> None:
    """Queue the computing of a table on the share of whoever made it.

    expected : steps that it takes
    """
    seconds = 1.0 + expected * computing.SECONDS_PER_STEP
    enqueue(compute_price_table, table, owner=table.creator_id, cost=seconds)


@dramatiq.actor(queue_name="default")
def learn_speed(uri: str) -> None:
    """A slice is done: its config's machine time is learnt, where there are enough new ones."""
    sliced = slicing.get_slice_unchecked(uri)
    config = slicing.config_of_slice(uri)
    if config is not None and sliced is not None and sliced.status == "processed":
        print_speed.learn(config)


@dramatiq.actor(queue_name="default")
def refresh_price_tables(uri: str) -> None:
    """A slice came to its end: the tables that wait for it have their cells computed anew."""
    waiting = PriceTable.objects.filter(status__in=(PriceTable.Status.PENDING, *CHANGING))
    for key in waiting.filter(waits_for__contains=[uri]).values_list("pk", flat=True):
        _refresh(key)


@dramatiq.actor(queue_name="default")
def forget_price_tables() -> None:
    """Tables whose time is over are gone, with the events of them that were not sent."""
    with transaction.atomic():
        over = PriceTable.objects.select_for_update().filter(expires__lt=timezone.now())
        cancel_jobs(compute_price_table, on=over)
        for table in over:
            callbacks.cancel_pending(uri=table.uri)
            table.delete()


@transaction.atomic
def _refresh(key: Any) -> None:
    """The cells are computed anew, from what they were computed from before; large ones by a job.

    A table that is pending is computed anyway.
    """
    table = PriceTable.objects.select_for_update().filter(pk=key).first()
    if table is None or table.status not in CHANGING or (made := _made(table)) is None:
        return
    at_once = 4 * computing.AT_ONCE_STEPS  # its numbers have changed
    try:
        cells = computing.all_cells(table.basis, made, at_once)
    except price_table_cells.StepsExceeded as exceeded:
        enqueue_computing(table, exceeded.expected)
        return
    _keep(table, made, cells)


def _made(table: PriceTable) -> dict[str, Made] | None:
    """What is known of the making of its models by now; None where one was deleted."""
    uris = table.asked["models"]
    models = warehouse.get_models_unchecked(uris)
    if len(models) < len(set(uris)):
        return None
    return price_table_cells.made_by(table.basis, table.slices, models)


def _keep(
    table: PriceTable,
    made: dict[str, Made],
    cells: list[CellAnswer],
) -> None:
    """The computed cells of a locked table, and the event, where anything changed."""
    status = price_table_cells.status_of(made)
    if status == table.status == PriceTable.Status.ESTIMATED:
        return
    if (cells, status) != (table.cells, table.status):
        table.move(status, cells=cells)
        emit_status(table)
