"""Toolpath file of all layers, read in parts by the viewer.

Little-endian:

    "MPPATHS1", u32 layers, u32 bytes of the JSON, the JSON, zeros up to a multiple of 8
    a row a layer, as ROW
    of each layer: a row a path, as PATH, then the points of all its paths: x, y as u16, in steps
        from its lowest x and y

The JSON has `features` (the slicer's words in lower case, by their numbers), `bounds` (mm, the
lowest and the highest x and y; null where nothing is laid down) and `filament_diameter` (mm).
"""

from pathlib import Path
from typing import BinaryIO

import numpy as np
import orjson
from numpy.typing import NDArray

from gcode.layers import LayerIndex
from gcode.toolpaths import Laid, laid

PATHS_VERSION = 1
MAGIC = b"MPPATHS1"
STEP, MAX_STEPS = 0.01, 65_535  # mm; a wider layer has longer steps
MAX_BYTES_OF_A_LAYER = 1 << 24  # what is more is left out

# offset : of the layer's first path, from the beginning of the file
# low, step, z, height, filament : mm
ROW = np.dtype(
    [
        ("offset", "<u8"),
        ("paths", "<u4"),
        ("points", "<u4"),
        ("low", "<f8", 2),
        ("step", "<f8"),
        ("z", "<f4"),
        ("height", "<f4"),
        ("seconds", "<f4"),
        ("filament", "<f4"),
    ]
)
PATH = np.dtype([("points", "<u4"), ("feature", "<u2"), ("width", "<u2")])  # width: micrometres


def write_paths(gcode: Path, index: LayerIndex, out: Path) -> None:
    """Write what all layers of a gcode file lay down, at the memory of one layer.

    Raises InvalidGcode.
    """
    head = _head(index)
    table = np.zeros(len(index), ROW)
    with gcode.open("rb") as file, out.open("wb") as paths:
        paths.seek(len(head) + table.nbytes)
        for number in range(len(index)):
            start, end = index.span(number)
            file.seek(start)
            text = file.read(min(end - start, MAX_BYTES_OF_A_LAYER))
            table[number] = _write_layer(paths, laid(text, index, number), index, number)
        paths.seek(0)
        paths.write(head + table.tobytes())


def _head(index: LayerIndex) -> bytes:
    bounds = [index.layer(number).bounds for number in range(len(index))]
    lows, highs = np.array(bounds).reshape(-1, 2, 2).transpose(1, 0, 2)
    facts = {
        "features": index.names,
        "bounds": [lows.min(axis=0).tolist(), highs.max(axis=0).tolist()] if bounds else None,
        "filament_diameter": index.filament_diameter,
    }
    text = orjson.dumps(facts)
    sizes = np.array([len(index), len(text)], "<u4").tobytes()
    head = MAGIC + sizes + text
    return head + bytes(-len(head) % 8)


def _write_layer(
    file: BinaryIO, layer: Laid, index: LayerIndex, number: int
) -> tuple[int, int, int, NDArray[np.float64], float, float, float, float, float]:
    """Write a layer where the file stands; its row of the table."""
    offset, facts = file.tell(), index.layer(number)
    paths = np.zeros(len(layer.sizes), PATH)
    paths["points"], paths["feature"] = layer.sizes, layer.features
    paths["width"] = np.rint(layer.widths * 1000).clip(0, MAX_STEPS)
    low, step = np.zeros(2), STEP
    if layer.points.size:
        low = layer.points.min(axis=1)
        step = max(STEP, float((layer.points.max(axis=1) - low).max()) / MAX_STEPS)
    steps = np.rint((layer.points - low[:, None]) / step).clip(0, MAX_STEPS)
    file.write(paths.tobytes() + steps.T.astype("<u2").tobytes())
    figures = facts.z, facts.height, facts.build_time_seconds, facts.filament_mm
    return (offset, len(paths), layer.points.shape[1], low, step, *figures)
