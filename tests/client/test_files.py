"""Files that are sent and read over lines that break."""

from hashlib import sha256

import pytest

from manufacturing import Conflict, Unreachable
from manufacturing.files import LARGE
from tests.client.conftest import answer, cut

DATA = bytes(range(256)) * 4
TAG = '"' + sha256(DATA).hexdigest() + '"'


def error(code: str) -> bytes:
    return b'{"errors": [{"code": "%s", "title": "No."}]}' % code.encode()


def rest(data: bytes, start: int, length: int) -> bytes:
    """The answer that has the rest of the data, of which so many bytes come."""
    status = "206 Partial Content" if start else "200 OK"
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(data) - start}\r\nETag: {TAG}\r\n\r\n"
    return head.encode() + data[start : start + length]


def test_upload_resumes_from_the_offset_of_the_server(wire, client, tmp_path):
    path = tmp_path / "part.stl"
    path.write_bytes(bytes(LARGE) + DATA)
    said = []
    wire.replies = [
        answer(204, Upload_Offset=str(LARGE)),
        answer(409, error("offset-mismatch")),
        answer(200, Upload_Offset=str(LARGE + 1000)),
        answer(204, Upload_Offset=str(LARGE + 1024)),
    ]
    location = client.transport.url("files", "/upload/model/1?signature=x")

    client.upload_to(location, path, progress=lambda done, size: said.append((done, size)))

    sent = [(method, body) for method, _, _, body in wire.asked]
    assert sent == [
        ("PATCH", bytes(LARGE)),
        ("PATCH", DATA),
        ("HEAD", b""),
        ("PATCH", DATA[1000:]),
    ]
    assert wire.asked[3][2]["Upload-Length"] == str(LARGE + 1024)
    assert [done - LARGE for done, _ in said] == [0, 1000, 1024]


def test_upload_of_existing_content_raises_conflict(wire, client, tmp_path):
    path = tmp_path / "part.stl"
    path.write_bytes(DATA)
    wire.replies = [answer(409, error("content-exists"))]

    with pytest.raises(Conflict):
        client.upload_to(client.transport.url("files", "/upload/model/1"), path)

    assert len(wire.asked) == 1


def test_download_resumes_after_connection_loss(wire, client, tmp_path):
    head = f"HTTP/1.1 200 OK\r\nContent-Length: 1024\r\nETag: {TAG}\r\n\r\n".encode()
    wire.replies = [cut(head + DATA[:300]), answer(206, DATA[300:], ETag=TAG)]

    client.download(client.transport.url("files", "/part.stl"), tmp_path / "part.stl")

    assert wire.asked[1][2]["Range"] == "bytes=300-"
    assert (tmp_path / "part.stl").read_bytes() == DATA
    assert len(list(tmp_path.iterdir())) == 1


def test_download_goes_on_as_long_as_tries_bring_bytes(wire, client, tmp_path, monkeypatch):
    monkeypatch.setattr("manufacturing.files.time.sleep", lambda seconds: None)
    wire.replies = [cut(rest(DATA, at, 100)) for at in range(0, 1000, 100)]
    wire.replies.append(answer(206, DATA[1000:], ETag=TAG))

    client.download(client.transport.url("files", "/part.stl"), tmp_path / "part.stl")

    assert len(wire.asked) == 11
    assert (tmp_path / "part.stl").read_bytes() == DATA


def test_download_ends_after_five_tries_without_a_byte(wire, client, tmp_path, monkeypatch):
    monkeypatch.setattr("manufacturing.files.time.sleep", lambda seconds: None)
    wire.replies = [cut(rest(DATA, 0, 100)), *(5 * [cut(rest(DATA, 100, 0))])]

    with pytest.raises(Unreachable):
        client.download(client.transport.url("files", "/part.stl"), tmp_path / "part.stl")

    assert len(wire.asked) == 6


def test_download_follows_redirects_to_the_storage_and_resumes(wire, client, tmp_path):
    bucket = client.transport.url("files", "/bucket/part?signature=x")
    head = b'HTTP/1.1 200 OK\r\nContent-Length: 1024\r\nETag: "of the bucket"\r\n\r\n'
    wire.replies = [
        answer(307, Location=bucket, ETag=TAG),
        cut(head + DATA[:-100]),
        answer(307, Location=bucket, ETag=TAG),
        answer(206, DATA[-100:], ETag='"of the bucket"'),
    ]

    client.download(client.transport.url("files", "/part.stl"), tmp_path / "part.stl")

    assert [url for _, url, _, _ in wire.asked] == 2 * ["/part.stl", "/bucket/part?signature=x"]
    assert (tmp_path / "part.stl").read_bytes() == DATA


def test_redirected_download_is_verified_with_the_etag_of_the_platform(wire, client, tmp_path):
    bucket = client.transport.url("files", "/bucket/part")
    wire.replies = [answer(307, Location=bucket, ETag=TAG), answer(200, b"other")]

    with pytest.raises(Unreachable):
        client.download(client.transport.url("files", "/part.stl"), tmp_path / "part.stl")


def test_redirect_loop_raises_unreachable(wire, client, tmp_path):
    url = client.transport.url("files", "/part.stl")
    wire.replies = 8 * [answer(307, Location=url)]

    with pytest.raises(Unreachable):
        client.download(url, tmp_path / "part.stl")


def test_download_with_wrong_hash_keeps_the_existing_file(wire, client, tmp_path):
    (tmp_path / "part.stl").write_bytes(b"old")
    wire.replies = [answer(200, DATA[:-1] + b"!", ETag=TAG)]

    with pytest.raises(Unreachable):
        client.download(client.transport.url("files", "/part.stl"), tmp_path / "part.stl")

    assert (tmp_path / "part.stl").read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 1
