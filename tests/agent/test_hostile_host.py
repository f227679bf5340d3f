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


def test_an_answer_without_end_is_not_read_to_its_end(host):
    with pytest.raises(NoAnswer, match=f"more than {LARGEST} bytes"):
        host(endless).door.ask("GET", "/")


def test_a_file_has_no_more_bytes_than_were_told(host):
    into = io.BytesIO()

    with pytest.raises(NoAnswer, match="more than 100000 bytes"):
        host(endless).door.ask("GET", "/", into=into, most=100_000)

    assert len(into.getvalue()) <= 100_000


def test_redirects_lead_nowhere(host):
    elsewhere = host(says(200))
    tempting = host(says(302, Location=elsewhere.address))

    assert tempting.door.ask("GET", "/").status == 302
    assert elsewhere.asked == []


def test_who_drips_is_cut_off(host):
    with pytest.raises(NoAnswer, match="took too long|timed out"):
        host(dripping).door.ask("GET", "/", patience=0.3)


def test_outside_of_the_shop_nothing_is_sent(host):
    here = host(says(200))

    with pytest.raises(NotSent, match="127.0.0.1 is in none of the shop's networks"):
        HttpClient(here.address, {}, ()).ask("GET", "/")

    assert here.asked == []


def test_where_nobody_listens_nothing_is_sent():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"

        with pytest.raises(NotSent, match="takes no connection"):
            HttpClient(address, {}, HERE).ask("GET", "/")


def test_who_takes_a_request_and_says_nothing_may_have_done_it(host):
    with pytest.raises(NoAnswer, match="No whole answer came"):
        host(hangs_up).door.ask("POST", "/")


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"[" * 100_000])
def test_what_is_no_object_is_no_answer(host, body):
    with pytest.raises(NoAnswer, match="no JSON object"):
        host(says(200, body)).door.ask("GET", "/").json()


@pytest.mark.parametrize("address", ["ftp://here", "here", "http://"])
def test_an_address_is_http(address):
    with pytest.raises(ValueError, match="is no address"):
        HttpClient(address, {})
