"""The pieces that a stream of events is made of, as Django answers them."""

import json

import pytest

from apps.callbacks import interface as callbacks
from apps.callbacks.views import events
from tests.callbacks.conftest import uri_of


@pytest.fixture
def api(client_of, owner):
    return client_of("callbacks", owner)


def emit(owner, *states):
    for number, state in enumerate(states):
        callbacks.emit(uri=uri_of(number), owner_id=owner.pk, changes={"status": state})


def positions(answer):
    return [json.loads(line)["position"] for line in answer.content.splitlines()]


def test_event_page_returns_position_of_the_next_page(api, owner, monkeypatch):
    monkeypatch.setattr(events, "MAX_EVENTS", 2)
    emit(owner, "processed", "error", "processed")

    first = api.get("/events/?after=0")
    second = api.get("/events/?after=0", HTTP_LAST_EVENT_ID=first["Last-Event-ID"])

    assert (positions(first), first["Last-Event-ID"]) == ([1, 2], "2")
    assert (positions(second), second["Last-Event-ID"]) == ([3], "3")


def test_filtered_event_page_advances_past_skipped_events(api, owner):
    emit(owner, "processed", "error", "error")

    answer = api.get("/events/?after=0&type=model.processed")

    assert (positions(answer), answer["Last-Event-ID"]) == ([1], "3")


def test_event_stream_without_position_starts_at_the_newest_event(api, owner):
    emit(owner, "processed")

    answer = api.get("/events/")

    assert (answer.content, answer["Last-Event-ID"]) == (b"", "1")


def test_server_sent_event_id_is_its_position(api, owner):
    emit(owner, "processed")

    number, data, end = api.get("/events/?after=0", HTTP_ACCEPT="text/event-stream").content.split(
        b"\n", 2
    )

    assert (number, end) == (b"id: 1", b"\n")
    assert json.loads(data.removeprefix(b"data: "))["uri"] == uri_of(0)


def test_event_stream_excludes_events_of_other_accounts(client_of, owner, stranger):
    emit(owner, "processed")

    assert client_of("callbacks", stranger).get("/events/?after=0").content == b""
