"""First picture of an MJPEG stream: `multipart/x-mixed-replace` over HTTP (RFC 2046)."""

import re
from collections.abc import Callable

from machines.drivers import NoAnswer, Rejected

STREAM_TYPE = "multipart/x-mixed-replace"
MAX_HEADER = 4096  # bytes in front of a picture, and of the header of a part
_BOUNDARY = re.compile(r'boundary="?-*([^"\s;,]{1,70})', re.IGNORECASE)
_LENGTH = re.compile(rb"^content-length:[ \t]*(\d{1,9})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_HEADER_END = re.compile(rb"\r?\n\r?\n")


def is_stream(content_type: str) -> bool:
    """Return whether a body of this Content-Type is a stream of pictures."""
    return content_type.strip().lower().startswith(STREAM_TYPE)


def first_picture(content_type: str, read: Callable[[], bytes], limit: int) -> bytes:
    """Return the body of the first part of a stream.

    content_type : of the response, with the boundary of its parts; many servers write the dashes
                   of the delimiter into it, which are ignored
    read         : returns the next bytes, none at the end
    limit        : bytes of a picture

    Raises Rejected for anything but a stream, and NoAnswer where it ends before.
    """
    match = _BOUNDARY.search(content_type)
    if match is None:
        raise Rejected("The stream of the camera names no boundary of its pictures.")
    buffer = _Buffer(read)
    delimiter = b"--" + match[1].encode("latin-1", "replace")
    start = buffer.find(re.compile(re.escape(delimiter)), 0, MAX_HEADER).end()
    header = buffer.find(_HEADER_END, start, start + MAX_HEADER)
    length = _LENGTH.search(buffer.content[start : header.end()])
    if length is None:
        after = re.compile(rb"\r?\n" + re.escape(delimiter))
        end = buffer.find(after, header.end(), header.end() + limit + MAX_HEADER).start()
        return bytes(buffer.content[header.end() : end])
    if (size := int(length[1])) > limit:
        raise Rejected(f"A picture of the camera's stream has {size} bytes, above {limit}.")
    buffer.fill(header.end() + size)
    return bytes(buffer.content[header.end() : header.end() + size])


class _Buffer:
    """The beginning of a stream, as far as it is needed."""

    def __init__(self, read: Callable[[], bytes]):
        self._read, self.content = read, bytearray()

    def fill(self, size: int) -> None:
        """Have so many bytes. Raises NoAnswer where the stream ends before."""
        while len(self.content) < size:
            self._more()

    def find(self, pattern: re.Pattern[bytes], start: int, limit: int) -> re.Match[bytes]:
        """Return the first match behind `start`. Raises Rejected without one up to `limit`."""
        at = start
        while (match := pattern.search(self.content, at)) is None:
            if len(self.content) > limit:
                raise Rejected("The stream of the camera has no picture in its first part.")
            at = max(start, len(self.content) - MAX_HEADER)
            self._more()
        return match

    def _more(self) -> None:
        if not (part := self._read()):
            raise NoAnswer("The stream of the camera ended before its first picture.")
        self.content += part
