"""Metadata that slicers state in G-code: slicer, printer, nozzle, filament, print time, objects.

Read are the comments of PrusaSlicer, SuperSlicer, OrcaSlicer, Bambu Studio, Cura and ideaMaker at
both ends of a file, and the labels of objects anywhere in it.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from gcode.firmware_labels import FirmwareLabel, LabelReader, is_usable, lines_with

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
INSTANCE = re.compile(
    r"(?:_id_\d+_copy_\d+| id:\d+ copy \d+| \(instance \d+\)|_instance_\d+_?|\(\d+\))\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class GcodeObject:
    """An object that the file prints, by the name that the slicer states, and how often.

    labels : of its copies, by which firmware excludes them; fewer where it cannot exclude each
    """

    name: str
    count: int
    labels: list[FirmwareLabel] = field(default_factory=list)


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


def _listed(line: bytes) -> tuple[bytes, bytes] | None:
    """Of a sliced plate, as `gcode.containers` writes it: ; plate_object = 123 NAME."""
    match = re.match(rb"; plate_object = (\d+) (.+)", line)
    return (match[2], match[1]) if match else None


def _mesh(line: bytes) -> tuple[bytes, bytes] | None:
    match = re.match(rb";MESH:(.+)", line)
    return (match[1], match[1]) if match and match[1].strip() != b"NONMESH" else None


def _printing(line: bytes) -> tuple[bytes, bytes] | None:
    """ideaMaker; its ID, which differs between copies, is in a line of its own."""
    match = re.match(rb";PRINTING:(.+)", line)
    return (match[1], match[1]) if match and match[1].strip() != b"NON-OBJECT" else None


# What a line with a comment holds, and how it is read; the first that a file has is taken.
COMMENTS: dict[bytes, Callable[[bytes], tuple[bytes, bytes] | None]] = {
    b"printing object ": _visit,
    b"; plate_object = ": _listed,
    b";MESH:": _mesh,
    b";PRINTING:": _printing,
}


def _objects(gcode: Path) -> list[GcodeObject]:
    """The objects of a file by name, each instance counted once: by comments, or by labels."""
    instances: dict[bytes, dict[tuple[bytes, bytes], None]] = {word: {} for word in COMMENTS}
    reader = LabelReader()
    with gcode.open("rb") as file:
        while chunk := file.read(CHUNK) + file.readline(CHUNK):
            reader.read(chunk)
            for word, read in COMMENTS.items():
                for line in lines_with(chunk, word):
                    if len(instances[word]) < MAX_OBJECTS and (instance := read(line)):
                        instances[word][instance] = None
    labels = reader.labels()
    named = next((instances[word] for word in COMMENTS if instances[word]), {})
    names = [_name_of(name.decode(errors="replace")) for name, _instance in named]
    counts = Counter(names or [_name_of(label.name) for label in labels])
    by_name: dict[str, list[FirmwareLabel]] = {}
    for label in filter(is_usable, labels):
        by_name.setdefault(_squeezed(_name_of(label.name)), []).append(label)
    alike = Counter(map(_squeezed, counts))
    single = {key: rows for key, rows in by_name.items() if alike[key] == 1}
    return [
        GcodeObject(name, count, single.get(_squeezed(name), [])[:count])
        for name, count in counts.items()
        if name
    ]


def _name_of(name: str) -> str:
    return INSTANCE.sub("", name.strip()).strip()[:MAX_TEXT]


def _squeezed(name: str) -> str:
    """A name as its comment and its label have in common: slicers replace other characters."""
    return "".join(sign for sign in name.casefold() if sign.isalnum())
