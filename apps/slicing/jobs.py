"""Sandboxed jobs: read G-code; no Django."""

from dataclasses import asdict
from pathlib import Path

from gcode import LayerIndex, figures, unpack, write_paths


def read_gcode(path: str, text: str, layers: str) -> dict[str, object]:
    """Return the figures of the gcode file at `path`, and its container, "" for plain text.

    Writes the index of its layers to `layers`, and the gcode inside a container to `text`.
    """
    container = unpack(Path(path), Path(text))
    plain = Path(text if container else path)
    return {"container": container or "", "figures": asdict(figures(plain, layers=Path(layers)))}


def write_paths_file(path: str, layers: str, out: str) -> None:
    """Write what all layers of the gcode file at `path` lay down, by their index at `layers`."""
    write_paths(Path(path), LayerIndex(Path(layers).read_bytes()), Path(out))
