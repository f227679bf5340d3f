"""Sandboxed jobs: read G-code; no Django."""

from dataclasses import asdict
from pathlib import Path
from typing import TypedDict

from gcode import LayerIndex, figures, metadata, unpack, write_paths


class ReadGcode(TypedDict):
    """What is read from an uploaded file; `container` is "" for plain text."""

    container: str
    plates: list[int]
    figures: dict[str, object]
    metadata: dict[str, object]


def read_gcode(path: str, text: str, layers: str, plate: int | None) -> ReadGcode:
    """Return the figures and the metadata of the gcode file at `path`.

    Writes the index of its layers to `layers`, and the gcode inside a container to `text`.

    plate : of a sliced 3MF; None for its first
    """
    unpacked = unpack(Path(path), Path(text), plate=plate)
    plain = Path(text if unpacked else path)
    return {
        "container": unpacked.container if unpacked else "",
        "plates": unpacked.plates if unpacked else [],
        "figures": asdict(figures(plain, layers=Path(layers))),
        "metadata": asdict(metadata(plain)),
    }


def write_paths_file(path: str, layers: str, out: str) -> None:
    """Write what all layers of the gcode file at `path` lay down, by their index at `layers`."""
    write_paths(Path(path), LayerIndex(Path(layers).read_bytes()), Path(out))
