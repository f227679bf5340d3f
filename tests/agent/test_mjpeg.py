"""Pictures of MJPEG streams: the first part alone, with bounds of bytes and time."""

import threading

import pytest

from agent import camera
from agent.camera import MAX_READ, fetch
from agent.http_client import HttpClient
from agent.mjpeg import first_picture
from agent.moonraker import Moonraker
from agent.octoprint import OctoPrint
from machines.drivers import NoAnswer, Rejected
from tests.agent.conftest import HERE
from tests.agent.simulated_mjpeg import PICTURE, MjpegStream, frame
from tests.agent.test_cameras import answers
from tests.waiting import wait_for

TYPE = "multipart/x-mixed-replace; boundary=frame"


def first(content: bytes, content_type: str = TYPE, *, size: int = 7, limit: int = 10_000) -> bytes:
    """The first picture of a body that comes in pieces of `size` bytes."""
    pieces = [content[at : at + size] for at in range(0, len(content), size)]
    return first_picture(content_type, lambda: pieces.pop(0) if pieces else b"", limit)


@pytest.mark.parametrize("size", [1, 7, 100_000])
@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        (TYPE, frame(PICTURE) * 2),
        ('Multipart/X-Mixed-Replace;Boundary="frame"', b"\r\n" + frame(PICTURE) * 2),
        ("multipart/x-mixed-replace; boundary=--frame", frame(PICTURE) * 2),
        (TYPE, frame(PICTURE, has_length=False) * 2),
        (TYPE, frame(PICTURE, has_length=False).replace(b"\r\n", b"\n") * 2),
        (TYPE, b"a preamble\r\n" + frame(PICTURE)),
    ],
)
def test_first_part_is_the_picture(content_type, body, size):
    assert first(body, content_type, size=size) == PICTURE


@pytest.mark.parametrize(
    ("content_type", "body", "error", "text"),
    [
        ("multipart/x-mixed-replace", frame(PICTURE), Rejected, "no boundary"),
        (TYPE, frame(PICTURE, size=10_001), Rejected, "above 10000"),
        (TYPE, frame(PICTURE, has_length=False) + bytes(20_000), Rejected, "no picture"),
        (TYPE, bytes(10_000), Rejected, "no picture"),
        (TYPE, b"--frame\r\nA: " + b"a" * 10_000, Rejected, "no picture"),
        (TYPE, frame(PICTURE)[:100], NoAnswer, "ended"),
        (TYPE, b"", NoAnswer, "ended"),
    ],
)
def test_anything_but_a_bounded_part_is_refused(content_type, body, error, text):
    with pytest.raises(error, match=text):
        first(body, content_type)


# ---------------------------------------------------------------- over HTTP


def test_stream_is_closed_after_one_picture(host):
    stream = MjpegStream()
    there = host(stream)

    assert fetch(HttpClient(there.address, {}, HERE), f"{there.address}/video") == PICTURE

    wait_for(lambda: stream.watchers == 0)
    assert stream.peak_watchers == 1


def test_stream_that_stalls_is_left(host, monkeypatch):
    monkeypatch.setattr(camera, "PICTURE_TIME", 0.3)
    stalled = threading.Event()
    there = host(MjpegStream(frame(PICTURE)[:200], stalled=stalled))

    with pytest.raises(NoAnswer, match="No whole answer"):
        fetch(HttpClient(there.address, {}, HERE), f"{there.address}/video")
    stalled.set()


@pytest.mark.parametrize("part", [frame(b"<html>"), frame(b""), frame(PICTURE, size=MAX_READ + 1)])
def test_stream_of_anything_else_is_rejected(host, part):
    there = host(MjpegStream(part))

    with pytest.raises(Rejected):
        fetch(HttpClient(there.address, {}, HERE), f"{there.address}/video")


def test_octoprint_without_a_snapshot_uses_its_stream(host):
    stream = MjpegStream()
    settings = answers(**{"/api/settings": {"webcam": {"streamUrl": "/video"}}})
    there = host(lambda handler: (stream if handler.path == "/video" else settings)(handler))

    assert OctoPrint(HttpClient(there.address, {}, HERE)).camera() == PICTURE


def test_moonraker_webcam_without_a_snapshot_uses_its_stream(host):
    stream = MjpegStream()
    webcams = [{"name": "a", "snapshot_url": "", "stream_url": "/video"}]
    listed = answers(**{"/server/webcams/list": {"result": {"webcams": webcams}}})
    there = host(lambda handler: (stream if handler.path == "/video" else listed)(handler))

    assert Moonraker(HttpClient(there.address, {}, HERE)).camera() == PICTURE
