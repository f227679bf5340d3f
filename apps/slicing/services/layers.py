"""Layers and toolpaths of finished G-code, read on demand."""

from django.db import transaction
from django.db.models import QuerySet

from apps.slicing.actors import cost_of_paths, paths_key, write_layer_paths
from apps.slicing.models import Gcode, LayerPaths, Slice
from core.errors import NotFound
from core.files import blobs
from core.queue.row_jobs import cancel_jobs, enqueue
from gcode import MAX_BYTES, LaidPath, LayerIndex, laid_paths


def read_index(row: Slice | Gcode) -> LayerIndex:
    """The index of its layers; NotFound where it has none."""
    _, layers = _files(row)
    return LayerIndex(blobs.read(layers))


def _files(row: Slice | Gcode) -> tuple[str, str]:
    """The hashes of its gcode, and of the index of the layers."""
    plain = _plain(row)
    if plain is None or row.layers_id is None or row.status != "processed":
        raise NotFound(f"This is {row.status}: its layers can be read once it is processed.")
    return str(plain), str(row.layers_id)


def _plain(row: Slice | Gcode) -> str | None:
    return row.plain_id if isinstance(row, Gcode) else row.content_id


def read_layer(row: Slice | Gcode, index: LayerIndex, number: int) -> tuple[list[LaidPath], bool]:
    """The paths of a layer, and whether they are all of it: a huge one is cut off."""
    if number >= len(index):
        raise NotFound(f"There are {len(index)} layers, counted from 0.")
    start, end = index.span(number)
    text = blobs.read(_files(row)[0], start, min(end - start, MAX_BYTES))
    return laid_paths(text, index, number)


@transaction.atomic
def find_paths(row: Slice | Gcode) -> LayerPaths:
    """What all its layers lay down, which is begun where it is not there; NotFound as above."""
    gcode, layers = _files(row)
    paths, made = LayerPaths.objects.get_or_create(
        key=paths_key(gcode, layers), defaults={"source_id": gcode, "layers_id": layers}
    )
    if made:
        cost = cost_of_paths(paths.source.size)
        enqueue(write_layer_paths, paths, owner=row.owner_id, cost=cost)
    return paths


def stop_paths(row: Slice | Gcode) -> None:
    """Stop the work on a file that is not needed any more."""
    kept = any(
        kind.objects.filter(content_id=row.content_id, deleted=None).exclude(pk=row.pk).exists()
        for kind in (Slice, Gcode)
    )
    if row.content_id is not None and not kept:
        unfinished = LayerPaths.objects.filter(
            source=_plain(row), status=LayerPaths.Status.PROCESSING
        )
        cancel_jobs(write_layer_paths, on=unfinished)
        unfinished.delete()


@transaction.atomic
def forget_failed(*, paths: QuerySet[LayerPaths]) -> int:
    """Let the next request begin anew those that failed; how many there were."""
    return paths.filter(status=LayerPaths.Status.ERROR).delete()[0]
