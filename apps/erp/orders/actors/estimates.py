"""Job: estimate a line item."""

from uuid import UUID

import dramatiq
from django.db import transaction
from django.db.models import Q

from apps.erp.base.domain.events import emit_status
from apps.erp.orders.actors.print_reports import begin_report
from apps.erp.orders.domain import status_rollup
from apps.erp.orders.domain.prices import cost_terms, line_prices
from apps.erp.orders.models.orders import LineItem
from apps.slicing import interface as slicing
from apps.slicing.interface import StoredSlice
from apps.warehouse import interface as warehouse
from apps.warehouse.interface import StoredModel
from core.errors import ErrorEntry, ServiceError, error_entry
from core.queue.row_jobs import enqueue, row_job

_Status = LineItem.Status
# What waits to be estimated.
WAITING = (_Status.NEW, _Status.CALCULATING)
NO_MODEL = "The line item has no model to slice: it says no_model_upload."
NO_CONFIG = (
    "There is no config to slice the model with: set the line item's config, or that of the "
    "printer type that its workflow names."
)


@transaction.atomic
def _fail_locked(row: LineItem, errors: list[ErrorEntry]) -> None:
    for locked in status_rollup.lock_line_items([row.pk]):
        _fail(locked, *errors)


@row_job("default", of=LineItem, begun_in=WAITING, fail=_fail_locked)
def estimate_line_item(row: LineItem) -> None:
    """Estimate a line item: new -> calculating_estimates -> pending, or -> error.

    One whose model or slice is not done stays in calculating_estimates: `continue_estimates`
    sends it again.
    """
    _begin(row.pk)
    _estimate(row.pk)


@dramatiq.actor(queue_name="default")
def continue_estimates(uri: str) -> None:
    """A model was judged, or a slice came to its end: what waits for it goes on."""
    waiting = LineItem.objects.filter(Q(model_uri=uri) | Q(slice_uri=uri), status__in=WAITING)
    with transaction.atomic():
        for row in waiting.only("creator"):
            enqueue(estimate_line_item, row, owner=row.creator_id)


@transaction.atomic
def _begin(key: UUID) -> None:
    for row in status_rollup.lock_line_items([key]):
        if row.status == _Status.NEW:
            row.move(_Status.CALCULATING)
            emit_status(row)


@transaction.atomic
def _estimate(key: UUID) -> None:
    """All of it under the row's lock: a change comes before it or after it, never between."""
    row = next(iter(status_rollup.lock_line_items([key])), None)
    if row is None or row.status != _Status.CALCULATING:
        return  # it is done, or is not wanted any more
    model = warehouse.get_model_unchecked(row.model_uri) if row.model_uri else None
    if row.model_uri and model is None:
        title = "The model was deleted before the line item was estimated: name another."
        _fail(row, error_entry("model-gone", title, field="model"))
        return
    if model is not None and model.status == "processing":
        return
    if model is not None and model.status == "error":
        _fail(row, *(model.errors or ()), _unusable(model))
        return
    sliced, not_sliced = _sliced(row, model)
    if sliced is not None and sliced.status == "error":
        not_sliced = _why(sliced)
        sliced = None
    elif sliced is not None and sliced.status != "processed":
        return
    piece = cost_terms.piece_cost_of(row, model=model, sliced=sliced, not_sliced=not_sliced)
    found = cost_terms.estimates_of(row, piece=piece, sliced=sliced)
    made = line_prices.made_of(sliced, not_sliced)
    sold = line_prices.priced(row, model=model, made=made, piece=piece)
    row.move(_Status.PENDING, estimates=found, errors=None, **sold)
    begin_report(row, model)
    emit_status(row)


def _sliced(row: LineItem, model: StoredModel | None) -> tuple[StoredSlice | None, str]:
    """The slice of one part, which need not be done, or None and why there is none."""
    if not row.model_uri:
        return None, NO_MODEL
    if row.slice_uri:
        kept = slicing.get_slice_unchecked(row.slice_uri)
        return kept, f"The slice {row.slice_uri} was deleted."
    try:
        config = cost_terms.config_of(row, cost_terms.steps_of(row), model)
        if config is None:
            return None, NO_CONFIG
        made = slicing.find_or_make_slice(owner=row.creator, model=row.model_uri, config=config)
    except ServiceError as rejection:
        return None, f"The model cannot be sliced: {rejection}"
    row.slice_uri = made.uri
    row.save(update_fields=["slice_uri", "updated"])
    return made, ""


def _why(sliced: StoredSlice) -> str:
    reasons = " ".join(error["title"] for error in sliced.errors)
    return f"The slice {sliced.uri} failed. {reasons}".strip()


def _unusable(model: StoredModel) -> ErrorEntry:
    title = f"The model {model.uri} is in error: name another."
    return error_entry("model-not-usable", title, field="model")


def _fail(row: LineItem, *errors: ErrorEntry) -> None:
    row.move(_Status.ERROR, errors=list(errors))
    emit_status(row)
