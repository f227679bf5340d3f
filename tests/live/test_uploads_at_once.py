"""Two hundred files arrive at the same moment, and every one is judged and told.

The last of the live tests: pictures are drawn for minutes after the last verdict.
"""

import json
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.live.client import FINAL, Client, ball
from tests.live.processes import Platform, wait_for

pytestmark = pytest.mark.live

UPLOADS = 200
BROKEN = 20  # of them


def parts() -> list[bytes]:
    """Small files, no two of them equal, some of them cut off."""
    whole = [ball(6, bumps=number) for number in range(UPLOADS)]
    return [data[: -number - 50] if number < BROKEN else data for number, data in enumerate(whole)]


def told(heard) -> Counter:
    """How many events the receiver has heard of each model and state, a repeated one once."""
    events = {r.headers["webhook-id"]: json.loads(r.body) for r in list(heard.requests)}
    return Counter((body["uri"], body["status"]) for body in events.values())


def test_two_hundred_concurrent_uploads_are_analysed_and_reported_once(
    platform: Platform, client: Client, received_callbacks
):
    files = parts()
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: client.create_model(received_callbacks.url), files))
    start = threading.Barrier(UPLOADS)

    def upload(number: int) -> int:
        start.wait()
        return client.try_upload(made[number][1], files[number])

    with ThreadPoolExecutor(UPLOADS) as pool:
        answers = list(pool.map(upload, range(UPLOADS)))
    assert answers == [204] * UPLOADS
    wait_for(lambda: sum(told(received_callbacks).values()) == UPLOADS)

    states = {uri: client.read(uri)["status"] for uri, _ in made}
    assert set(states.values()) == set(FINAL)
    assert Counter(states.values())["error"] == BROKEN
    assert told(received_callbacks) == Counter(states.items())
