"""Job: create a child model by transformation."""

from django.db import transaction
from django.db.models.functions import Now

from apps.warehouse.actors.analysis import analyse_model, cost_of_verdict, fail
from apps.warehouse.actors.sandboxes import analysts
from apps.warehouse.models import Model
from core.api.openapi.response_types import FreeJson
from core.errors import error_entry
from core.files import blobs
from core.queue.row_jobs import enqueue, row_job

# Seconds for each triangle. Moving, turning and scaling compose, whatever their number, to one
# pass over the file, and what needs to know the box takes one more each; auto-rotate looks at many
# ways to lie.
A_PASS = {"auto-translate": 5e-8, "auto-scale": 5e-8, "bracket": 1e-6, "auto-rotate": 5e-6}


def send_to_shaping(child: Model) -> None:
    """Have a child made from its parent."""
    parent = child.parents.first()
    triangles = parent.findings.get("triangles", 0) if parent else 0
    seconds = sum(A_PASS.get(step["type"], 0.0) for step in child.transformations or ())
    enqueue(transform_model, child, cost=0.3 + triangles * (1e-6 + seconds))


@row_job("meshes", of=Model, begun_in=[Model.Status.PROCESSING], where={"content": None}, fail=fail)
def transform_model(child: Model) -> None:
    """Make a child's file, which is then judged like any other; or processing -> error."""
    parent = child.parents.first()
    if parent is None or parent.canonical_id is None:
        title = "The model that this was to be made from is no longer there: upload it again."
        fail(child, [error_entry("model-gone", title)])
        return

    steps = child.transformations or []
    with blobs.local_copy(parent.canonical_id) as path, blobs.scratch_dir() as folder:
        out = folder / "child.stl"
        results = analysts.run(
            "apps.warehouse.jobs.meshes:shape_file",
            path=path,
            out=out,
            folder=folder,
            steps=[kernel_step(step) for step in steps],
        )
        stored = blobs.store_file(out)
    applied = [
        {**step, "result": _without_type(result)}
        for step, result in zip(steps, results, strict=True)
    ]
    with transaction.atomic():
        Model.objects.filter(pk=child.pk, content=None).update(
            content=blobs.create_row(*stored),
            file_size=stored[1],
            transformations=applied,
            updated=Now(),
        )
        child.file_size = stored[1]
        enqueue(analyse_model, child, cost=cost_of_verdict(child))


def kernel_step(step: FreeJson) -> dict[str, object]:
    """Return a step of the contract as `geometry.transformations.steps_of` reads it."""
    kernel: dict[str, object] = {"type": step["type"]}
    for name, value in step.items():
        if name.startswith("parameters"):
            kernel |= {
                field: [given[axis] for axis in "xyz"] if field == "build" else given
                for field, given in value.items()
            }
    return kernel


def _without_type(result: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in result.items() if name != "type"}
