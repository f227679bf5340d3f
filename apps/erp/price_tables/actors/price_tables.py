"""Jobs: refresh price tables and learned speeds when a slice completes."""

from typing import Any

import dramatiq
from django.db import transaction
from django.utils import timezone

from apps.callbacks import interface as callbacks
from apps.erp.base.domain.events import emit_status
from apps.erp.orders.domain import print_speed
from apps.erp.orders.models.prices import PriceTable
from apps.erp.price_tables.domain import price_table_cells
from apps.slicing import interface as slicing
from apps.warehouse import interface as warehouse

STEPS = 4 * price_table_cells.MAX_STEPS  # of a table whose numbers have changed


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
    waiting = PriceTable.objects.exclude(status=PriceTable.Status.EXACT)
    for key in waiting.filter(waits_for__contains=[uri]).values_list("pk", flat=True):
        _refresh(key)


@dramatiq.actor(queue_name="default")
def forget_price_tables() -> None:
    """Tables whose time is over are gone, with what was still to be told of them."""
    with transaction.atomic():
        over = PriceTable.objects.select_for_update().filter(expires__lt=timezone.now())
        for table in over:
            callbacks.cancel_pending(uri=table.uri)
            table.delete()


@transaction.atomic
def _refresh(key: Any) -> None:
    """The cells are computed anew, from what they were computed from before."""
    table = PriceTable.objects.select_for_update().filter(pk=key).first()
    if table is None or table.status == PriceTable.Status.EXACT:
        return
    models = warehouse.get_models_unchecked(table.asked["models"])
    if len(models) < len(set(table.asked["models"])):
        return
    made = price_table_cells.made_by(table.basis, table.slices, models)
    backlog = price_table_cells.backlog_of(table.basis)
    try:
        cells = price_table_cells.cells_of(table.basis, made, backlog=backlog, steps=STEPS)
    except price_table_cells.TableTooLarge:  # by the slices' numbers; the estimates stay
        return
    told = [cell.told for cell in cells.values()]
    status = price_table_cells.status_of(made)
    if status == PriceTable.Status.ESTIMATED or (told, status) == (table.cells, table.status):
        return
    table.move(status, cells=told)
    emit_status(table)
