"""Jobs: preview meshes, other formats, thumbnails on demand."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import Any

from django.db import transaction

from apps.warehouse.actors.sandboxes import assessors
from apps.warehouse.actors.snapshots import DEFAULT_VIEW, SMALL, draw
from apps.warehouse.models import Rendition
from core.files import blobs
from core.queue.row_jobs import row_job
from geometry.formats import WRITER_VERSION
from geometry.preview_mesh import PREVIEW_VERSION
from geometry.rendering.view import RENDERER_VERSION

THUMBNAIL_VIEW = replace(DEFAULT_VIEW, width=SMALL[0], height=SMALL[1])
VERSIONS: dict[str, int] = {
    Rendition.Kind.PREVIEW: PREVIEW_VERSION,
    Rendition.Kind.THUMBNAIL: RENDERER_VERSION,
    Rendition.Kind.THREE_MF: WRITER_VERSION,
    Rendition.Kind.GLB: WRITER_VERSION,
}
# The whole mesh in another format.
FORMATS = (Rendition.Kind.THREE_MF, Rendition.Kind.GLB)

# The triangles that a preview may have: parts of a full plate, plates, phones, screens, and close.
SIZES = (500, 2_000, 10_000, 50_000, 500_000)
USUAL = 50_000

# Seconds, by the triangles of the mesh.
COSTS: dict[str, Callable[[int], float]] = {
    Rendition.Kind.PREVIEW: lambda triangles: 0.1 + 3e-6 * triangles,
    Rendition.Kind.THUMBNAIL: THUMBNAIL_VIEW.cost,
    Rendition.Kind.THREE_MF: lambda triangles: 0.3 + 1e-5 * triangles,
    Rendition.Kind.GLB: lambda triangles: 0.3 + 5e-6 * triangles,
}


def rendition_key(canonical: str, kind: str, triangles: int | None) -> str:
    """What decides a rendition: the mesh, the kind, its size, and the version of what makes it."""
    # The usual size has the key that it had when there was no other.
    size = f" {triangles}" if triangles not in (None, USUAL) else ""
    return sha256(f"{canonical} {kind} {VERSIONS[kind]}{size}".encode()).hexdigest()


making = partial(row_job, of=Rendition, begun_in=[Rendition.Status.PROCESSING])


@making("extras")
def write_preview(rendition: Rendition) -> None:
    """Make a light mesh for viewers: processing -> processed, or -> error."""
    kept = _written(rendition, "write_preview_file", triangles=rendition.triangles)
    _keep(rendition, kept)


@making("extras")
def write_in_format(rendition: Rendition) -> None:
    """Write a mesh in another format: processing -> processed, or -> error."""
    _keep(rendition, _written(rendition, "write_in_format", format=rendition.kind))


@making("renders")
def draw_thumbnail(rendition: Rendition) -> None:
    """Draw a small picture: processing -> processed, or -> error."""
    drawn = draw(rendition.source_id, THUMBNAIL_VIEW, closed=rendition.closed)
    _keep(rendition, drawn.stored)


@transaction.atomic
def _keep(rendition: Rendition, kept: tuple[str, int]) -> None:
    rendition.move(Rendition.Status.PROCESSED, content_id=blobs.create_row(*kept))


def _written(rendition: Rendition, job: str, **asked: Any) -> tuple[str, int]:
    with blobs.local_copy(rendition.source_id) as path, blobs.scratch_dir() as folder:
        out = folder / "out"
        meshes = "apps.warehouse.jobs.meshes"
        assessors.run(f"{meshes}:{job}", path=path, out=out, folder=folder, **asked)
        return blobs.store_file(out)
