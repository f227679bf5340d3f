"""Job: printability analysis."""

import dramatiq

from apps.warehouse.actors.sandboxes import assessors
from apps.warehouse.actors.snapshots import DEFAULT_VIEW
from apps.warehouse.models import Model, ModelQuerySet
from core.api.openapi.response_types import FreeJson
from core.files import blobs
from core.process.cancellation import Cancelled
from core.sandbox.sandbox import JobInputError
from geometry.printability import PRINTABILITY_VERSION


def assess_later(canonical: str) -> None:
    """Have a canonical file assessed, unless it has been."""
    if _not_assessed(canonical).exists():
        assess_printability.send(canonical)


def _cost(canonical: str) -> float:
    model = _not_assessed(canonical).first()
    return 0.2 + 3e-6 * (model.findings.get("triangles", 0) if model else 0)


@dramatiq.actor(queue_name="extras", cost=_cost)
def assess_printability(canonical: str) -> None:
    """Assess a canonical file, once for all models that have it."""
    model = _not_assessed(canonical).first()
    if model is None:
        return
    try:
        with blobs.local_copy(canonical) as path:
            found = assessors.run(
                "apps.warehouse.jobs.meshes:assess_file",
                path=path,
                closed=model.findings["manifold"],
            )
    except Cancelled:  # the last model that has it was deleted
        return
    except JobInputError as error:
        found = {"version": PRINTABILITY_VERSION, "errors": error.entries()}
    _not_assessed(canonical).update(printability=found)


def find_thin_places(sha256: str, *, closed: bool, limits: dict[str, float]) -> FreeJson:
    """Return what a canonical STL has below limits, by `geometry.print_findings`, in a sandbox.

    Findings are marked in the model's default picture. For actors of the queue `extras`.

    Raises JobInputError.
    """
    with blobs.local_copy(sha256) as path:
        places: FreeJson = assessors.run(
            "apps.warehouse.jobs.meshes:find_in_file",
            path=path,
            closed=closed,
            limits=limits,
            picture=(DEFAULT_VIEW.width, DEFAULT_VIEW.height),
        )
    return places


def _not_assessed(canonical: str) -> ModelQuerySet:
    return Model.objects.not_assessed(PRINTABILITY_VERSION).filter(canonical=canonical)
