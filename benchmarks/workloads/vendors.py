"""A vendor's presets without the platform: read anew, and sliced by the bare engine."""

import re
import resource
import subprocess
import time
from pathlib import Path
from typing import Any, NamedTuple

ESTIMATE = re.compile(
    r"; estimated printing time \(normal mode\) = (?:(\d+)d )?(?:(\d+)h )?(?:(\d+)m )?(\d+)s"
)
FILAMENT = re.compile(r"; filament used \[mm\] = ([\d.]+)")
HEADING = re.compile(r"\[(printer|print|filament):(.+)\]")


def bare(triple: tuple[Any, Any, Any], folder: Path) -> tuple[float, float]:
    """Slice `model.stl` of the folder: seconds and mm of filament, as the engine says."""
    (folder / "config.ini").write_text(vendors_file(triple))
    words = ["prusa-slicer", "--export-gcode", "--dont-arrange", "--load", "config.ini"]
    words += ["--datadir", "data", "--output", "bare.gcode", "model.stl"]
    done = subprocess.run(words, cwd=folder, capture_output=True, check=False)  # noqa: S603
    if done.returncode:
        raise SystemExit(f"{triple[0].name}: {done.stdout[-300:]!r}")
    return told(folder / "bare.gcode")


def vendors_file(triple: tuple[Any, Any, Any]) -> str:
    """The vendor's three presets as one file for the bare engine; its first layer in mm."""
    from django.conf import settings

    written: dict[tuple[str, str], dict[str, str]] = {}
    current: dict[str, str] | None = None
    bundle = Path(settings.PRESETS) / f"{triple[0].bundle}.ini"
    for line in bundle.read_text().splitlines():
        if line.startswith("["):
            found = HEADING.fullmatch(line.strip())
            current = written.setdefault((found[1], found[2]), {}) if found else None
        elif current is not None and "=" in line and not line.startswith(("#", ";")):
            key, _, value = line.partition("=")
            current[key.strip()] = value.strip()

    def whole(kind: str, name: str) -> dict[str, str]:
        own, inherited = written[kind, name], {}
        for parent in filter(None, (word.strip() for word in own.get("inherits", "").split(";"))):
            inherited |= whole(kind, parent)
        return inherited | own

    printer, way, stuff = (whole(row.kind, row.name) for row in triple)
    every = {**way, **stuff, **printer}
    first, height = every["first_layer_height"], float(every["layer_height"])
    if first.endswith("%"):
        every["first_layer_height"] = f"{float(first[:-1]) / 100 * height:g}"
    return "".join(f"{key} = {value}\n" for key, value in every.items() if key != "inherits")


def told(gcode: Path) -> tuple[float, float]:
    """Seconds and mm of filament, as the engine says at the end of its gcode."""
    text = gcode.read_text(errors="replace")
    days, hours, minutes, seconds = (int(n or 0) for n in ESTIMATE.search(text).groups())  # type: ignore[union-attr]
    filament = float(FILAMENT.search(text)[1])  # type: ignore[index]
    return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds), filament


def pauses(gcode: Path) -> float:
    """s that it waits by G4: our planner counts them, the engine's does not."""
    waits = re.findall(r"^G4 ([PS])([\d.]+)", gcode.read_text(), re.MULTILINE)
    return sum(float(value) / (1000.0 if word == "P" else 1.0) for word, value in waits)


class Spent(NamedTuple):
    """CPU, s: of this process, and of the engine that it ran."""

    own: float
    engine: float


def spent() -> Spent:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Spent(time.process_time(), children.ru_utime + children.ru_stime)
