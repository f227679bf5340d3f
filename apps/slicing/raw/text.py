"""The text of a raw config: what may be in it, and the settings on its lines."""

import re
import unicodedata
from collections.abc import Iterator

from apps.slicing.raw.base import Entry, RawConfigErrors, unreadable

LARGEST = 1_000_000  # bytes
KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
SECTION = re.compile(r"\[([^\]]*)\]\s*")
BYTE_ORDER_MARK = "\ufeff"
LINE_SEPARATORS = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"  # to some readers, not to others


def clean(text: str) -> str:
    """The text with line ends of one kind, and without a byte order mark.

    A character that another reader might take for a line's end, or that no editor shows, is
    refused: it could hide a setting. Raises RawConfigErrors.
    """
    if len(text.encode(errors="replace")) > LARGEST:
        title = f"The config is larger than {LARGEST:,} bytes: send one exported config."
        raise RawConfigErrors([unreadable(None, title)])
    text = text.removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n").replace("\r", "\n")
    faults = []
    for number, line in enumerate(text.split("\n"), start=1):
        for character in line:
            hidden = unicodedata.category(character) in ("Cc", "Cs") and character != "\t"
            if hidden or character in LINE_SEPARATORS:
                title = f"the character U+{ord(character):04X} is not allowed: remove it."
                faults.append(unreadable(number, title))
                break
    if faults:
        raise RawConfigErrors(faults)
    return text


def entries(text: str, *, section: str | None = None) -> Iterator[Entry]:
    """The settings on the lines of a cleaned text, in their order.

    An indented line goes on with the value before it, as Slic3r 1.1 wrote gcode.

    section : the one to be read, where the text has sections

    Raises RawConfigErrors.
    """
    faults = []
    found: list[Entry] = []
    current: str | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        if match := SECTION.fullmatch(line.strip()):
            current = match[1]
            if section is None:
                title = (
                    f"[{current[:100]}] begins a section, as a bundle of configs has them. "
                    "Export one config, not a bundle."
                )
                faults.append(unreadable(number, title))
        elif current != section or not line.strip() or line.startswith(("#", ";")):
            continue
        elif line[0] in " \t" and found:
            last = found[-1]
            found[-1] = last._replace(value=f"{last.value}\n{line.strip()}")
        else:
            key, equals, value = line.partition("=")
            if equals and KEY.fullmatch(key.strip()):
                found.append(Entry(number, key.strip(), value.strip()))
            else:
                title = f"{line.strip()[:100]!r} is not a setting: write it as key = value."
                faults.append(unreadable(number, title))
    if faults:
        raise RawConfigErrors(faults)
    yield from found


def sections(text: str) -> list[str]:
    """The names of the sections in a text."""
    lines = (SECTION.fullmatch(line.strip()) for line in text.split("\n"))
    return [match[1] for match in lines if match]
