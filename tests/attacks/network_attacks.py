"""Attacks from the network: connections, bodies, logins, the disk, and a server that drips."""

import itertools
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import requests

from tests.attacks.ordinary_user import Target
from tests.live.client import Client, ball


@contextmanager
def half_open(target: Target) -> Iterator[None]:
    """1,100 connections that never end their headers, made anew as they are closed."""
    head = f"GET /model/ HTTP/1.1\r\nHost: models.{target.domain}\r\nX-".encode()
    with _held_open(target, 1_100, head):
        yield


@contextmanager
def silent(target: Target) -> Iterator[None]:
    """4,300 connections that send nothing, made anew as they are closed."""
    with _held_open(target, 4_300, b"", more=b""):
        yield


@contextmanager
def preface(target: Target) -> Iterator[None]:
    """4,300 connections that begin HTTP/2, made anew as they are closed."""
    with _held_open(target, 4_300, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", more=b""):
        yield


@contextmanager
def unread(target: Target) -> Iterator[None]:
    """600 downloads of 8 MB of which nothing is read, made anew as they are closed."""
    client = target.client()
    part = client.model(ball(200))
    path = client.settled(part)["content"].split("/", 3)[3]
    head = f"GET /{path} HTTP/1.1\r\nHost: files.{target.domain}:{target.port}\r\n\r\n"
    with _held_open(target, 600, head.encode(), more=b""):
        yield


@contextmanager
def bodies(target: Target) -> Iterator[None]:
    """250 bodies of 4 MB of which half comes."""
    head = (
        f"POST /model/ HTTP/1.1\r\nHost: models.{target.domain}:{target.port}\r\n"
        "Authorization: Basic eDp5\r\nContent-Type: application/json\r\n"
        "Content-Length: 4000000\r\n\r\n"
    )
    with _held_open(target, 250, head.encode() + bytes(2_000_000)):
        yield


@contextmanager
def logins(target: Target) -> Iterator[None]:
    """12 threads that sign in to three accounts with the right passwords."""
    accounts = [target.client().person for _ in range(3)]

    def sign_in(number: int) -> None:
        with target.session() as session, suppress(requests.RequestException):
            session.post(target.url("users/sessions/"), json=accounts[number % 3], timeout=30)

    with again([lambda number=number: sign_in(number) for number in range(12)]):
        yield


@contextmanager
def credentials(target: Target) -> Iterator[None]:
    """64 connections that read a page and a list, with other wrong credentials each time."""
    numbers = itertools.count()
    own = threading.local()

    def read() -> None:
        if not hasattr(own, "session"):
            own.session = target.session()
        number = next(numbers)
        signed = ({"Authorization": f"Basic {number}"}, {"Cookie": f"session={number}"})[number % 2]
        with suppress(requests.RequestException):
            own.session.get(target.url(("models/model/", "s/shop/")[number % 2]), headers=signed)

    with again([read] * 64):
        yield


@contextmanager
def disk(target: Target) -> Iterator[None]:
    """Three files of 900 MB without a length, which break off at the end; and three with one."""
    clients = [target.client() for _ in range(3)]

    def upload(client: Client, length: int | None) -> None:
        _, location = client.create_model()
        path = location.split("/", 3)[3]
        said = f"Content-Length: {length}" if length else "Transfer-Encoding: chunked"
        head = (
            f"PUT /{path} HTTP/1.1\r\nHost: files.{target.domain}:{target.port}\r\n"
            f"Content-Type: application/octet-stream\r\n{said}\r\n\r\n"
        )
        piece = bytes(1 << 20)
        data = piece if length else b"%x\r\n%s\r\n" % (len(piece), piece)
        with suppress(OSError), target.connect() as connection:
            connection.sendall(head.encode())
            for _ in range(850):
                connection.sendall(data)

    works = [
        lambda client=client, length=length: upload(client, length)
        for client in clients
        for length in (None, 900 << 20)
    ]
    with again(works):
        yield


@contextmanager
def trickled_uploads(target: Target) -> Iterator[None]:
    """200 uploads of 4 MB, of ten accounts, that send a byte a second; made anew as they end."""
    heads = itertools.cycle(
        [
            _upload_head(target, client.create_model()[1])
            for client in [target.client() for _ in range(10)]
            for _ in range(20)
        ]
    )
    with _held_open(target, 200, lambda: next(heads)):
        yield


@contextmanager
def uploads_in_pieces(target: Target) -> Iterator[None]:
    """12 threads that begin resumable uploads of 64 MB, send 1 MB and never go on."""
    clients = [target.client() for _ in range(3)]

    def begin(client: Client) -> None:
        with suppress(requests.RequestException), target.session() as session:
            session.auth = client.session.auth
            made = session.post(target.url("models/model/"), json={"name": "part"}, timeout=60)
            if made.status_code != 201:
                return
            headers = {
                "Tus-Resumable": "1.0.0",
                "Content-Type": "application/offset+octet-stream",
                "Upload-Offset": "0",
                "Upload-Length": str(64 << 20),
            }
            location = made.headers["X-Upload-Location"]
            session.patch(location, data=bytes(1 << 20), headers=headers, timeout=60)

    with again([lambda client=client: begin(client) for client in clients * 4]):
        yield


def _upload_head(target: Target, location: str) -> bytes:
    parts = urlsplit(location)
    lines = (
        f"PUT {parts.path}?{parts.query} HTTP/1.1",
        f"Host: {parts.netloc}",
        "Content-Type: application/octet-stream",
        "Content-Length: 4000000",
    )
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


@contextmanager
def drips(target: Target) -> Iterator[None]:
    """32 models of another server that come byte by byte, for eight accounts."""

    class Dripping(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            if self.path.endswith("content"):
                with suppress(OSError):
                    for _ in range(600):
                        self.wfile.write(b"x")
                        time.sleep(0.2)
                return
            url = f"http://127.0.0.1:{server.server_port}/content"
            self.wfile.write(f'{{"content": "{url}"}}'.encode())

        def log_message(self, *words) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Dripping)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    clients = [target.client() for _ in range(8)]

    def index(number: int) -> None:
        order = {"name": "a", "description": "b"}
        order["model_uri"] = f"http://127.0.0.1:{server.server_port}/{number}/{time.time()}"
        with suppress(requests.RequestException):
            clients[number % 8].session.post(
                target.url("search/indexed-model/"), json=order, timeout=150
            )

    with again([lambda number=number: index(number) for number in range(32)]):
        yield
    server.shutdown()


def _is_open(connection: socket.socket, more: bytes) -> bool:
    """Send `more`, or look for an end where there is nothing to send."""
    connection.settimeout(0)
    try:
        return bool(connection.send(more) if more else connection.recv(1))
    except BlockingIOError:
        return not more
    except OSError:
        return False


@contextmanager
def _held_open(
    target: Target, count: int, begin: bytes | Callable[[], bytes], *, more: bytes = b"x"
) -> Iterator[None]:
    enough = threading.Event()

    def hold(share: int) -> None:
        with ExitStack() as held:
            connections: list[socket.socket] = []
            while not enough.is_set():
                for connection in list(connections):
                    if _is_open(connection, more):
                        continue
                    connections.remove(connection)
                    connection.close()
                while len(connections) < share and not enough.is_set():
                    try:
                        connection = held.enter_context(target.connect())
                        connection.sendall(begin if isinstance(begin, bytes) else begin())
                    except OSError:
                        break
                    connections.append(connection)
                enough.wait(1.0)

    with ThreadPoolExecutor(10) as pool:
        for _ in range(10):
            pool.submit(hold, count // 10)
        time.sleep(1.0)
        try:
            yield
        finally:
            enough.set()


@contextmanager
def again(works: list[Callable[[], None]]) -> Iterator[None]:
    """All of them at once, each again and again."""
    enough = threading.Event()

    def go_on(work: Callable[[], None]) -> None:
        while not enough.wait(0.01):
            work()

    threads = [threading.Thread(target=go_on, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    time.sleep(1.0)
    try:
        yield
    finally:
        enough.set()
