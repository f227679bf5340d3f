"""Uploads in pieces over real HTTP: by a client of others, cut anywhere, through crashes."""

import hashlib
import io
import random
import socket
from urllib.parse import urlsplit

import pytest
import requests
from tusclient.client import TusClient

from tests.live.client import Client, ball
from tests.live.processes import Platform, alive, browser, kill, wait_for

pytestmark = pytest.mark.live

DATA = ball(60, bumps=5)
TUS = {"Tus-Resumable": "1.0.0"}
PIECE = {**TUS, "Content-Type": "application/offset+octet-stream"}
CUTS = 30
MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def stranger() -> requests.Session:
    """Somebody without credentials: a location is enough."""
    return browser()


def offset_of(stranger: requests.Session, location: str) -> int:
    return int(stranger.head(location, headers=TUS, timeout=10).headers["Upload-Offset"])


def send_part(platform: Platform, location: str, offset: int, sent: bytes) -> socket.socket:
    """Announce all of the file from `offset` on, and send `sent`: the connection, still open."""
    parts = urlsplit(location)
    lines = (
        f"PATCH {parts.path}?{parts.query} HTTP/1.1",
        f"Host: {parts.netloc}",
        *(f"{name}: {value}" for name, value in PIECE.items()),
        f"Upload-Offset: {offset}",
        f"Upload-Length: {len(DATA)}",
        f"Content-Length: {len(DATA) - offset}",
    )
    connection = socket.create_connection(("127.0.0.1", platform.port), timeout=10)
    connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + sent)
    return connection


def assert_is_the_model(client: Client, uri: str) -> None:
    model = client.settled(uri)
    assert model["status"] == "processed"
    sent = hashlib.sha256(client.ask("GET", model["content"], 200).content).hexdigest()
    assert sent == hashlib.sha256(DATA).hexdigest()


@pytest.mark.parametrize("checked", [False, True])
def test_tus_client_uploads_a_model(platform: Platform, client: Client, *, checked: bool):
    uri, location = client.create_model()
    parts = urlsplit(location)
    # By address, since not every resolver knows *.localhost.
    here = parts._replace(netloc=f"127.0.0.1:{platform.port}").geturl()
    own = {"Host": parts.netloc, "Upload-Length": str(len(DATA))}

    uploader = TusClient(here, headers=own).uploader(
        url=here, file_stream=io.BytesIO(DATA), chunk_size=100_000, upload_checksum=checked
    )
    uploader.upload()

    assert uploader.offset == len(DATA)
    assert_is_the_model(client, uri)


@pytest.mark.single("it looks into the folder of web")
def test_interrupted_tus_upload_resumes_at_its_offset(
    platform: Platform, client: Client, stranger: requests.Session
):
    uri, location = client.create_model()
    cuts = sorted(random.Random(11).sample(range(len(DATA)), CUTS))

    for cut in cuts:
        offset = offset_of(stranger, location)
        send_part(platform, location, offset, DATA[offset:cut]).close()
        # All that was sent before the end is kept.
        wait_for(lambda cut=cut: offset_of(stranger, location) == cut)
    answer = wait_for(lambda: resumed(stranger, location))

    assert answer.headers["Upload-Offset"] == str(len(DATA))
    assert_is_the_model(client, uri)
    assert not any(uri.split("/")[-2] in name for name in platform.incoming)


def resumed(stranger: requests.Session, location: str) -> requests.Response | None:
    """The rest is sent; None where the request before it has not ended yet."""
    offset = offset_of(stranger, location)
    place = {"Upload-Offset": str(offset), "Upload-Length": str(len(DATA))}
    answer = stranger.patch(location, data=DATA[offset:], headers={**PIECE, **place})
    return answer if answer.status_code == 204 else None


def test_concurrent_chunk_of_the_same_upload_is_rejected_as_locked(
    platform: Platform, client: Client, stranger: requests.Session
):
    uri, location = client.create_model()
    with send_part(platform, location, 0, DATA[:300_000]) as first:
        wait_for(lambda: offset_of(stranger, location) > 0)
        second = stranger.patch(location, data=b"a", headers={**PIECE, "Upload-Offset": "0"})
        first.sendall(DATA[300_000:])
        answer = first.recv(1 << 16)

    assert second.status_code == 423
    assert answer.startswith(b"HTTP/1.1 204 ")
    assert_is_the_model(client, uri)


@pytest.mark.single("it kills web")
def test_tus_upload_resumes_after_the_web_process_is_killed(
    platform: Platform, client: Client, stranger: requests.Session
):
    uri, location = client.create_model()
    half = len(DATA) // 2
    with send_part(platform, location, 0, DATA[:half]):
        wait_for(lambda: offset_of(stranger, location) > 0)
        web = platform.program("project.asgi:application")

        kill(web[0])

        wait_for(lambda: not any(map(alive, web)))
    wait_for(platform.answers)
    kept = offset_of(stranger, location)
    assert 0 < kept <= half
    wait_for(lambda: resumed(stranger, location))
    assert_is_the_model(client, uri)


@pytest.mark.single("it measures the memory of web")
def test_multipart_upload_is_streamed_in_constant_memory(platform: Platform, client: Client):
    uri, location = client.create_model()
    before, most = memory(platform), 0

    def pieces():
        nonlocal most
        yield b'--edge\r\nContent-Disposition: form-data; name="f"; filename="a.stl"\r\n\r\n'
        for number in range(80):
            yield number.to_bytes(4, "big") * (MEGABYTE // 4)
            most = max(most, memory(platform))
        yield b"\r\n--edge--\r\n"

    headers = {"Content-Type": "multipart/form-data; boundary=edge"}
    client.ask("POST", location, 204, data=pieces(), headers=headers)

    assert most - before < 40 * MEGABYTE, f"{(most - before) / MEGABYTE:.0f} MB more"
    assert client.read(uri)["file_size"] == 80 * MEGABYTE


def memory(platform: Platform) -> int:
    processes = platform.program("project.asgi:application")
    return sum(process.memory_info().rss for process in processes)
