"""The other side of a wire: a server that answers as a test tells it to."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from manufacturing import Client

Reply = Callable[[BaseHTTPRequestHandler, bytes], None]


class Wire:
    """What was asked, and what is answered: each reply once, the last one for good."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, dict[str, str], bytes]] = []
        self.replies: list[Reply] = []
        self.connections: set[tuple[str, int]] = set()
        self.port = 0

    def handle(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        self.asked.append((handler.command, handler.path, dict(handler.headers), body))
        self.connections.add(handler.client_address)
        reply = self.replies[0] if len(self.replies) == 1 else self.replies.pop(0)
        reply(handler, body)


def answer(status: int, body: bytes = b"", **headers: str) -> Reply:
    def reply(handler: BaseHTTPRequestHandler, _: bytes) -> None:
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return reply


def cut(after: bytes = b"") -> Reply:
    """The line is lost, after these bytes of an answer."""

    def reply(handler: BaseHTTPRequestHandler, _: bytes) -> None:
        handler.wfile.write(after)
        handler.close_connection = True

    return reply


@pytest.fixture
def wire() -> Iterator[Wire]:
    wire = Wire()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

        def __getattr__(self, name: str) -> Any:
            if name.startswith("do_"):
                return lambda: wire.handle(self)
            raise AttributeError(name)

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:
            """A line that the client shut is no error."""

    with Server(("127.0.0.1", 0), Handler) as server:
        wire.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield wire
        server.shutdown()


@pytest.fixture
def client(wire) -> Iterator[Client]:
    with Client(f"http://wire.localhost:{wire.port}", "who:secret") as client:
        yield client
