"""Reading the stream of events."""

import json
from itertools import islice

import pytest

from manufacturing import Refused, events
from tests.client.conftest import answer, cut


def line(position: int) -> bytes:
    return (
        json.dumps({"position": position, "type": "model.processed", "uri": "u"}).encode() + b"\n"
    )


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    monkeypatch.setattr(events, "PAUSE", 0)


def test_event_stream_resumes_after_the_last_position(wire, client):
    begun = b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n" + line(1) + b"\n" + line(2)[:9]
    wire.replies = [cut(begun), answer(503), answer(200, line(2) + line(3))]

    found = list(islice(client.events("model.*"), 3))

    assert [event["position"] for event in found] == [1, 2, 3]
    assert [path for _, path, _, _ in wire.asked] == [
        "/events/?type=model.%2A",
        "/events/?type=model.%2A&after=1",
        "/events/?type=model.%2A&after=1",
    ]


def test_event_stream_raises_api_errors(wire, client):
    wire.replies = [answer(401)]

    with pytest.raises(Refused):
        next(client.events())
