"""Metadata that slicers state in G-code: slicer, printer, nozzle, filament, print time, objects.

Read are the comments of PrusaSlicer, SuperSlicer, OrcaSlicer, Bambu Studio, Cura and ideaMaker at
both ends of a file, and the labels of objects anywhere in it.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

ENDS_READ = 1 << 18  # bytes at either end of a file; the settings of OrcaSlicer take 60 KiB
CHUNK = 1 << 20
MAX_TEXT = 200  # characters of a value
MAX_OBJECTS = 1000  # names
MAX_TOOLS = 32
MAX_SECONDS = 1e8

STATEMENT = re.compile(
    rb"^[ \t]*;[ \t]*([A-Za-z][^=:\n]{0,80}?)[ \t]*[=:][ \t]*([^\r\n]{0,2000})", re.M
)
SLICER = re.compile(
    rb"^[ \t]*; ?(?:(?:G-Code )?[Gg]enerated (?:by|with) |Sliced by |Producer = )?"
    rb"(PrusaSlicer|SuperSlicer|OrcaSlicer|BambuStudio|Slic3r|Cura_SteamEngine|ideaMaker"
    rb"|Simplify3D|KISSlicer)(?:\(R\))?(?: Version)?[ ,]*([\w.+-]{0,40})",
    re.M,
)
NAMES = {"Cura_SteamEngine": "Cura", "BambuStudio": "Bambu Studio"}
DURATION = re.compile(r"(\d{1,6}) ?([dhms])")
UNITS = {"d": 86_400, "h": 3600, "m": 60, "s": 1}
NUMBERED = re.compile(r"(?:extruder_train\.(\d{1,2})\.)?([a-z ._]+?)(?: #(\d{1,2}))?")
INSTANCE = re.compile(r"(?:_id_\d+_copy_\d+| \(instance \d+\)|\(\d+\))\Z", re.IGNORECASE)


@dataclass(frozen=True)
class GcodeObject:
    """An object that the file prints, by the name that the slicer states, and how often."""

    name: str
    count: int


@dataclass(frozen=True)
class Metadata:
    """What a slicer states in a file; None and empty where it does not.

    nozzle_diameters, filament_types : by tool; mm, and PLA, PETG and the like
    layer_height   : mm
    stated_seconds : the slicer's own print time
    """

    slicer: str | None = None
    slicer_version: str | None = None
    printer_model: str | None = None
    printer_preset: str | None = None
    print_preset: str | None = None
    nozzle_diameters: list[float] = field(default_factory=list)
    filament_types: list[str] = field(default_factory=list)
    layer_height: float | None = None
    stated_seconds: float | None = None
    objects: list[GcodeObject] = field(default_factory=list)


def metadata(gcode: Path) -> Metadata:
    """Read what the slicer of a plain G-code file states in it. The file is untrusted."""
    text = _ends(gcode)
    stated = _Statements(text)
    slicer = SLICER.search(text)
    name = slicer[1].decode() if slicer else stated.text("generator.name")
    version = slicer[2].decode() if slicer else ""
    return Metadata(
        slicer=NAMES.get(name or "", name),
        slicer_version=version or stated.text("generator.version"),
        printer_model=stated.text("printer_model", "target_machine.name", "printer name"),
        printer_preset=stated.text("printer_settings_id"),
        print_preset=stated.text("print_settings_id"),
        nozzle_diameters=stated.numbers("nozzle_diameter", "nozzle.diameter", "nozzle diameter"),
        filament_types=stated.values("filament_type", "filament type"),
        layer_height=next(iter(stated.numbers("layer_height", "layer height")), None),
        stated_seconds=_seconds(stated),
        objects=_objects(gcode),
    )


def _ends(gcode: Path) -> bytes:
    with gcode.open("rb") as file:
        head = file.read(ENDS_READ)
        size = gcode.stat().st_size
        if size <= ENDS_READ:
            return head
        file.seek(max(ENDS_READ, size - ENDS_READ))
        return head + b"\n" + file.read(ENDS_READ)


class _Statements:
    """Comments such as `; key = value` and `;KEY:value`, the first of each key."""

    def __init__(self, text: bytes):
        self._values: dict[str, dict[int, str]] = {}
        for match in STATEMENT.finditer(text):
            key = NUMBERED.fullmatch(match[1].decode(errors="replace").lower().strip())
            if key is None:
                name, tool = match[1].decode(errors="replace").lower().strip(), 0
            else:
                name, tool = key[2], int(key[1] or 0) if key[1] else int(key[3] or 1) - 1
            value = match[2].decode(errors="replace").strip()
            if value and 0 <= tool < MAX_TOOLS:
                self._values.setdefault(name, {}).setdefault(tool, value)

    def text(self, *names: str) -> str | None:
        for name in names:
            if name in self._values and (value := self._values[name].get(0, "").strip('" ')):
                return value[:MAX_TEXT]
        return None

    def values(self, *names: str) -> list[str]:
        """The values of all tools: of one comment, or of one for each of them."""
        for name in names:
            if values := self._values.get(name):
                by_tool = [values[tool] for tool in sorted(values)]
                parts = re.split("[;,]", by_tool[0]) if len(by_tool) == 1 else by_tool
                texts = [part.strip('" ')[:MAX_TEXT] for part in parts[:MAX_TOOLS]]
                return [text for text in texts if text]
        return []

    def numbers(self, *names: str) -> list[float]:
        numbers = []
        for text in self.values(*names):
            try:
                value = float(text)
            except ValueError:
                continue
            if 0.0 < value < 100.0:
                numbers.append(value)
        return numbers


def _seconds(stated: _Statements) -> float | None:
    """The print time that the slicer states: as 1h 2m 3s, or in seconds."""
    worded = stated.text(
        "estimated printing time (normal mode)", "estimated printing time", "model printing time"
    )
    if worded:  # Bambu Studio: model printing time: 12m 3s; total estimated time: 18m 20s
        parts = DURATION.findall(worded.partition(";")[0])
        seconds = float(sum(int(number) * UNITS[unit] for number, unit in parts))
    else:
        counted = stated.text("time", "print.time", "print time") or ""
        seconds = float(counted) if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", counted) else 0.0
    return seconds if 0.0 < seconds <= MAX_SECONDS else None


# ---------------------------------------------------------------- objects


def _visit(line: bytes) -> tuple[bytes, bytes] | None:
    """; printing object NAME id:0 copy 0."""
    match = re.fullmatch(rb"; ?printing object (.+) (id:\S+ copy \S+)\s*", line)
    return (match[1], match[2]) if match else None


def _defined(line: bytes) -> tuple[bytes, bytes] | None:
    match = re.match(rb"EXCLUDE_OBJECT_DEFINE\b.*?\bNAME=(\S+)", line)
    return (match[1], match[1]) if match else None


def _listed(line: bytes) -> tuple[bytes, bytes] | None:
    """Of a sliced plate, as `gcode.containers` writes it: ; plate_object = 123 NAME."""
    match = re.match(rb"; plate_object = (\d+) (.+)", line)
    return (match[2], match[1]) if match else None


def _named(line: bytes) -> tuple[bytes, bytes] | None:
    match = re.match(rb'M486 A"?([^";\r\n]+)', line)
    return (match[1], match[1]) if match else None


def _mesh(line: bytes) -> tuple[bytes, bytes] | None:
    match = re.match(rb";MESH:(.+)", line)
    return (match[1], match[1]) if match and match[1].strip() != b"NONMESH" else None


def _printing(line: bytes) -> tuple[bytes, bytes] | None:
    """ideaMaker; its ID, which differs between copies, is in a line of its own."""
    match = re.match(rb";PRINTING:(.+)", line)
    return (match[1], match[1]) if match and match[1].strip() != b"NON-OBJECT" else None


# What a line with a label holds, and how it is read; the first that a file has is taken.
LABELS: dict[bytes, Callable[[bytes], tuple[bytes, bytes] | None]] = {
    b"printing object ": _visit,
    b"EXCLUDE_OBJECT_DEFINE ": _defined,
    b"; plate_object = ": _listed,
    b"M486 A": _named,
    b";MESH:": _mesh,
    b";PRINTING:": _printing,
}


def _objects(gcode: Path) -> list[GcodeObject]:
    """The objects of a file by name, each instance counted once."""
    labels: dict[bytes, dict[tuple[bytes, bytes], None]] = {word: {} for word in LABELS}
    with gcode.open("rb") as file:
        while chunk := file.read(CHUNK) + file.readline(CHUNK):
            for word, read in LABELS.items():
                instances = labels[word]
                for line in _lines_with(chunk, word):
                    if len(instances) < MAX_OBJECTS and (instance := read(line)):
                        instances[instance] = None
    instances = next((labels[word] for word in LABELS if labels[word]), {})
    counts = Counter(_name_of(name) for name, _instance in instances)
    return [GcodeObject(name, count) for name, count in counts.items() if name]


def _lines_with(chunk: bytes, word: bytes) -> Iterator[bytes]:
    at = 0
    while (at := chunk.find(word, at)) >= 0:
        start, end = chunk.rfind(b"\n", 0, at) + 1, chunk.find(b"\n", at)
        end = len(chunk) if end < 0 else end
        yield chunk[start : min(end, start + 1000)].strip()
        at = end


def _name_of(name: bytes) -> str:
    text = name.decode(errors="replace").strip()
    return INSTANCE.sub("", text).strip()[:MAX_TEXT]
