"""Object labels by which firmware excludes objects: EXCLUDE_OBJECT_DEFINE of Klipper, and M486.

Klipper excludes an object by its name, which it compares without case; Marlin and RepRapFirmware by
the number of `M486 S`. Their names, `M486 A`, follow on the same line or on the next one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_LABELS = 1000
MAX_NAME = 200  # characters
# A name that is part of a command: nothing that ends a line, a parameter or a quotation.
SAFE_NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}", re.ASCII)

DEFINITION = re.compile(
    rb"EXCLUDE_OBJECT_DEFINE\b[^;]*?\bNAME=(?:'([^']+)'|\"([^\"]+)\"|([^\s;'\"]+))", re.IGNORECASE
)
CENTER = re.compile(rb"\bCENTER=(-?\d{1,5}(?:\.\d{0,6})?),(-?\d{1,5}(?:\.\d{0,6})?)\b")
M486 = re.compile(rb"M486(?: S(-?\d{1,5}))?(?: A\"?([^\";\r\n]+))?(?=[\s\";]|\Z)")


@dataclass(frozen=True)
class FirmwareLabel:
    """The label of an object.

    name     : as the slicer states it
    number   : of M486; of Klipper in the order of definition; from 0
    firmware : klipper or marlin, whose M486 RepRapFirmware reads as well
    center   : x and y on the bed, mm; None where the file does not state it
    """

    name: str
    number: int
    firmware: str
    center: list[float] | None = None


class LabelReader:
    """Reads the labels of a file from its chunks, in order; each chunk ends with a line."""

    def __init__(self) -> None:
        self._defined: dict[str, FirmwareLabel] = {}
        self._numbered: dict[int, FirmwareLabel] = {}
        self._number = -1

    def read(self, chunk: bytes) -> None:
        """Read the labels that are defined in these lines."""
        for line in lines_with(chunk, b"EXCLUDE_OBJECT_DEFINE "):
            if (match := DEFINITION.match(line)) and len(self._defined) < MAX_LABELS:
                name = _text(match[1] or match[2] or match[3])
                place = CENTER.search(line)
                center = [float(place[1]), float(place[2])] if place else None
                label = FirmwareLabel(name, len(self._defined), "klipper", center)
                self._defined.setdefault(name.upper(), label)
        for line in lines_with(chunk, b"M486 "):
            if match := M486.match(line):
                self._number = int(match[1]) if match[1] else self._number
                named = match[2] and self._number >= 0 and len(self._numbered) < MAX_LABELS
                if named:
                    label = FirmwareLabel(_text(match[2]), self._number, "marlin")
                    self._numbered.setdefault(self._number, label)

    def labels(self) -> list[FirmwareLabel]:
        """The labels in the order of their definitions: those of Klipper, if there are any."""
        return list((self._defined or self._numbered).values())


def is_usable(label: FirmwareLabel) -> bool:
    """Whether a command can name the object."""
    return label.firmware != "klipper" or SAFE_NAME.fullmatch(label.name) is not None


def lines_with(chunk: bytes, word: bytes) -> Iterator[bytes]:
    """The lines of a chunk that have a word, without spaces at their ends, at most 1,000 bytes."""
    at = 0
    while (at := chunk.find(word, at)) >= 0:
        start, end = chunk.rfind(b"\n", 0, at) + 1, chunk.find(b"\n", at)
        end = len(chunk) if end < 0 else end
        yield chunk[start : min(end, start + 1000)].strip()
        at = end


def _text(name: bytes) -> str:
    return name.decode(errors="replace").strip()[:MAX_NAME]
