"""Hosts of all kinds, as real servers on this machine."""

import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network

import pytest

from agent.http_client import HttpClient

HERE = (ip_network("127.0.0.0/8"),)


class Host:
    """A server that answers each request by `answer(handler)`."""

    def __init__(self, answer: Callable[[BaseHTTPRequestHandler], None]):
        asked: list[str] = []

        class Handler(BaseHTTPRequestHandler):
            def handle_one(self) -> None:
                asked.append(f"{self.command} {self.path}")
                answer(self)

            do_GET = do_POST = do_PATCH = do_DELETE = handle_one

            def log_message(self, *words: object) -> None:
                """Say nothing."""

        self.asked = asked
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def door(self) -> HttpClient:
        return HttpClient(self.address, {}, HERE)


@pytest.fixture
def host() -> Iterator[Callable[..., Host]]:
    """`host(answer)`: a server, whose requests `answer` deals with."""
    made: list[Host] = []

    def start(answer: Callable[[BaseHTTPRequestHandler], None]) -> Host:
        made.append(Host(answer))
        return made[-1]

    yield start
    for one in made:
        one.server.shutdown()
        one.server.server_close()


def says(status: int, body: bytes = b"", **headers: str) -> Callable:
    """Answers everything with this."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def hangs_up(handler: BaseHTTPRequestHandler) -> None:
    """Takes the request, and says nothing."""
    handler.connection.shutdown(socket.SHUT_RDWR)
