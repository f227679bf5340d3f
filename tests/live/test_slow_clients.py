"""Clients that send next to nothing delay nobody else."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from tests.live.client import Client, ball
from tests.live.running import DOMAIN, Platform, wait_for

pytestmark = pytest.mark.live


@contextmanager
def dribbling(platform: Platform, head: bytes, count: int) -> Iterator[list[socket.socket]]:
    """So many connections that have sent `head` and go on with one byte at a time."""
    enough = threading.Event()

    def dribble() -> None:
        while not enough.wait(0.1):
            for connection in connections:
                connection.send(b"x")

    with ExitStack() as stack:
        address = ("127.0.0.1", platform.port)
        connections = [stack.enter_context(socket.create_connection(address)) for _ in range(count)]
        for connection in connections:
            connection.sendall(head)
        thread = threading.Thread(target=dribble)
        thread.start()
        try:
            time.sleep(0.5)
            yield connections
        finally:
            enough.set()
            thread.join()


def unanswered(connection: socket.socket) -> bool:
    """Whether the server still waits for the rest of the request."""
    connection.settimeout(0)
    try:
        connection.recv(1)
    except BlockingIOError:
        return True
    return False


def head(method: str, host: str, path: str) -> bytes:
    lines = (
        f"{method} {path} HTTP/1.1",
        f"Host: {host}:80",
        "Content-Type: application/octet-stream",
        "Content-Length: 100000",
    )
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def assert_nobody_waits(client: Client, uri: str) -> None:
    """20 requests that need token, database and thread are answered, before any slow one is."""
    for _ in range(20):
        client.ask("GET", uri, 200)


@pytest.fixture(scope="module")
def model(client: Client) -> str:
    """A model that waits for its file."""
    uri, _ = client.create_model()
    return uri


def test_slow_bodies_to_the_api(platform: Platform, client: Client, model: str):
    request = head("POST", f"models.{DOMAIN}", "/model/")

    with dribbling(platform, request, 20) as connections:
        assert_nobody_waits(client, model)

        assert all(unanswered(connection) for connection in connections)


def test_slow_uploads(platform: Platform, client: Client, model: str):
    path = client.create_model()[1].split("/", 3)[3]
    request = head("PUT", f"files.{DOMAIN}", f"/{path}")

    with dribbling(platform, request, 20) as connections:
        wait_for(lambda: len(platform.parts) == 20)
        assert_nobody_waits(client, model)
        fast, location = client.create_model()
        client.upload(location, ball(10))

        assert all(unanswered(connection) for connection in connections)
    assert client.settled(fast)["status"] == "processed"


def test_half_sent_headers(platform: Platform, client: Client, model: str):
    request = f"GET /model/ HTTP/1.1\r\nHost: models.{DOMAIN}\r\nX-".encode()

    with dribbling(platform, request, 200) as connections:
        assert_nobody_waits(client, model)

        assert all(unanswered(connection) for connection in connections)
