"""XML of packages, by expat: no document type, bounded depth, errors with their place."""

import re
from collections.abc import Callable
from xml.parsers import expat

from geometry.formats.reader_checks import unreadable
from input_errors import InputError

MAX_CHUNK_BYTES = 1 << 14
BLANKS = b" \t\r\n"
WIDE = (
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
    (b"<\0", "UTF-16LE"),
    (b"\0<", "UTF-16BE"),
)
ENCODING = re.compile(rb"""<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w.-]{1,40})["']""")
UTF_8 = ("utf-8", "utf8", "us-ascii", "ascii")
READ_BY_EXPAT = ("utf-16", "iso-8859-1")
# Encodings of text that Python decodes; not its codecs for other purposes.
DECODED = re.compile(
    r"(windows|cp|iso|latin|koi8|gb|big5|shift|s?jis|euc|mac|utf-?16|utf-?32).*", re.IGNORECASE
)

Start = Callable[[str, dict[str, str]], object]
End = Callable[[str], object]
# From where a chunk ends, to where the next one begins: a reader may take elements by itself.
Skip = Callable[[int], int]


class InvalidXml(InputError):
    """A part is not well-formed, or is not in the encoding that it names."""


class XmlParser:
    """One XML document of a package while it is parsed.

    name : of its entry, for errors
    data : in UTF-8, unless expat itself knows its encoding
    """

    def __init__(self, name: str, data: bytes):
        """Raises InvalidXml, for an encoding that is not known."""
        self.name = name
        self.data, encoding = _decoded(name, data)
        self.is_ascii_based = encoding == "UTF-8"
        self._skipped = 0
        self._depth = 0
        self._expat = expat.ParserCreate(encoding)
        self._expat.buffer_text = True
        self._expat.StartDoctypeDeclHandler = self._refuse_doctype

    def parse(self, start: Start, end: End, skip: Skip | None = None) -> None:
        """Call `start` and `end` for each element. Raises InputError: unreadable."""
        self._expat.StartElementHandler, self._expat.EndElementHandler = start, end
        data, at, size = self.data, 0, MAX_CHUNK_BYTES
        try:
            while at < len(data):
                stop = min(at + size, len(data))
                stop = data.rfind(b">", at, stop) + 1 or stop
                self._expat.Parse(data[at:stop])
                at = stop
                # Expat reads a token from its beginning again until it is whole: a long one, as a
                # comment is, comes in pieces that grow, so that its time does not.
                is_whole = self._expat.CurrentByteIndex + self._skipped == at
                size = MAX_CHUNK_BYTES if is_whole else 2 * size
                if skip is not None and is_whole:
                    at = skip(at)
                    self._skipped += at - stop
            self._expat.Parse(b"", True)  # noqa: FBT003  C
            self.data = b""  # its handlers refer to the parser: it would stay for a while
        except expat.ExpatError as error:
            at = self._expat.ErrorByteIndex + self._skipped
            what = expat.errors.messages.get(error.code, "not well-formed")
            raise _invalid(self.name, f"is not valid XML ({what}: {self.place(at)})") from error

    def listen(self, on_text: Callable[[str], None] | None) -> None:
        """Call this for the text between tags, or nothing."""
        self._expat.CharacterDataHandler = on_text

    def here(self) -> str:
        """Where the element is that is parsed now."""
        return self.place(self._expat.CurrentByteIndex + self._skipped)

    def place(self, at: int) -> str:
        """A byte of the document as people look for it."""
        line, begin = self.data.count(b"\n", 0, at) + 1, self.data.rfind(b"\n", 0, at)
        return f"line {line:,}, column {at - begin:,}"

    def _refuse_doctype(self, *of: object) -> None:
        raise unreadable("3mf", f"the part {self.name[:80]!r} has a document type, as none may")


def parse_elements(name: str, data: bytes, start: Start) -> None:
    """Call `start` for each element of a small document. Raises InputError: unreadable."""
    XmlParser(name, data).parse(start, lambda tag: None)


def _decoded(name: str, data: bytes) -> tuple[bytes, str | None]:
    """The document as expat is to read it, and the encoding that it is read by."""
    for start, encoding in WIDE:
        if data.startswith(start):
            return data, encoding
    data = data.lstrip(BLANKS).rstrip(b"\0")
    declared = ENCODING.match(data.removeprefix(b"\xef\xbb\xbf"))
    encoding = declared[1].decode().lower() if declared else "utf-8"
    if encoding in UTF_8:
        return data, "UTF-8"
    if encoding in READ_BY_EXPAT and not data.startswith(b"\xef\xbb\xbf"):
        return data, None
    try:
        if not DECODED.fullmatch(encoding):
            raise LookupError(encoding)
        return data.decode(encoding).encode(), "UTF-8"
    except (LookupError, UnicodeError) as error:
        reason = f"is not text in {encoding!r}, as it says; save it in UTF-8"
        raise _invalid(name, reason) from error


def _invalid(name: str, reason: str) -> InvalidXml:
    rejection = unreadable("3mf", f"the part {name[:80]!r} {reason}")
    return InvalidXml(rejection.code, rejection.title, rejection.details)
