"""Clients that send next to nothing delay nobody else."""

import select
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import psutil
import pytest

from core.process.open_files import raise_open_files
from tests.live.client import Client, ball
from tests.live.processes import DOMAIN, Platform, name_of, wait_for

pytestmark = [pytest.mark.live, pytest.mark.single("it measures web without a balancer")]


@pytest.fixture(scope="module", autouse=True)
def many_files() -> None:
    raise_open_files()


@contextmanager
def dribbling(platform: Platform, head: bytes, count: int) -> Iterator[list[socket.socket]]:
    """So many connections that have sent `head` and go on with one byte at a time."""
    enough = threading.Event()

    def dribble() -> None:
        while not enough.wait(0.1):
            for connection in connections:
                with suppress(OSError):  # it was ended
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
    except ConnectionError:
        pass
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


def test_slow_api_request_bodies_do_not_delay_other_clients(
    platform: Platform, client: Client, model: str
):
    request = head("POST", f"models.{DOMAIN}", "/model/")

    with dribbling(platform, request, 20) as connections:
        assert_nobody_waits(client, model)

        assert all(unanswered(connection) for connection in connections)


def test_slow_uploads_do_not_delay_other_clients(platform: Platform, client: Client, model: str):
    path = client.create_model()[1].split("/", 3)[3]
    request = head("PUT", f"files.{DOMAIN}", f"/{path}")

    with dribbling(platform, request, 20) as connections:
        # Those of one account have eight places; the others wait, and cost nothing.
        wait_for(lambda: len(platform.parts) == 8)
        assert_nobody_waits(client, model)
        somebody = Client(platform)
        fast, location = somebody.create_model()
        somebody.upload(location, ball(10))

        assert all(unanswered(connection) for connection in connections)
    assert somebody.settled(fast)["status"] == "processed"


def test_half_sent_headers_do_not_delay_other_clients(
    platform: Platform, client: Client, model: str
):
    request = f"GET /model/ HTTP/1.1\r\nHost: models.{DOMAIN}\r\nX-".encode()

    with dribbling(platform, request, 200) as connections:
        assert_nobody_waits(client, model)

        assert all(unanswered(connection) for connection in connections)


def test_a_thousand_half_open_connections_do_not_delay_other_clients(
    platform: Platform, client: Client, model: str
):
    request = f"GET /model/ HTTP/1.1\r\nHost: models.{DOMAIN}\r\nX-".encode()

    with dribbling(platform, request, 1_100) as connections:
        assert client.session.get(platform.url("admin/login/"), timeout=10).status_code == 200
        health = platform.url("x/health/").replace("//x.", "//")
        assert client.session.get(health, timeout=10).json() == {"status": "ok"}
        assert_nobody_waits(client, model)

        # Five seconds for the headers: then their places are others'.
        wait_for(lambda: not any(unanswered(connection) for connection in connections))


@pytest.mark.parametrize("begin", [b"", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"PRI"])
def test_connections_without_a_request_lose_their_places(
    platform: Platform, client: Client, model: str, begin: bytes
):
    """More than there are places, of which none sends a whole request."""
    with ExitStack() as stack:
        address = ("127.0.0.1", platform.port)
        for _ in range(4_300):
            silent = stack.enter_context(socket.create_connection(address))
            if begin:
                silent.sendall(begin)

        # Five seconds for the headers: then their places are others'.
        wait_for(lambda: client.can_read(model))
        assert_nobody_waits(client, model)


def test_downloads_that_are_not_read_take_little_memory_and_end(
    platform: Platform, client: Client, model: str
):
    part = client.model(ball(200))  # 8 MB
    assert client.settled(part)["status"] == "processed"
    path = client.read(part)["content"].split("/", 3)[3]
    request = f"GET /{path} HTTP/1.1\r\nHost: files.{DOMAIN}:80\r\n\r\n".encode()
    (web,) = [p for p in platform._supervisor.children() if name_of(p) == "web"]
    before = memory_of(web)

    with ExitStack() as stack:
        address = ("127.0.0.1", platform.port)
        unread = [stack.enter_context(socket.create_connection(address)) for _ in range(100)]
        for connection in unread:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
            connection.sendall(request)
        wait_for(lambda: all(select.select([connection], [], [], 0)[0] for connection in unread))
        assert_nobody_waits(client, model)

        assert memory_of(web) - before < 100 * 1024**2
        wait_for(lambda: open_connections(web, platform.port) < 50)


def memory_of(process: psutil.Process) -> int:
    """Bytes of a process and its children."""
    return sum(one.memory_info().rss for one in [process, *process.children(recursive=True)])


def open_connections(process: psutil.Process, port: int) -> int:
    """How many connections a process and its children have accepted."""
    found = 0
    for one in [process, *process.children(recursive=True)]:
        for connection in one.net_connections("tcp"):
            found += connection.status == "ESTABLISHED" and connection.laddr.port == port
    return found


def test_oldest_unfinished_bodies_are_dropped_for_new_requests(platform, client, model):
    """All from one address: the oldest go, and nobody whose body comes at once is refused."""
    request = head("POST", f"models.{DOMAIN}", "/model/")

    with dribbling(platform, request, 250) as connections:
        wait_for(lambda: sum(map(unanswered, connections)) <= 64)
        assert_nobody_waits(client, model)
        client.create_model()

        assert any(unanswered(connection) for connection in connections)
