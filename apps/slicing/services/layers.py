"""Layers of finished gcode, read on demand."""

from django.core.files.storage import default_storage

from apps.slicing.models import Gcode, Slice
from core.errors import NotFound
from core.models import blob_name
from gcode import MOST_BYTES, LaidPath, LayerIndex, laid_paths


def read_index(row: Slice | Gcode) -> LayerIndex:
    """The index of its layers; NotFound where it has none."""
    if row.layers_id is None or row.status != "processed":
        raise NotFound(f"This is {row.status}: its layers can be read once it is processed.")
    with default_storage.open(blob_name(row.layers_id)) as file:
        return LayerIndex(file.read())


def read_layer(row: Slice | Gcode, index: LayerIndex, number: int) -> tuple[list[LaidPath], bool]:
    """The paths of a layer, and whether they are all of it: a huge one is cut off."""
    if number >= len(index):
        raise NotFound(f"There are {len(index)} layers, counted from 0.")
    start, end = index.span(number)
    with default_storage.open(blob_name(str(row.content_id))) as file:
        file.seek(start)
        text = file.read(min(end - start, MOST_BYTES))
    return laid_paths(text, index, number)
