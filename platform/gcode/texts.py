"""The bytes of a gcode file as pieces of text, cut at line ends.

Lines may end with LF, CR LF or CR alone, as firmware reads them. Zeros behind the last line, which
cards and copying programs leave there, are no part of the text; zeros before it stand for lines
that were lost.
"""

import re
from collections.abc import Iterator
from io import BufferedReader

from gcode.errors import InvalidGcode

BLOCK_BYTES = 1 << 19  # of a block, what is made of it stays in the cache
MAX_LINE_LENGTH = 1 << 20  # bytes

CONTROL_BYTES = bytes(set(range(32)) - set(b"\t\n\f\r") | {127})
CONTROL_BYTE = re.compile(rb"[%s]" % re.escape(CONTROL_BYTES))
PADDING = b"\0\x1a \t\r\n\f"  # 0x1A ended texts in CP/M, and still does in some
LONE_CARRIAGE_RETURN = re.compile(rb"\r(?!\n)")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
SIGNATURES = {
    b"GCDE": ("binary-gcode", "This is binary gcode (.bgcode). Export it as plain text gcode."),
    b"PK\x03\x04": ("archive", "This is a ZIP archive. Upload the gcode file inside it."),
    b"\x1f\x8b": ("archive", "This is a gzip archive. Unpack it and upload the gcode file."),
}
UTF_16 = "This file is UTF-16. Save it as ASCII or UTF-8 text."
UTF_32 = "This file is UTF-32. Save it as ASCII or UTF-8 text."


class Texts:
    """Reads one file; `end` is then the byte behind its last line, padding left out."""

    def __init__(self) -> None:
        self.end = 0
        self._line = 1  # of the piece that is being read

    def pieces(self, file: BufferedReader) -> Iterator[tuple[int, bytes]]:
        """Pieces of about BLOCK_BYTES, whole lines each, and where each begins in the file.

        Raises InvalidGcode.
        """
        rest = b""
        begun, offset = False, 0
        while data := file.read(BLOCK_BYTES):
            if not begun:
                check_signature(data)
                begun = True
                if data.startswith(BYTE_ORDER_MARK):
                    data, offset = data.removeprefix(BYTE_ORDER_MARK), len(BYTE_ORDER_MARK)
            start = file.tell() - len(data)
            following = file.peek(1)[:1]
            last = not following
            if len(data.translate(None, CONTROL_BYTES)) != len(data):
                data, last = self._without_padding(file, data, start), True
            self.end = start + len(data)
            if last:
                data += b"\n"
            if b"\r" in data:
                data = unix_lines(data, following)
            whole, newline, tail = data.rpartition(b"\n")
            if not newline and len(rest) + len(tail) > MAX_LINE_LENGTH:
                raise InvalidGcode("not-text", "A line is longer than 1 MiB: this is not gcode.")
            self._line += data.count(b"\n")
            if newline:
                text = rest + whole + newline
                yield offset, text
                offset += len(text)
                rest = b""
            rest += tail
        if not begun:
            raise InvalidGcode("empty-file", "The file is empty (0 bytes). Upload the gcode again.")

    def _without_padding(self, file: BufferedReader, data: bytes, start: int) -> bytes:
        """The data up to the zeros behind the last line. Raises InvalidGcode for all else."""
        match = CONTROL_BYTE.search(data)
        if match is None or data[match.start()] not in PADDING:
            raise self._not_text(data, start, match.start() if match else 0)
        at = match.start()
        if data[at:].strip(PADDING):
            raise self._zeros(data, start, at)
        while more := file.read(BLOCK_BYTES):
            if more.strip(PADDING):
                raise self._zeros(data, start, at)
        return data[:at]

    def _zeros(self, data: bytes, start: int, at: int) -> InvalidGcode:
        if data[at]:
            return self._not_text(data, start, at)
        title = (
            f"Zeros stand in the middle of the file, from byte {start + at} (line "
            f"{self._line_of(data, at)}) on: lines were lost there. Export the gcode again, or "
            "copy it anew."
        )
        return InvalidGcode("not-text", title)

    def _not_text(self, data: bytes, start: int, at: int) -> InvalidGcode:
        title = (
            f"This is not a text file: byte {start + at} (line {self._line_of(data, at)}) is "
            f"0x{data[at]:02X}. Upload gcode as plain ASCII or UTF-8 text."
        )
        return InvalidGcode("not-text", title)

    def _line_of(self, data: bytes, at: int) -> int:
        return self._line + unix_lines(data[:at]).count(b"\n")


def unix_lines(text: bytes, following: bytes = b"") -> bytes:
    """The text, as many bytes long, where a CR that no LF follows has become an LF.

    following : the byte behind the text, if there is one
    """
    lone = text.count(b"\r") - text.count(b"\r\n")
    if not lone or (lone == 1 and text.endswith(b"\r") and following == b"\n"):
        return text
    if text.endswith(b"\r") and following == b"\n":
        return LONE_CARRIAGE_RETURN.sub(b"\n", text[:-1]) + b"\r"
    return LONE_CARRIAGE_RETURN.sub(b"\n", text)


def check_signature(data: bytes) -> None:
    """Refuse what its first bytes tell to be no plain text. Raises InvalidGcode."""
    for signature, error in SIGNATURES.items():
        if data.startswith(signature):
            raise InvalidGcode(*error)
    if data.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        raise InvalidGcode("not-text", UTF_32)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or _is_utf_16(data[:256]):
        raise InvalidGcode("not-text", UTF_16)


def _is_utf_16(head: bytes) -> bool:
    """Whether every second byte is zero, and the others are not, as in UTF-16 without a mark."""
    pairs = head[: len(head) // 2 * 2]
    first, second = pairs[::2], pairs[1::2]
    if len(first) < 2:
        return False
    return (not any(first) and all(second)) or (not any(second) and all(first))
