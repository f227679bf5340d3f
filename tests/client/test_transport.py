"""Requests that are sent again, and refusals."""

import json
import socket
from base64 import b64encode

import pytest

from manufacturing import Conflict, NotFound, PaymentRequired, Refused, TooMany, Unreachable
from manufacturing.transport import Transport
from tests.client.conftest import answer, cut

MODEL = json.dumps({"uri": "http://models.wire.localhost/model/1/", "name": "part"}).encode()
UNDER_WAY = b'{"errors": [{"code": "idempotency-in-progress", "title": "Wait."}]}'


def refused(title: str) -> bytes:
    return json.dumps({"errors": [{"code": "no", "field": "name", "title": title}]}).encode()


@pytest.mark.parametrize(
    "first", [cut(), cut(b"HTTP/1.1 201 Created\r\nContent-Length: 99\r\n\r\n{"), answer(503)]
)
def test_create_request_is_retried_with_the_same_idempotency_key(wire, client, first):
    wire.replies = [first, answer(409, UNDER_WAY), answer(201, MODEL)]

    model = client.create("models", "/model/", name="part")

    keys = {headers["Idempotency-Key"] for _, _, headers, _ in wire.asked}
    assert model["name"] == "part"
    assert len(wire.asked) == 3
    assert len(keys) == 1


def test_two_create_requests_use_two_keys_and_one_connection(wire, client):
    wire.replies = [answer(201, MODEL)]

    client.create("models", "/model/", name="a")
    client.create("models", "/model/", name="b")

    assert len({headers["Idempotency-Key"] for _, _, headers, _ in wire.asked}) == 2
    assert len(wire.connections) == 1


def test_localhost_subdomain_is_sent_in_the_host_header(wire, client):
    wire.replies = [answer(200, b"{}")]

    client.get(client.transport.url("models", "/model/1/"))

    (_, path, headers, _) = wire.asked[0]
    assert path == "/model/1/"
    assert headers["Host"] == f"models.wire.localhost:{wire.port}"
    assert headers["Authorization"] == "Basic " + b64encode(b"who:secret").decode()


def test_token_is_not_sent_to_the_files_host(wire, client):
    wire.replies = [answer(200, b"{}")]

    client.transport.request("GET", f"http://files.wire.localhost:{wire.port}/")

    assert "Authorization" not in wire.asked[0][2]


@pytest.mark.parametrize(
    "address",
    [
        "http://wire.localhost.example.localhost:{port}/",
        "http://127.0.0.1:{port}/",
        "http://models.wire.localhost:{port}@127.0.0.1:{port}/",
        "https://models.wire.localhost:{port}/",
        "http://models.wire.localhost/",
        "file:///etc/passwd",
    ],
)
def test_addresses_of_other_origins_are_never_requested(wire, client, address, tmp_path):
    wire.replies = [answer(200, b"{}")]
    url = address.format(port=wire.port)

    for request in (client.get, client.delete, lambda url: client.download(url, tmp_path / "x")):
        with pytest.raises(ValueError, match="is not an address of http://wire.localhost"):
            request(url)

    assert wire.asked == []


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, Refused), (402, PaymentRequired), (404, NotFound), (409, Conflict)],
)
def test_api_error_is_raised_with_its_title_and_not_retried(wire, client, status, kind):
    wire.replies = [answer(status, refused("Too long."), Request_ID="r-1")]

    with pytest.raises(Refused) as error:
        client.create("models", "/model/", name="x" * 300)

    assert type(error.value) is kind
    assert str(error.value) == f"{status}: name: Too long. (Request-ID r-1)"
    assert error.value.codes == {"no"}
    assert len(wire.asked) == 1


def test_rate_limit_beyond_the_deadline_is_raised_at_once(wire, client):
    wire.replies = [answer(429, refused("Later."), Retry_After="3600")]

    with pytest.raises(TooMany):
        client.get(client.transport.url("models", "/model/1/"))

    assert len(wire.asked) == 1


def test_retried_delete_that_finds_404_succeeds(wire, client):
    wire.replies = [cut(), answer(404)]

    client.delete(client.transport.url("models", "/model/1/"))

    assert [method for method, *_ in wire.asked] == ["DELETE", "DELETE"]


def test_html_error_of_a_proxy_raises_refused(wire, client):
    wire.replies = [answer(403, b"<html>")]

    with pytest.raises(Refused, match="403: no reason was given"):
        client.get(client.transport.url("models", "/model/1/"))


def test_connection_closed_without_response_raises_unreachable(wire):
    wire.replies = [cut()]
    transport = Transport(f"http://wire.localhost:{wire.port}", "")

    with pytest.raises(Unreachable, match=r"^GET http://models"):
        transport.request("GET", transport.url("models", "/"), deadline=1)


def test_refused_connection_raises_unreachable():
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    transport = Transport(f"http://wire.localhost:{port}", "")

    with pytest.raises(Unreachable, match="refused"):
        transport.request("GET", transport.url("models", "/"), deadline=1)


@pytest.mark.parametrize("end", [b"HTTP/1.1 204", b"No Content\r\n", b"Upload-Offset: 1", b"1\r\n"])
def test_response_with_truncated_headers_is_retried(wire, client, end):
    head = b"HTTP/1.1 204 No Content\r\nRequest-ID: x\r\nUpload-Offset: 1\r\n"
    wire.replies = [cut(head[: head.index(end) + len(end)]), answer(204, Upload_Offset="12")]

    told = client.transport.request("GET", client.transport.url("models", "/"))

    assert (told.tries, told.headers["Upload-Offset"]) == (2, "12")


def test_list_follows_next_links_to_the_last_page(wire, client):
    rest = client.transport.url("erp", "/order/?page[after]=x")
    wire.replies = [
        answer(200, json.dumps({"resources": [{"n": 1}], "links": {"next": rest}}).encode()),
        answer(200, json.dumps({"resources": [{"n": 2}], "links": {"next": None}}).encode()),
    ]

    found = [row["n"] for row in client.list("erp", "/order/", limit=9, status=["new", "old"])]

    assert found == [1, 2]
    assert [path for _, path, *_ in wire.asked] == [
        "/order/?filter%5Bstatus%5D=new%2Cold&page%5Blimit%5D=9",
        "/order/?page[after]=x",
    ]
