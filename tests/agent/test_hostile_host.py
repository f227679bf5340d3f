"""What a hostile host can do to an agent: nothing but be told of."""

import io
import socket

import pytest

from agent.http_client import LARGEST, HttpClient
from machines.drivers import NoAnswer, NotSent
from tests.agent.conftest import HERE, hangs_up, says


def endless(handler):
    """A gigabyte, as far as anybody takes it."""
    handler.send_response(200)
    handler.send_header("Content-Length", str(1 << 30))
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(bytes(1 << 16))
    except OSError:
        pass  # nobody takes more


def dripping(handler):
    """A byte of a header now and then, until nobody listens."""
    handler.connection.settimeout(0.05)
    while True:
        try:
            handler.wfile.write(b"X")
            if handler.connection.recv(1) == b"":
                return
        except TimeoutError:
            continue
        except OSError:
            return


def test_endless_response_is_cut_off_at_the_size_limit(host):
    with pytest.raises(NoAnswer, match=f"more than {LARGEST} bytes"):
        host(endless).connection.ask("GET", "/")


def test_download_is_cut_off_at_the_declared_size(host):
    into = io.BytesIO()

    with pytest.raises(NoAnswer, match="more than 100000 bytes"):
        host(endless).connection.ask("GET", "/", into=into, limit=100_000)

    assert len(into.getvalue()) <= 100_000


def test_redirects_are_not_followed(host):
    elsewhere = host(says(200))
    tempting = host(says(302, Location=elsewhere.address))

    assert tempting.connection.ask("GET", "/").status == 302
    assert elsewhere.requests == []


def test_slow_response_is_cut_off_at_the_timeout(host):
    with pytest.raises(NoAnswer, match="took too long|timed out"):
        host(dripping).connection.ask("GET", "/", timeout=0.3)


def test_no_request_is_sent_outside_the_networks_of_the_shop(host):
    here = host(says(200))

    with pytest.raises(NotSent, match="127.0.0.1 is in none of the shop's networks"):
        HttpClient(here.address, {}, ()).ask("GET", "/")

    assert here.requests == []


def test_refused_connection_raises_not_sent():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"

        with pytest.raises(NotSent, match="takes no connection"):
            HttpClient(address, {}, HERE).ask("GET", "/")


def test_closed_connection_after_request_raises_no_answer(host):
    with pytest.raises(NoAnswer, match="No whole answer came"):
        host(hangs_up).connection.ask("POST", "/")


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"[" * 100_000])
def test_response_without_json_object_raises_no_answer(host, body):
    with pytest.raises(NoAnswer, match="no JSON object"):
        host(says(200, body)).connection.ask("GET", "/").json()


@pytest.mark.parametrize("address", ["ftp://here", "here", "http://"])
def test_address_must_be_an_http_url(address):
    with pytest.raises(ValueError, match="is no address"):
        HttpClient(address, {})
