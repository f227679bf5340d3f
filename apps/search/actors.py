"""Jobs: compute descriptors, reindex, compare."""

import logging

import dramatiq

from apps.search.domain import comparisons, descriptors, model_sources
from apps.search.domain.indexing import Examined, examine
from apps.search.models import IndexedModel
from apps.warehouse import interface as warehouse
from core.errors import ErrorEntry, ServiceError
from core.process.cancellation import Cancelled
from core.queue.row_jobs import row_job
from core.sandbox.sandbox import JobInputError

logger = logging.getLogger(__name__)
Status = IndexedModel.Status


def _cost_of_describing(model_uri: str) -> float:
    model = warehouse.get_model_unchecked(model_uri)
    return 0.1 + 5e-6 * ((model and model.triangles) or 0)


@dramatiq.actor(queue_name="meshes", cost=_cost_of_describing)
def describe_model(model_uri: str) -> None:
    """Compute the descriptor of an analysed model, unless it exists."""
    model = warehouse.get_model_unchecked(model_uri)
    if model is None or model.sha256 is None:
        return
    try:
        descriptors.describe_stored(model.sha256)
    except Cancelled:
        return
    except JobInputError as error:
        logger.info("%s: descriptor failed: %s", model_uri, error.title)


def _fail(row: IndexedModel, errors: list[ErrorEntry]) -> None:
    row.move(Status.ERROR, error=errors[0]["title"][:1000], content_hash="")


@row_job(
    "extras",
    of=IndexedModel,
    begun_in=[Status.QUEUED, Status.INDEXING],
    where={"deleted": None},
    fail=_fail,
)
def index_model(row: IndexedModel) -> None:
    """Index a model again: queued -> indexing -> complete, or -> error."""
    row.move(Status.INDEXING)
    try:
        found = examine(model_sources.find_indexed(row))
    except ServiceError as error:
        found = Examined(Status.ERROR, error=error.title[:1000])
    row.move(found.status, error=found.error, content_hash=found.content_hash)


@dramatiq.actor(queue_name="extras")
def compare_contents(one: str, other: str) -> None:
    """Compare two stored files, which a request had no time for, and remember it."""
    if comparisons.recall(one, {other: 1.0}):
        return
    try:
        comparisons.compare_stored(one, other)
    except model_sources.ContentNotAvailable as error:  # another server's, which was not kept
        logger.warning("%s and %s: comparison failed: %s", one, other, error)
