"""Job: toolpath file of a G-code."""

from hashlib import sha256

from django.db import transaction

from apps.slicing.actors.gcodes import readers
from apps.slicing.models import LayerPaths
from core.files import blobs
from core.queue.row_jobs import row_job
from gcode import PATHS_VERSION


def paths_key(gcode: str, layers: str) -> str:
    """What decides the paths: the hashes of the file and of its index, and the format."""
    return sha256(f"{gcode} {layers} {PATHS_VERSION}".encode()).hexdigest()


def cost_of_paths(size: int) -> float:
    """Seconds that the paths of a file of so many bytes take."""
    return 0.2 + size / 1.5e7


@row_job("extras", of=LayerPaths, begun_in=[LayerPaths.Status.PROCESSING])
def write_layer_paths(row: LayerPaths) -> None:
    """Write what all layers lay down: processing -> processed, or -> error."""
    with (
        blobs.local_copy(row.source_id) as path,
        blobs.local_copy(row.layers_id) as layers,
        blobs.scratch_dir() as folder,
    ):
        out = folder / "paths"
        readers.run(
            "apps.slicing.jobs:write_paths_file",
            path=path,
            layers=layers,
            out=out,
            folder=folder,
        )
        stored = blobs.store_file(out)
    with transaction.atomic():
        row.move(LayerPaths.Status.PROCESSED, content_id=blobs.create_row(*stored))
