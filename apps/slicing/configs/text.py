"""Tokeniser of raw configs."""

import re

from apps.slicing.configs.base import Entry, RawConfigErrors, unreadable

LARGEST = 1_000_000  # bytes
MAX_SETTINGS = 5000  # ten times what an engine has
# Some makers write an index behind a name: no engine has such a setting.
KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}(\[\d{1,3}\])?")
SECTION = re.compile(r"\[([^\]]*)\]\s*")
BYTE_ORDER_MARK = "\ufeff"
# Control characters, and those that some readers take for a line's end and others do not.
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def clean(text: str) -> str:
    """The text with line ends of one kind, and without a byte order mark.

    A character that another reader might take for a line's end, or that no editor shows, is
    refused: it could hide a setting. Raises RawConfigErrors.
    """
    if len(text.encode(errors="replace")) > LARGEST:
        title = f"The config is larger than {LARGEST:,} bytes: send one exported config."
        raise RawConfigErrors([unreadable(None, title)])
    text = text.removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n").replace("\r", "\n")
    faults = [
        unreadable(number, f"the character U+{ord(found[0]):04X} is not allowed: remove it.")
        for number, line in enumerate(text.split("\n"), start=1)
        if (found := HIDDEN.search(line))
    ]
    if faults:
        raise RawConfigErrors(faults)
    return text


def entries(text: str, *, section: str | None = None) -> list[Entry]:
    """The settings on the lines of a cleaned text, in their order.

    An indented line goes on with the value before it, as Slic3r 1.1 wrote gcode.

    section : the one to be read, where the text has sections

    Raises RawConfigErrors.
    """
    faults = []
    found: list[tuple[int, str, list[str]]] = []  # line, key, lines of the value
    current: str | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        words = line.strip()
        if match := SECTION.fullmatch(words):
            current = match[1]
            if section is None:
                title = (
                    f"[{current[:100]}] begins a section, as a bundle of configs has them. "
                    "Export one config, not a bundle."
                )
                faults.append(unreadable(number, title))
        elif current != section or not words or line.startswith(("#", ";")):
            continue
        elif line[0] in " \t" and found:
            found[-1][2].append(words)
        else:
            key, equals, value = line.partition("=")
            if equals and KEY.fullmatch(key.strip()):
                found.append((number, key.strip(), [value.strip()]))
            else:
                title = f"{words[:100]!r} is not a setting: write it as key = value."
                faults.append(unreadable(number, title))
    if len(found) > MAX_SETTINGS:
        faults.append(unreadable(None, f"The config has more than {MAX_SETTINGS:,} settings."))
    if faults:
        raise RawConfigErrors(faults)
    return [Entry(number, key, "\n".join(lines)) for number, key, lines in found]


def sections(text: str) -> list[str]:
    """The names of the sections in a text."""
    lines = (SECTION.fullmatch(line.strip()) for line in text.split("\n"))
    return [match[1] for match in lines if match]
