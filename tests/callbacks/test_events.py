"""Events: one for each change, numbered, and read without a gap while others are written."""

import threading

import pytest
from django.db import connection, transaction

from apps.callbacks import interface as callbacks
from apps.callbacks.models import Delivery, Event
from tests.callbacks.conftest import URI, uri_of
from tests.waiting import TIMEOUT


def emit(owner, status, *, uri=URI, **changes):
    callbacks.emit(uri=uri, owner_id=owner.pk, changes={"status": status, **changes})


def read(owner, position=0, limit=100, **options):
    return callbacks.events_after(owner_id=owner.pk, position=position, limit=limit, **options)


@pytest.fixture
def in_thread():
    """`in_thread(function)`: run it beside the test, on a connection of its own."""
    threads = []

    def start(function):
        def run():
            try:
                function()
            finally:
                connection.close()

        thread = threading.Thread(target=run)
        thread.start()
        threads.append(thread)
        return thread

    yield start
    for thread in threads:
        thread.join(10)


def test_change_emits_an_event_without_subscribers(owner):
    emit(owner, "processed", **{"analyses.manifold": True})

    (event,) = read(owner)
    assert (event.position, event.type, event.uri, event.seq) == (1, "model.processed", URI, 1)
    assert event.changes == {"status": "processed", "analyses.manifold": True}
    assert Delivery.objects.count() == 0


def test_event_type_is_derived_from_resource_kind(owner):
    emit(owner, "error", uri=f"{URI}snapshot/0195b3a0-0000-7000-8000-000000000002/")

    assert [event.type for event in read(owner)] == ["snapshot.error"]


def test_events_are_numbered_per_account_and_per_resource(owner):
    other = type(owner).objects.create(username="bob", name="Bob", email="bob@receiver.example")
    emit(owner, "processing", uri=uri_of(1))
    emit(other, "processing", uri=uri_of(2))
    emit(owner, "error", uri=uri_of(3))
    emit(owner, "processed", uri=uri_of(1))

    numbers = [(event.position, event.uri, event.seq) for event in read(owner)]
    assert numbers == [(1, uri_of(1), 1), (2, uri_of(3), 1), (3, uri_of(1), 2)]
    assert [event.position for event in read(other)] == [1]
    assert callbacks.last_position(owner_id=owner.pk) == 3


def test_events_are_read_in_pages_and_by_type(owner):
    for number in range(5):
        emit(owner, "processed", uri=uri_of(number))
        emit(owner, "error", uri=f"http://slicing.platform.test/slice/{number}/")

    assert [event.position for event in read(owner, 3, 4)] == [4, 5, 6, 7]
    assert [event.position for event in read(owner, types=["slice.*"])] == [2, 4, 6, 8, 10]
    assert [event.position for event in read(owner, 6, types=["model.processed"])] == [7, 9]
    assert read(owner, 10) == []


def test_rolled_back_event_leaves_no_gap(owner):
    emit(owner, "processing")
    with pytest.raises(RuntimeError), transaction.atomic():
        emit(owner, "error")
        raise RuntimeError
    emit(owner, "processed")

    assert [(event.position, event.seq, event.type) for event in read(owner)] == [
        (1, 1, "model.processing"),
        (2, 2, "model.processed"),
    ]


def test_event_is_not_readable_before_earlier_uncommitted_event(owner, in_thread):
    emitted, may_commit = threading.Event(), threading.Event()

    def slow():
        with transaction.atomic():
            emit(owner, "processing", uri=uri_of("slow"))
            emitted.set()
            may_commit.wait(TIMEOUT)

    slow_one = in_thread(slow)
    emitted.wait(TIMEOUT)
    quick_one = in_thread(lambda: emit(owner, "processing", uri=uri_of("quick")))
    quick_one.join(0.3)
    before = read(owner)
    may_commit.set()
    slow_one.join(TIMEOUT)
    quick_one.join(TIMEOUT)

    assert before == []
    assert [event.uri for event in read(owner)] == [uri_of("slow"), uri_of("quick")]


def test_concurrent_reader_misses_no_event(owner, in_thread):
    def write(name):
        for number in range(20):
            emit(owner, "processed", uri=uri_of(f"{name}-{number % 3}"))

    writers = [in_thread(lambda name=name: write(name)) for name in range(4)]
    positions = []
    while any(writer.is_alive() for writer in writers) or len(positions) < Event.objects.count():
        positions += [event.position for event in read(owner, positions[-1] if positions else 0)]

    assert positions == list(range(1, 81))


def test_committed_event_notifies_listeners(owner):
    connection.ensure_connection()
    heard = connection.connection
    heard.execute(f"LISTEN {callbacks.EVENT_CHANNEL}")

    emit(owner, "processed")

    (notice,) = heard.notifies(timeout=TIMEOUT, stop_after=1)
    heard.execute(f"UNLISTEN {callbacks.EVENT_CHANNEL}")
    assert (notice.channel, notice.payload) == ("events", str(owner.pk))
