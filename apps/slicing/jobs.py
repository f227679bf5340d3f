"""Sandboxed jobs: read G-code; no Django."""

from dataclasses import asdict
from pathlib import Path

from gcode import LayerIndex, figures, write_paths


def read_gcode(path: str, layers: str) -> dict[str, object]:
    """Return the figures of the gcode file at `path`; writes its index of layers to `layers`."""
    return asdict(figures(Path(path), layers=Path(layers)))


def write_paths_file(path: str, layers: str, out: str) -> None:
    """Write what all layers of the gcode file at `path` lay down, by their index at `layers`."""
    write_paths(Path(path), LayerIndex(Path(layers).read_bytes()), Path(out))
