"""Streams of events: followed, resumed, refused, and ended, over HTTP."""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import pytest
import requests

from project.event_streams import TIMEOUT
from tests.live.client import Client, ball
from tests.live.processes import DOMAIN, Platform, browser, kill, wait_for

pytestmark = pytest.mark.live

DATA = ball(10)
# 40 MB of them: more than the sockets' own buffers hold.
MANY_EVENTS = """
    WITH counter AS (
        UPDATE callbacks_eventcounter SET last = last + 2000 WHERE owner_id = %s
        RETURNING owner_id, last - 2000 AS before
    )
    INSERT INTO callbacks_event (uuid, owner_id, position, seq, uri, type, body)
    SELECT gen_random_uuid(), owner_id, before + n, n, owner_id::text, 'model.processed',
        json_build_object('uri', 'x', 'status', repeat('x', 20000))
    FROM counter, generate_series(1, 2000) AS n
    RETURNING 1
"""
SERVER_SENT = {"Accept": "text/event-stream"}


@contextmanager
def follow(
    client: Client, query: str = "", host: str = "models", **options: Any
) -> Iterator[tuple[Any, Iterator[str]]]:
    """An open stream of the client's events: its headers, and its lines as they come."""
    url = client.platform.url(f"{host}/events/{query}")
    with client.session.get(url, stream=True, timeout=60, **options) as answer:
        assert answer.status_code == 200, answer.text
        yield answer.headers, (line.decode() for line in answer.iter_lines(chunk_size=1))


def events(lines: Iterator[str], count: int) -> list[dict[str, Any]]:
    """The next so many events."""
    return [json.loads(line) for line in islice(filter(None, lines), count)]


def until_sliced(lines: Iterator[str]) -> Iterator[str]:
    """The lines up to that which says that the slice has ended."""
    for line in filter(None, lines):
        yield line
        if '"slice.processed"' in line:
            return


def names(found: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(event["uri"], event["type"]) for event in found]


@pytest.fixture
def someone(platform: Platform) -> Client:
    """A new account."""
    return Client(platform)


def test_event_stream_contains_new_events_of_own_resources_only(client: Client, someone: Client):
    before = someone.model(DATA)
    someone.settled(before)
    wait_for(lambda: someone.read(before)["snapshot_content"])
    with follow(someone, "?type=model.*,snapshot.error") as (headers, lines):
        assert headers["Content-Type"] == "application/x-ndjson"
        assert next(lines) == ""  # a sign of life, at once

        foreign = client.model(DATA)
        own = someone.model(DATA)

        (event,) = events(lines, 1)
    assert event | {"created": None} == {
        "position": 3,
        "type": "model.processed",
        "uri": own,
        "sequence": 1,
        "created": None,
        "changes": {"status": "processed", "analyses.manifold": True},
    }
    assert client.settled(foreign)["status"] == "processed"


def test_event_stream_resumes_after_the_last_event_id(someone: Client):
    models = [someone.model(DATA)]
    with follow(someone, "?after=0&type=model.processed", headers=SERVER_SENT) as (headers, lines):
        assert headers["Content-Type"] == "text/event-stream"
        told = (line for line in lines if line not in ("", ":"))
        number = next(told).removeprefix("id: ")
        assert json.loads(next(told).removeprefix("data: "))["uri"] == models[0]
    models += [someone.model(DATA) for _ in range(3)]
    for model in models:
        someone.settled(model)

    back = {"Last-Event-ID": number}
    with follow(someone, "?after=0&type=model.*", "slicing", headers=back) as (_, lines):
        found = events(lines, 3)

    assert sorted(names(found)) == sorted((model, "model.processed") for model in models[1:])
    positions = [event["position"] for event in found]
    assert positions == sorted(positions)
    assert positions[0] > int(number)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("?type=model.melted", "type"),
        ("?after=x", "after"),
        ("?after=9", "after"),
        ("?of=1", "of"),
        ("?progress=1", "progress"),
    ],
)
def test_invalid_event_stream_query_is_rejected(someone: Client, query: str, field: str):
    answer = someone.ask("GET", f"models/events/{query}", 400)

    assert [error["field"] for error in answer.json()["errors"]] == [field]


def test_progress_events_are_streamed_only_on_request(someone: Client):
    model = someone.model(ball(10, bumps=7))  # nobody else has one: its slice is not there yet
    someone.settled(model)
    config = someone.config()
    with (
        follow(someone, "?type=slice.*&progress=true") as (headers, told),
        follow(someone, "?type=slice.*") as (_, others),
    ):
        assert "Progress-Of" not in headers
        uri = someone.ask("POST", "slicing/slice/", 201, json={"model": model, "config": config})
        uri = uri.headers["Location"]
        found = [json.loads(line) for line in until_sliced(told)]
        plain = [json.loads(line) for line in until_sliced(others)]

    lines = [line for line in found if line["type"] == "slice.progress"]
    assert lines
    for line in lines:
        assert line.keys() == {"type", "uri", "changes"}
        assert line["uri"] == uri
        assert 0 <= line["changes"]["progress"] <= 1
    assert [line for line in found if line not in lines] == plain


def test_event_stream_requires_credentials(platform: Platform):
    answer = browser().get(platform.url("models/events/"), timeout=60)

    assert answer.status_code == 401
    assert answer.json()["errors"][0]["code"] == "no-credentials-provided"


def test_member_receives_events_of_the_bureau(client: Client, someone: Client):
    bureau = client.ask("POST", "erp/bureau/", 201, json={"name": "Both"}).headers["Location"]
    user = someone.ask("GET", "users/users/", 200).json()["resources"][0]["uri"]
    joining = {"bureau": bureau, "user": user}
    client.ask("POST", "erp/membership-bureau/", 201, json=joining)
    wanted = {"bureau": bureau, "name": "Ours", "quantity": 1, "no_model_upload": True}
    with follow(someone, f"?bureau={bureau}&type=line-item.*", host="erp") as (headers, lines):
        assert "Heard-By" not in headers
        assert next(lines) == ""

        made = client.ask("POST", "erp/line-item/", 201, json=wanted).headers["Location"]

        event = events(lines, 1)[0]
    assert (event["uri"], event["type"].partition(".")[0]) == (made, "line-item")


@pytest.mark.single("each web process counts its own streams")
def test_account_has_at_most_ten_event_streams(someone: Client):
    url = someone.platform.url("users/events/")
    opened = [someone.session.get(url, stream=True, timeout=60) for _ in range(11)]

    assert [answer.status_code for answer in opened] == [200] * 10 + [429]
    (error,) = opened[10].json()["errors"]
    assert error["code"] == "rate-limited"
    assert error["details"] == {"limit": "streams", "most": 10, "used": 10}
    assert opened[10].headers["Retry-After"] == "60"
    for answer in opened:
        answer.close()
    wait_for(lambda: someone.session.get(url, stream=True, timeout=60).status_code == 200)


def test_event_stream_ends_when_its_token_is_revoked(someone: Client):
    (token,) = someone.ask("GET", "users/api_tokens/", 200).json()["resources"]
    with follow(someone) as (_, lines):
        someone.ask("DELETE", token["uri"], 204)

        last = [line for line in lines if line]

    assert [json.loads(line)["errors"][0]["code"] for line in last] == ["invalid-credentials"]


def test_event_stream_has_cors_headers_for_the_platform_origin(someone: Client):
    origin = f"http://{DOMAIN}:{someone.platform.port}"
    with follow(someone, headers={"Origin": origin}) as (headers, _):
        assert headers["Access-Control-Allow-Origin"] == origin
        assert headers["Access-Control-Allow-Credentials"] == "true"
        assert headers["Request-ID"]
        assert "Events-Of" not in headers


@pytest.mark.single("it kills the database")
def test_event_stream_survives_a_database_restart(platform: Platform, someone: Client):
    with follow(someone, "?type=model.*") as (_, lines):
        assert next(lines) == ""
        account, old = platform.url("users/sessions/"), platform.postmaster()
        kill(old)
        wait_for(lambda: platform.postmaster() != old and someone.can_read(account))
        model = someone.model(DATA)

        assert names(events(lines, 1)) == [(model, "model.processed")]


def test_event_stream_of_a_client_that_does_not_read_is_closed(platform: Platform, someone: Client):
    someone.settled(someone.model(DATA))
    owner = someone.ask("GET", "users/sessions/", 200).json()["uuid"]
    platform.ask(MANY_EVENTS, owner)
    request = requests.Request("GET", platform.url("models/events/?after=0"))
    credentials = someone.session.prepare_request(request).headers["Authorization"]
    head = f"GET /events/?after=0 HTTP/1.1\r\nHost: models.{DOMAIN}\r\n"
    with socket.create_connection(("127.0.0.1", platform.port)) as deaf:
        deaf.sendall(f"{head}Authorization: {credentials}\r\n\r\n".encode())
        time.sleep(TIMEOUT + 3)

        taken = 0
        while data := deaf.recv(1 << 20):
            taken += len(data)

    assert 0 < taken < 20_000_000


@pytest.mark.single("it ends web")
def test_event_stream_ends_cleanly_when_the_web_process_terminates(
    platform: Platform, someone: Client
):
    with follow(someone) as (_, lines):
        assert next(lines) == ""
        platform.program("project.asgi:application")[0].terminate()

        assert [line for line in lines if line] == []
    wait_for(platform.answers)
