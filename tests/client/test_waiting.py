"""Waiting for work, by events and without them."""

import json

import pytest

from manufacturing import Client, Failed


class Work:
    """The other side: a resource, and the stream that tells of it."""

    def __init__(self, wire, *, stream: bool) -> None:
        self.wire, self.stream = wire, stream
        self.uri = f"http://models.wire.localhost:{wire.port}/model/1/"
        self.states = ["processing", "processed"]
        wire.replies = [self.reply]

    def reply(self, handler, _) -> None:
        if handler.path == "/events/":
            self.tell(handler)
        else:
            state = self.states[0] if len(self.states) == 1 else self.states.pop(0)
            row = {"uri": self.uri, "status": state, "errors": [{"code": "x", "title": "Open."}]}
            self.write(handler, 200, json.dumps(row).encode())

    def tell(self, handler) -> None:
        event = {"position": 1, "type": "model.processed", "uri": self.uri}
        self.write(handler, 200 if self.stream else 429, json.dumps(event).encode() + b"\n")

    def write(self, handler, status: int, body: bytes) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)


@pytest.mark.parametrize("stream", [True, False])
def test_wait_returns_the_processed_resource_with_and_without_events(wire, client: Client, stream):
    work = Work(wire, stream=stream)

    found = client.wait(work.uri)

    assert found["status"] == "processed"
    assert "/events/" in [path for _, path, *_ in wire.asked]


def test_wait_raises_failed_with_the_error_of_the_resource(wire, client: Client):
    work = Work(wire, stream=True)
    work.states = ["error"]

    with pytest.raises(Failed, match=r"model/1/ failed: Open\.") as error:
        client.wait(work.uri)

    assert error.value.resource["status"] == "error"


def test_wait_ends_at_its_timeout_or_at_the_given_states(wire, client: Client):
    work = Work(wire, stream=True)
    work.states = ["calculating"]

    with pytest.raises(TimeoutError, match="still calculating"):
        client.wait(work.uri, timeout=0)

    assert client.wait(work.uri, until=("calculating",))["status"] == "calculating"
