"""The uploads of the drill: a refusal or failure of theirs is waited for, or fails the drill."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Event, Thread
from types import SimpleNamespace

import pytest
import requests

from tests.drill.drill import Uploads, wait_when_limited
from tests.waiting import wait_for


def test_failed_upload_fails_the_drill():
    def refuse(data: bytes) -> str:
        raise AssertionError("rate-limited")

    uploads = Uploads(SimpleNamespace(model=refuse), 3)

    with pytest.raises(AssertionError, match="rate-limited"):
        uploads.stop()


def test_uploads_of_a_time_are_counted():
    reached, go_on = Event(), Event()

    def accept(data: bytes) -> str:
        reached.set()
        go_on.wait()
        return "uri"

    uploads = Uploads(SimpleNamespace(model=accept), 3)
    assert reached.wait(60)
    (first,) = uploads.begun
    go_on.set()
    wait_for(lambda: len(uploads.parts) > 1)
    uploads.stop()

    assert uploads.count_between(first, float("inf")) == len(uploads.begun) > 1
    assert uploads.count_between(0.0, first) == 0


@pytest.fixture
def limited() -> Iterator[tuple[str, list[int]]]:
    """The URL of a server that answers 429 twice, then 204; and the statuses it answered."""
    statuses: list[int] = []

    class Handler(BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            statuses.append(204 if len(statuses) == 2 else 429)
            self.send_response(statuses[-1])
            self.send_header("Retry-After", "0")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *parts: object) -> None:
            """Keep stderr free."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/", statuses
    server.shutdown()
    thread.join()
    server.server_close()


def test_upload_beyond_a_rate_is_sent_again(limited):
    url, statuses = limited
    session = requests.Session()
    wait_when_limited(session)

    answer = session.put(url, data=b"part")

    assert answer.status_code == 204
    assert statuses == [429, 429, 204]
