"""The configurations of docs/proxy, each in front of the real platform: TLS, hosts, files, events.

Each runs as it stands, but for its domain, its ports and its files; and the calls of public clients
go through each. PROXY_CONNECTIONS, PROXY_UPLOAD (MB) and PROXY_EVENTS (seconds of a stream) ask for
more of these.
"""

import os
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests

from core.process.open_files import raise_open_files
from tests.live.client import Client, ball
from tests.live.processes import DOMAIN, ROOT, LocalHosts, Platform, free_ports
from tests.live.test_public_clients import *  # noqa: F403  the calls, by the fixtures below
from tests.live.test_public_clients import PublicClient, cookie_of
from tests.waiting import wait_for

CONNECTIONS = int(os.environ.get("PROXY_CONNECTIONS", "1500"))
UPLOAD = int(os.environ.get("PROXY_UPLOAD", "40")) * 1_000_000  # bytes
EVENTS = float(os.environ.get("PROXY_EVENTS", "3"))

pytestmark = [pytest.mark.live, pytest.mark.single("it has proxies of its own")]

FILES = ROOT / "docs" / "proxy"
NAMES = f"DNS:{DOMAIN},DNS:*.{DOMAIN},IP:127.0.0.1"
ATTACKER = "127.0.0.2"  # another address of this machine


class LocalHostsByTls(LocalHosts):
    """As LocalHosts, by TLS."""

    def send(self, request, **options):
        scheme, _, rest = request.url.partition("://")
        authority, slash, path = rest.partition("/")
        request.headers["Host"] = authority
        request.url = f"{scheme}://127.0.0.1:{authority.rpartition(':')[2]}{slash}{path}"
        return super(LocalHosts, self).send(request, **options)


@dataclass(frozen=True)
class Front:
    """A proxy that runs in front of `platform`."""

    platform: Platform
    port: int
    certificate: Path

    def url(self, path: str) -> str:
        host, _, rest = path.partition("/")
        return f"https://{host}.{DOMAIN}:{self.port}/{rest}"

    def session(self) -> requests.Session:
        session = requests.Session()
        session.trust_env = False
        session.verify = str(self.certificate)
        session.mount("https://", LocalHostsByTls())
        return session

    def client(self) -> Client:
        return Client(self, self.session())


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> Path:
    """A certificate for the domain and all names below it; its key is beside, and both in one."""
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = folder / "cert.pem", folder / "cert.key"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    names = ["-subj", f"/CN={DOMAIN}", "-addext", f"subjectAltName={NAMES}"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*words, *names, *files], check=True, capture_output=True)
    (folder / "cert.both.pem").write_text(certificate.read_text() + key.read_text())
    return certificate


@pytest.fixture(scope="module")
def behind() -> Iterator[tuple[Platform, int, int]]:
    """A platform that says the address of a proxy, and that proxy's ports."""
    raise_open_files()
    port, plain = free_ports(2)
    running = Platform(
        HOST_SCHEME="https",
        HOST_PORT=str(port),
        CALLBACK_INTERVAL="1",
        LOGINS_PER_ADDRESS="0",
        MAX_UPLOAD=str(max(1 << 30, 2 * UPLOAD)),
    )
    try:
        running.start()
        yield running, port, plain
    finally:
        left = running.stop()
    assert left == []


def command(name: str, text: str, folder: Path) -> list[str]:
    """How the proxy is started with a configuration of this text."""
    path = folder / name
    path.write_text(text)
    return {
        "nginx.conf": ["nginx", "-e", "stderr", "-c", str(path), "-g", "daemon off;"],
        "haproxy.cfg": ["haproxy", "-db", "-f", str(path)],
        "Caddyfile": ["caddy", "run", "--adapter", "caddyfile", "--config", str(path)],
    }[name]


@pytest.fixture(scope="module", params=["nginx.conf", "haproxy.cfg", "Caddyfile"])
def front(request, behind, certificate, tmp_path_factory) -> Iterator[Front]:
    with in_front(request.param, behind, certificate, tmp_path_factory) as running:
        yield running


@contextmanager
def in_front(
    name: str,
    behind: tuple[Platform, int, int],
    certificate: Path,
    tmp_path_factory: pytest.TempPathFactory,
    *changes: tuple[str, str],
) -> Iterator[Front]:
    """The proxy of a file of docs/proxy, at work. changes : words of it, and others for them."""
    platform, port, plain = behind
    program = command(name, "", tmp_path_factory.mktemp("none"))[0]
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    folder = tmp_path_factory.mktemp(program)
    text = (FILES / name).read_text()
    stem = str(certificate).removesuffix(".pem")
    for old, new in (
        *changes,
        ("/etc/ssl/print.example.com", stem),
        (
            "print.example.com, *.print.example.com {",
            f"https://{DOMAIN}:{port}, https://*.{DOMAIN}:{port} {{",
        ),
        ("print.example.com", DOMAIN),
        ("127.0.0.1:8000", f"127.0.0.1:{platform.port}"),
        ("listen [::]:443 ssl http2;", ""),
        ("listen [::]:80;", ""),
        ("listen 443", f"listen 127.0.0.1:{port}"),
        ("listen 80", f"listen 127.0.0.1:{plain}"),
        ("bind :::443 v4v6", f"bind 127.0.0.1:{port}"),
        ("bind :::80 v4v6", f"bind 127.0.0.1:{plain}"),
        ("/run/nginx.pid", str(folder / "nginx.pid")),
        ("admin off", "admin off\n\tauto_https disable_redirects"),
    ):
        text = text.replace(old, new)
    log = (folder / "log").open("wb")
    process = subprocess.Popen(
        command(name, text, folder), stdout=log, stderr=subprocess.STDOUT, cwd=folder
    )
    try:
        wait_for(lambda: process.poll() is not None or listens(port))
        assert process.poll() is None, (folder / "log").read_text()
        yield Front(platform, port, certificate)
    finally:
        process.kill()  # in order it would wait for connections that nobody ends
        process.wait(60)


@pytest.fixture
def public(front: Front) -> PublicClient:
    return PublicClient(front, front.session)


@pytest.fixture
def cookies(front: Front) -> dict[str, str]:
    """Of a login past the proxy, which takes so many a second."""
    return cookie_of(PublicClient(front.platform))


def listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def test_large_upload_passes_the_proxy_and_its_event_arrives(front: Front):
    client = front.client()
    events = client.session.get(front.url("callbacks/events/"), stream=True, timeout=60)
    assert events.status_code == 200
    lines = events.iter_lines()
    heard: list[bytes] = []

    def listen() -> None:
        with suppress(Exception):  # it is closed in the middle of a read
            for line in lines:
                heard.append(line)

    threading.Thread(target=listen, daemon=True).start()
    uri, location = client.create_model()
    assert uri.startswith(front.url("models/model/")) and location.startswith(front.url("files/"))

    client.upload(location, zeros(UPLOAD))

    assert client.settled(uri)["status"] == "error"  # megabytes of nothing
    wait_for(lambda: any(uri.encode() in line for line in heard))
    events.close()


def zeros(count: int) -> Iterator[bytes]:
    """So many bytes, in pieces."""
    for _ in range(count // 1_000_000):
        yield bytes(1_000_000)


def test_event_stream_through_the_proxy_lasts_and_misses_no_event(front: Front):
    client = front.client()
    made, heard = [], []
    with client.session.get(front.url("models/events/"), stream=True, timeout=60) as events:

        def listen() -> None:
            with suppress(Exception):  # it is closed in the middle of a read
                for line in events.iter_lines(chunk_size=1):
                    heard.append(line)

        listening = threading.Thread(target=listen, daemon=True)
        listening.start()
        end = time.monotonic() + EVENTS
        while time.monotonic() < end:
            made.append(client.model(ball(3)))
            time.sleep(min(10.0, EVENTS / 3))
        assert listening.is_alive()  # one connection all the time
        wait_for(lambda: all(any(uri.encode() in line for line in heard) for uri in made))


def test_large_file_of_a_slicer_passes_the_proxy(front: Front):
    location = front.url("print/api/v1/files/local/part.gcode")

    answer = front.session().put(location, data=bytes(6_000_000), headers={"X-Api-Key": "none"})

    assert answer.status_code == 401
    assert "key" in answer.text


def test_proxy_streams_an_upload_to_disk_while_it_is_sent(front: Front):
    client = front.client()
    _, location = client.create_model()
    half, rest = threading.Event(), threading.Event()

    def pieces():
        for _ in range(10):
            yield bytes(1_000_000)
        half.set()
        rest.wait(120)
        yield bytes(1_000_000)

    with ThreadPoolExecutor(1) as pool:
        octets = {"Content-Type": "application/octet-stream"}
        answer = pool.submit(client.session.put, location, data=pieces(), headers=octets)
        half.wait(120)
        wait_for(lambda: arrived(front.platform) >= 9_000_000)
        rest.set()
        assert answer.result().status_code == 204


def arrived(platform: Platform) -> int:
    folder = platform.folder / "files" / "incoming"
    return sum(path.stat().st_size for path in folder.glob(".part-*"))


@pytest.mark.parametrize("host", ["models", "files", "admin"])
def test_certificate_is_valid_for_every_host(front: Front, host: str):
    context = ssl.create_default_context(cafile=str(front.certificate))
    name = f"{host}.{DOMAIN}"
    with (
        socket.create_connection(("127.0.0.1", front.port)) as plain,
        context.wrap_socket(plain, server_hostname=name) as connection,
    ):
        connection.sendall(f"GET / HTTP/1.1\r\nHost: {name}:{front.port}\r\n\r\n".encode())
        assert connection.recv(12).startswith(b"HTTP/1.1 ")


def test_forwarded_for_header_of_a_client_is_ignored(front: Front):
    client = front.client()
    client.session.auth = None
    said = {"X-Forwarded-For": "203.0.113.9"}
    client.ask("POST", "users/sessions/", 201, json=client.person, headers=said)

    rows = front.platform.ask("SELECT DISTINCT address FROM users_login")
    assert [str(address) for (address,) in rows] == ["127.0.0.1"]


def test_half_open_connections_do_not_block_other_clients(front: Front):
    client = front.client()
    uri, _ = client.create_model()
    request = b"GET / HTTP/1.1\r\nX-"  # of TLS not even a beginning
    with ExitStack() as held:
        for _ in range(CONNECTIONS):
            connection = socket.socket()
            held.enter_context(connection)
            connection.bind((ATTACKER, 0))
            connection.settimeout(5)
            try:
                connection.connect(("127.0.0.1", front.port))
                connection.send(request[:3])
            except OSError:
                continue  # refused as it was made
        for _ in range(20):
            client.ask("GET", uri, 200)


def test_concurrent_logins_do_not_block_other_clients(front: Front):
    attackers = [front.client() for _ in range(3)]
    stranger = front.client()
    stranger.session.auth = None
    enough = threading.Event()

    def sign_in(number: int) -> None:
        with front.session() as session:
            while not enough.is_set():
                person = attackers[number % 3].person
                session.post(front.url("users/sessions/"), json=person, timeout=60)
                session.cookies.clear()

    threads = [threading.Thread(target=sign_in, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    try:
        answers = [
            stranger.session.post(front.url("users/sessions/"), json=stranger.person).status_code
            for _ in range(3)
        ]
    finally:
        enough.set()
        for thread in threads:
            thread.join()
    # From one address with the attackers, as which the proxy sees both, it may be told to wait.
    assert set(answers) <= {201, 429}
