"""The files host over real HTTP: uploads that are streamed, downloads in parts."""

import hashlib
import socket
from contextlib import suppress
from urllib.parse import quote, urlsplit

import psutil
import pytest
import requests

from tests.live.client import OCTETS, Client, ball
from tests.live.conftest import MAX_UPLOAD
from tests.live.processes import Platform, browser, wait_for

pytestmark = pytest.mark.live

DATA = ball(12, bumps=5)
MEGABYTE = 1_000_000


def code(response: requests.Response) -> str:
    return response.json()["errors"][0]["code"]


@pytest.fixture(scope="module")
def content(client: Client) -> str:
    """Where a processed model's file can be fetched."""
    return client.settled(client.model(DATA))["content"]


UNFIT = {"Request-ID": "a number with blanks"}


@pytest.fixture(scope="module")
def stranger() -> requests.Session:
    """Somebody without credentials."""
    return browser()


@pytest.mark.parametrize("place", ["files/nothing/", "models/model/"])
def test_response_has_a_request_id_or_keeps_the_given_one(
    platform: Platform, stranger: requests.Session, place
):
    url = platform.url(place)

    brought = stranger.get(url, headers={"Request-ID": "order-7"}).headers["Request-ID"]
    made = [stranger.get(url, headers=own).headers["Request-ID"] for own in ({}, UNFIT)]

    assert brought == "order-7"
    assert [len(number) for number in made] == [36, 36]
    assert made[0] != made[1]


# ---------------------------------------------------------------- uploads


def test_upload_with_wrong_content_type_is_rejected_and_url_stays_valid(
    platform: Platform, client: Client, stranger: requests.Session
):
    _, location = client.create_model()

    refused = stranger.put(location, data=DATA, headers={"Content-Type": "model/stl"})

    assert (refused.status_code, code(refused)) == (403, "SignatureDoesNotMatch")
    assert platform.parts == []
    assert stranger.put(location, data=DATA, headers=OCTETS).status_code == 204


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("max=", "max=9"),
        ("expires=", "expires=9"),
        ("signature=", "signature=A"),
        ("?", "?x&max=9"),
    ],
)
def test_modified_upload_url_is_rejected(client: Client, stranger: requests.Session, old, new):
    _, location = client.create_model()
    assert old in location

    refused = stranger.put(location.replace(old, new, 1), data=DATA, headers=OCTETS)

    assert (refused.status_code, code(refused)) == (403, "SignatureDoesNotMatch")


def test_signature_of_another_upload_url_is_rejected(client: Client, stranger: requests.Session):
    _, one = client.create_model()
    _, other = client.create_model()
    mixed = f"{one.partition('?')[0]}?{other.partition('?')[2]}"

    refused = stranger.put(mixed, data=DATA, headers=OCTETS)

    assert (refused.status_code, code(refused)) == (403, "SignatureDoesNotMatch")


def test_same_content_can_be_uploaded_again_and_other_content_cannot(client: Client):
    uri, location = client.create_model()
    client.upload(location, DATA)

    client.upload(location, DATA)
    refused = client.upload(location, DATA + b"x", 409)

    assert code(refused) == "content-exists"
    assert client.settled(uri)["file_size"] == len(DATA)


@pytest.mark.single("a balancer waits for the body")
def test_upload_with_too_large_content_length_is_rejected_before_the_body(
    platform: Platform, client: Client
):
    _, location = client.create_model()

    answer = raw(platform, location, MAX_UPLOAD + 1, b"")

    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b'"payload-too-large"' in answer
    client.upload(location, DATA)


@pytest.mark.single("it looks into the folder of web")
@pytest.mark.parametrize("sent", [0, 1000, len(DATA) - 1])
def test_aborted_upload_leaves_no_file_and_can_be_repeated(
    platform: Platform, client: Client, sent: int
):
    uri, location = client.create_model()

    raw(platform, location, len(DATA), DATA[:sent])

    wait_for(lambda: platform.parts == [])
    assert client.read(uri)["content"] is None
    client.upload(location, DATA)
    assert client.settled(uri)["status"] == "processed"


def raw(platform: Platform, location: str, length: int, body: bytes) -> bytes:
    """Announce `length` bytes, send `body`, send no more; what is answered."""
    parts = urlsplit(location)
    lines = (
        f"PUT {parts.path}?{parts.query} HTTP/1.1",
        f"Host: {parts.netloc}",
        "Content-Type: application/octet-stream",
        f"Content-Length: {length}",
    )
    with socket.create_connection(("127.0.0.1", platform.port), timeout=10) as connection:
        connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while received := connection.recv(1 << 16):
            answer += received
        return answer


@pytest.mark.single("it measures the memory of web")
def test_large_upload_is_streamed_in_constant_memory(platform: Platform, client: Client):
    web = platform.program("project.asgi:application")
    _, location = client.create_model()
    before = memory(web)
    most = before

    def pieces():
        nonlocal most
        for number in range(200):
            yield number.to_bytes(4, "big") * (MEGABYTE // 4)
            most = max(most, memory(web))

    client.ask("PUT", location, 204, data=pieces(), headers=OCTETS)

    assert most - before < 50 * MEGABYTE, f"{(most - before) / MEGABYTE:.0f} MB more"


def memory(processes: list[psutil.Process]) -> int:
    return sum(process.memory_info().rss for process in processes)


@pytest.mark.single("a balancer reads on after a refusal")
def test_unbounded_upload_is_stopped_at_the_limit(platform: Platform, client: Client):
    _, location = client.create_model()
    sent = 0

    def pieces():
        nonlocal sent
        while sent < 10 * MAX_UPLOAD:
            sent += MEGABYTE
            yield bytes(MEGABYTE)

    # The answer may meet a client that still sends and does not listen.
    with suppress(requests.ConnectionError):
        client.ask("PUT", location, 413, data=pieces(), headers=OCTETS)

    assert MAX_UPLOAD < sent < 1.2 * MAX_UPLOAD
    wait_for(lambda: platform.parts == [])


# ---------------------------------------------------------------- downloads


def test_download_needs_no_credentials_and_has_correct_headers(
    content: str, stranger: requests.Session
):
    response = stranger.get(content)

    assert (response.status_code, response.content) == (200, DATA)
    assert response.headers["Content-Length"] == str(len(DATA))
    assert response.headers["Content-Type"] == "model/stl"
    assert response.headers["ETag"] == f'"{hashlib.sha256(DATA).hexdigest()}"'
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "Set-Cookie" not in response.headers


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [
        ("bytes=0-99", 0, 100),
        ("bytes=100-", 100, len(DATA)),
        ("bytes=-50", len(DATA) - 50, len(DATA)),
        (f"bytes=10-{len(DATA) + 10}", 10, len(DATA)),
    ],
)
def test_range_request_returns_the_part_of_the_file(
    content: str, stranger: requests.Session, asked, start, end
):
    response = stranger.get(content, headers={"Range": asked})

    assert (response.status_code, response.content) == (206, DATA[start:end])
    assert response.headers["Content-Range"] == f"bytes {start}-{end - 1}/{len(DATA)}"
    assert response.headers["Content-Length"] == str(end - start)


@pytest.mark.parametrize("asked", [f"bytes={len(DATA)}-", "bytes=-0"])
def test_range_beyond_the_file_returns_416(content: str, stranger: requests.Session, asked):
    response = stranger.get(content, headers={"Range": asked})

    assert (response.status_code, code(response)) == (416, "range-not-satisfiable")
    assert response.headers["Content-Range"] == f"bytes */{len(DATA)}"


@pytest.mark.parametrize("asked", ["bytes=5-2", "bytes=a-b", "lines=1-2", "bytes=0-1,5-9"])
def test_invalid_range_is_ignored(content: str, stranger: requests.Session, asked):
    response = stranger.get(content, headers={"Range": asked})

    assert (response.status_code, response.content) == (200, DATA)


def test_download_with_matching_etag_returns_304(content: str, stranger: requests.Session):
    etag = stranger.head(content).headers["ETag"]

    known = stranger.get(content, headers={"If-None-Match": etag})
    listed = stranger.get(content, headers={"If-None-Match": f'"other", W/{etag}'})
    other = stranger.get(content, headers={"If-None-Match": '"other"'})

    assert [r.status_code for r in (known, listed, other)] == [304, 304, 200]
    assert (known.content, known.headers["ETag"]) == (b"", etag)


def test_if_range_resumes_only_the_same_file(content: str, stranger: requests.Session):
    etag = stranger.head(content).headers["ETag"]

    same = stranger.get(content, headers={"Range": "bytes=7-", "If-Range": etag})
    other = stranger.get(content, headers={"Range": "bytes=7-", "If-Range": '"other"'})

    assert (same.status_code, same.content) == (206, DATA[7:])
    assert (other.status_code, other.content) == (200, DATA)


def test_head_request_returns_headers_without_content(content: str, stranger: requests.Session):
    response = stranger.head(content)

    assert (response.status_code, response.content) == (200, b"")
    assert response.headers["Content-Length"] == str(len(DATA))
    assert response.headers["Accept-Ranges"] == "bytes"


def test_filename_parameter_sets_content_disposition(content: str, stranger: requests.Session):
    response = stranger.get(f"{content}&filename={quote('Träger „links“.stl')}")

    assert (response.status_code, response.content) == (200, DATA)
    assert response.headers["Content-Disposition"] == (
        'attachment; filename="Tr_ger _links_.stl"; '
        "filename*=UTF-8''Tr%C3%A4ger%20%E2%80%9Elinks%E2%80%9C.stl"
    )


def test_filename_parameter_cannot_inject_headers(content: str, stranger: requests.Session):
    name = quote('a\r\nSet-Cookie: b=c".stl')

    response = stranger.get(f"{content}&filename={name}")

    assert response.status_code == 200
    assert "Set-Cookie" not in response.headers


@pytest.mark.parametrize("name", ["type", "name", "expires", "signature"])
def test_modified_download_url_is_rejected(content: str, stranger: requests.Session, name: str):
    assert f"{name}=" in content

    refused = stranger.get(content.replace(f"{name}=", f"{name}=9"))

    assert (refused.status_code, code(refused)) == (403, "SignatureDoesNotMatch")
