"""The door outward: what it refuses, through real sockets, and how long it waits."""

import asyncio
import io
import socket
import socketserver
import threading
import time
from contextlib import contextmanager
from ipaddress import ip_network

import pytest

from core.outbound import http, url_policy
from tests.waiting import TIMEOUT

LOOPBACK = [ip_network("127.0.0.0/8"), ip_network("::1/128")]

NOT_PUBLIC = [
    "0.0.0.0",
    "0.0.0.1",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::808:808",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:a00:1::",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
]
PUBLIC = [
    "8.8.8.8",
    "198.51.99.1",
    "2606:4700:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2002:808:808::1",
]


@pytest.fixture
def closed(settings):
    """The door of a production installation: no private network is allowed."""
    settings.OUTBOUND_ALLOW = []


@pytest.fixture
def loopback(settings):
    settings.OUTBOUND_ALLOW = LOOPBACK


@contextmanager
def listener(talk, host="127.0.0.1"):
    """A server that reads one request and lets `talk(connection, request)` answer it."""
    requests = []

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            request = self.request.recv(65536)
            requests.append(request)
            try:
                talk(self.request, request)
            except OSError:
                pass  # the client has hung up

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        block_on_close = False
        allow_reuse_address = True
        address_family = socket.AF_INET6 if ":" in host else socket.AF_INET

    with Server((host, 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        try:
            yield server.server_address[1], requests
        finally:
            server.shutdown()


def says(answer):
    return lambda connection, request: connection.sendall(answer)


OK = says(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")


def send(url, *, lookup=None, method="POST", body=b"{}", **options):
    async def once():
        resolver = http.ThreadResolver(lookup) if lookup else None
        async with http.open_session(resolver) as session:
            return await http.send(session, method, url, headers={}, body=body, **options)

    return asyncio.run(once())


def names(*addresses):
    """A resolver's look-up that knows every name, by `addresses`, one set a call."""
    answers = iter(addresses)
    calls = []

    def lookup(host, port, *_):
        calls.append(host)
        return [
            (
                socket.AF_INET6 if ":" in address else socket.AF_INET,
                socket.SOCK_STREAM,
                6,
                "",
                (address, port),
            )
            for address in next(answers)
        ]

    return lookup, calls


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_request_to_non_public_address_is_blocked(closed, address):
    lookup, calls = names([address])

    with pytest.raises(http.Unreachable, match="OUTBOUND_ALLOW") as rejection:
        send("http://receiver.example/hook", lookup=lookup)

    assert (rejection.value.reason, calls) == ("blocked", ["receiver.example"])


@pytest.mark.parametrize("address", PUBLIC)
def test_public_address_is_allowed(closed, address):
    assert url_policy.allowed(address) is True


def test_network_in_outbound_allow_is_reachable(settings):
    settings.OUTBOUND_ALLOW = [ip_network("127.0.0.0/8")]

    with listener(OK) as (port, _):
        answer = send(f"http://127.0.0.1:{port}/hook")

    assert (answer.status, answer.head) == (200, b"hi")
    assert url_policy.allowed("::ffff:127.0.0.1") is True
    assert url_policy.allowed("10.0.0.1") is False


def test_dns_rebinding_to_private_address_is_blocked(closed):
    lookup, calls = names(["8.8.8.8"], ["127.0.0.1"])
    with listener(OK) as (port, requests):
        url = f"http://rebinding.example:{port}/hook"
        assert url_policy.allowed(lookup("rebinding.example", port)[0][4][0]) is True

        with pytest.raises(http.Unreachable) as rejection:
            send(url, lookup=lookup)

    assert (rejection.value.reason, requests, len(calls)) == ("blocked", [], 2)


def test_forbidden_addresses_are_skipped_until_an_allowed_one_connects(settings):
    settings.OUTBOUND_ALLOW = [ip_network("127.0.0.1/32")]
    lookup, _ = names(["10.0.0.1", "::1", "127.0.0.1"])

    with listener(OK) as (port, requests):
        answer = send(f"http://receiver.example:{port}/hook", lookup=lookup)

    assert (answer.status, len(requests)) == (200, 1)
    assert b"Host: receiver.example:" in requests[0]


def test_host_with_only_forbidden_addresses_is_blocked(closed):
    lookup, _ = names(["10.0.0.1", "::1", "127.0.0.1"])

    with pytest.raises(http.Unreachable) as rejection:
        send("http://receiver.example/", lookup=lookup)

    assert rejection.value.reason == "blocked"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_is_returned_and_not_followed(loopback, status):
    with listener(OK) as (target, followed):
        location = f"Location: http://127.0.0.1:{target}/\r\nContent-Length: 0\r\n\r\n"
        with listener(says(f"HTTP/1.1 {status} Moved\r\n{location}".encode())) as (port, _):
            answer = send(f"http://127.0.0.1:{port}/hook")

    assert (answer.status, followed) == (status, [])


def test_proxy_variables_and_netrc_are_ignored(loopback, monkeypatch, tmp_path):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password secret")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with listener(OK) as (proxy, proxied), listener(OK) as (port, requests):
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy}")
        send(f"http://127.0.0.1:{port}/hook")

    assert (len(proxied), len(requests)) == (0, 1)
    assert b"Authorization" not in requests[0]


def test_client_session_stores_no_cookies(loopback):
    cookie = says(b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n")

    async def twice(url):
        async with http.open_session() as session:
            for _ in range(2):
                await http.send(session, "POST", url, headers={}, body=b"{}")

    with listener(cookie) as (port, requests):
        asyncio.run(twice(f"http://127.0.0.1:{port}/"))

    assert [b"Cookie" in request for request in requests] == [False, False]


def test_url_is_sent_without_normalization(loopback):
    with listener(OK) as (port, requests):
        send(f"http://127.0.0.1:{port}/a%2Fb/../c?x=%2F+%20&y={{1}}#part", method="GET", body=None)

    request_line, *headers = requests[0].split(b"\r\n")
    assert request_line == b"GET /a%2Fb/../c?x=%2F+%20&y={1} HTTP/1.1"
    assert {header.partition(b":")[0].lower() for header in headers if header} == {
        b"host",
        b"accept",
        b"user-agent",
        b"connection",
    }


def test_slow_body_is_cut_at_total_timeout_and_status_is_kept(loopback):
    def drip(connection, request):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while True:
            connection.sendall(b".")
            time.sleep(0.05)

    with listener(drip) as (port, _):
        began = time.monotonic()
        answer = send(f"http://127.0.0.1:{port}/", timeout=1.5)
        took = time.monotonic() - began

    assert answer.status == 200
    assert took > 1.4


def test_slow_headers_raise_timeout(loopback):
    def drip(connection, request):
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        while True:
            connection.sendall(b"X-Drip: a\r\n")
            time.sleep(0.05)

    with listener(drip) as (port, _), pytest.raises(TimeoutError):
        send(f"http://127.0.0.1:{port}/", timeout=0.8)


def test_endless_response_body_is_not_read_to_its_end(loopback):
    sent = []

    def pour(connection, request):
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while sum(sent) < 100_000_000:
            connection.sendall(b"x" * 65536)
            sent.append(65536)

    with listener(pour) as (port, _):
        answer = send(f"http://127.0.0.1:{port}/", timeout=TIMEOUT)

    assert (answer.status, answer.head) == (200, b"x" * 1024)
    assert sum(sent) < 50_000_000


def test_compressed_response_is_not_decompressed(loopback):
    packed = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8bx"

    with listener(says(packed)) as (port, requests):
        answer = send(f"http://127.0.0.1:{port}/")

    assert answer.head == b"\x1f\x8bx"
    assert b"Accept-Encoding" not in requests[0]


def test_closed_port_is_unreachable_with_reason_refused(loopback):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(http.Unreachable) as rejection:
            send(f"http://127.0.0.1:{unused.getsockname()[1]}/")

    assert rejection.value.reason == "refused"


def test_server_without_tls_is_unreachable_with_reason_tls(loopback):
    with listener(OK) as (port, _), pytest.raises(http.Unreachable) as rejection:
        send(f"https://127.0.0.1:{port}/")

    assert rejection.value.reason == "tls"


def test_unknown_host_is_unreachable_with_reason_dns(loopback):
    def lookup(*_):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    with pytest.raises(http.Unreachable, match="not known") as rejection:
        send("http://nowhere.example/", lookup=lookup)

    assert rejection.value.reason == "dns"


def test_unresolvable_hosts_do_not_delay_other_hosts(loopback, monkeypatch):
    monkeypatch.setattr(http, "RESOLVE_TIMEOUT", 3.0)
    dead = threading.Event()

    def lookup(host, port, *_):
        if host.startswith("dead"):
            dead.wait(TIMEOUT)
            raise socket.gaierror(socket.EAI_AGAIN, "no answer")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    async def race(port):
        async with http.open_session(http.ThreadResolver(lookup)) as session:
            stuck = [
                asyncio.create_task(
                    http.send(session, "POST", f"http://dead-{number}.example/", headers={})
                )
                for number in range(40)
            ]
            await asyncio.sleep(0.05)
            await http.send(session, "POST", f"http://live.example:{port}/", headers={})
            over = sum(task.done() for task in stuck)
            reasons = [
                outcome.reason for outcome in await asyncio.gather(*stuck, return_exceptions=True)
            ]
            dead.set()
            return over, reasons

    with listener(OK) as (port, _):
        over, reasons = asyncio.run(race(port))

    assert over == 0
    assert reasons == ["dns"] * 40


def test_download_below_minimum_rate_raises_timeout(loopback, monkeypatch):
    monkeypatch.setattr(http, "GRACE", 0.2)
    enough = threading.Event()

    def drip(connection, request):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while not enough.wait(0.02):
            connection.sendall(b"x")

    with listener(drip) as (port, _):
        with pytest.raises(TimeoutError, match="less than 20000 bytes a second"):
            http.fetch(
                f"http://127.0.0.1:{port}/", io.BytesIO(), most=100_000, timeout=60, slowest=20_000
            )
        enough.set()
