"""What runs in the jail: files in, files and plain values out. No Django here."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from gcode import figures


def read_gcode(path: str, layers: str) -> dict[str, Any]:
    """The figures of the gcode file at `path`, whose index of layers is written to `layers`."""
    return asdict(figures(Path(path), layers=Path(layers)))
