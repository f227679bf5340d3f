"""A callback seen and told again, with nothing but the platform itself."""

import json

import pytest

from tests.live.client import Client, ball
from tests.live.processes import browser, wait_for

pytestmark = pytest.mark.live


def test_callback_reaches_a_sink_is_recorded_and_can_be_replayed(platform):
    client = Client(platform)
    sink = client.ask("POST", "callbacks/callback-sink/", 201).json()

    model = client.model(ball(10), hook=sink["url"])
    wait_for(lambda: client.read(sink["uri"])["requests"])
    (event,) = wait_for(
        lambda: [
            event
            for event in client.read(f"{model}events/")["resources"]
            if event["deliveries"][0]["state"] == "delivered"
        ]
    )
    client.ask("POST", f"{model}events/1/replay/", 202)
    first, again = wait_for(lambda: len(both := client.read(sink["uri"])["requests"]) == 2 and both)

    assert json.loads(first["body"]) == {"uri": model, **event["changes"]}
    assert first["body"] == again["body"]
    for request, attempt in ((first, "1"), (again, "2")):
        assert request["headers"]["webhook-id"] == event["deliveries"][0]["webhook_id"]
        assert request["headers"]["webhook-attempt"] == attempt


def test_sink_accepts_unauthenticated_requests(platform):
    client = Client(platform)
    sink = client.ask("POST", "callbacks/callback-sink/", 201).json()

    answer = browser().put(sink["url"] + "?a=b", data=b"hello", headers={"X-Order": "17"})

    (kept,) = client.read(sink["uri"])["requests"]
    assert answer.status_code == 200
    assert (kept["method"], kept["query"], kept["body"]) == ("PUT", "a=b", "hello")
    assert kept["headers"]["x-order"] == "17"
