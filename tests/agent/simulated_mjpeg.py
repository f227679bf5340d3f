"""An MJPEG server, simulated: pictures as parts of one endless answer."""

import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler

PICTURE = b"\xff\xd8\xff\xe0" + bytes(range(256)) * 20 + b"\xff\xd9"
MAX_PARTS = 10_000


def frame(picture: bytes, size: int | None = None, *, has_length: bool = True) -> bytes:
    """A part of a stream, with its delimiter."""
    length = f"Content-Length: {len(picture) if size is None else size}\r\n" if has_length else ""
    return f"--frame\r\nContent-Type: image/jpeg\r\n{length}\r\n".encode() + picture + b"\r\n"


class MjpegStream:
    """Answers every request with a stream, until the client leaves.

    part    : what it sends, again and again
    stalled : after one part it sends nothing until this is set
    """

    def __init__(self, part: bytes = frame(PICTURE), stalled: threading.Event | None = None):
        self.part, self.stalled = part, stalled
        self.watchers = self.peak_watchers = 0

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        self.watchers += 1
        self.peak_watchers = max(self.watchers, self.peak_watchers)
        handler.send_response(200)
        handler.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        handler.end_headers()
        with suppress(OSError):
            for _ in range(MAX_PARTS):
                handler.wfile.write(self.part)
                if self.stalled is not None:
                    self.stalled.wait(20)
                    break
        self.watchers -= 1
