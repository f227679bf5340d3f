"""Receivers of every kind of badness, seen from a bare socket: what they are sent, in which order.

The receiver here knows nothing of HTTP but where a request ends; it keeps the bytes.
"""

import json
import re
import socket
import threading
import time
from collections import defaultdict
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial
from itertools import pairwise
from urllib.parse import quote

import pytest
from django.conf import settings
from django.db import connection
from django.db.models import F

from apps.callbacks import interface as callbacks
from apps.callbacks.domain import statements
from apps.callbacks.domain.sender import run_once
from apps.callbacks.models import Delivery, Outcome
from core.outbound import http
from tests.callbacks.conftest import URI, receive, skip_interval, uri_of
from tests.waiting import wait_for

OK = b"HTTP/1.1 204 No Content\r\n\r\n"
ENOUGH = 1.5  # seconds that a request may take to one who hangs
REFUSALS = 25
RESOURCES = [uri_of(number) for number in range(3)]
STATES = ["queued", "processing", "processed"]


class Socket:
    """A receiver of bytes: `behave(connection)` is called once a request has come."""

    def __init__(self, server, behave):
        self.server, self.behave = server, behave
        self.url = f"http://127.0.0.1:{server.getsockname()[1]}"
        self.requests: list[bytes] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        with suppress(OSError):  # closed: the test is over
            while True:
                accepted, _ = self.server.accept()
                threading.Thread(target=self._take, args=(accepted,), daemon=True).start()

    def _take(self, accepted):
        with accepted, suppress(OSError):
            request = b""
            while not complete(request):
                received = accepted.recv(65536)
                if not received:
                    return
                request += received
            self.requests.append(request)
            self.behave(accepted)

    def told(self):
        """(uri, status, attempt) of each request, in the order of their arrival."""
        return [
            (*json.loads(body).values(), headers["webhook-attempt"])
            for _, headers, body in map(parts, self.requests)
        ]


def parts(request):
    """The first line of a request, its headers, its body."""
    head, _, body = request.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin1").split("\r\n")
    return first, dict(line.split(": ", 1) for line in lines), body


def complete(request):
    head, end, body = request.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)^content-length: (\d+)", head, re.MULTILINE)
    return bool(end) and len(body) >= int(length[1] if length else 0)


@contextmanager
def listen(behave, port=0):
    with socket.create_server(("127.0.0.1", port), backlog=64) as server:
        yield Socket(server, behave)
        server.shutdown(socket.SHUT_RDWR)  # or accept() goes on


def answer(content):
    return lambda accepted: accepted.sendall(content)


def status(number, *headers):
    return answer("\r\n".join([f"HTTP/1.1 {number} X", *headers, "", ""]).encode())


def hang(accepted):
    accepted.recv(1)  # returns when the sender gives up


def drip(content):
    def slowly(accepted):
        for byte in content:
            accepted.sendall(bytes([byte]))
            time.sleep(0.2)

    return slowly


def reset(accepted):
    """End as a process does that is killed with the request unread."""
    accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


def subscribe(owner, url, *, uri=URI, method="POST"):
    callbacks.subscribe(uri=uri, url=url, method=method, owner_id=owner.pk)


def emit(owner, *states, uri=URI):
    for state in states:
        callbacks.emit(uri=uri, owner_id=owner.pk, changes={"status": state})


def pass_interval():
    """As if the sender had been at work for an interval more."""
    skip_interval()
    interval = timedelta(seconds=settings.CALLBACK_INTERVAL)
    Delivery.objects.filter(state="pending").update(since=F("since") - interval)
    with connection.cursor() as cursor:
        cursor.execute(statements.TICK)


# ---------------------------------------------------------------- what is sent


# Beside those that are checked one by one, and the delivery's key in webhook-id.
ALWAYS = {
    "webhook-sequence": "1",
    "webhook-attempt": "1",
    "User-Agent": "manufacturing-platform/1",
    "Accept": "*/*",
}


def assert_signed_now(headers, url):
    """Take out and check what differs from request to request."""
    assert headers.pop("Host") == url.removeprefix("http://")
    assert headers.pop("webhook-id") == str(Delivery.objects.get().pk)
    assert abs(int(headers.pop("webhook-timestamp")) - time.time()) < 60
    assert re.fullmatch(r"v1,[A-Za-z0-9+/]{43}=", headers.pop("webhook-signature"))


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_callback_request_has_exactly_the_documented_bytes(owner, method):
    with listen(answer(OK)) as receiver:
        subscribe(owner, f"{receiver.url}/hook?order=17#part", method=method)
        emit(owner, "processed")
        run_once()

    (request,) = receiver.requests
    first, headers, body = parts(request)
    assert first == f"{method} /hook?order=17 HTTP/1.1"
    assert body == f'{{"uri":"{URI}","status":"processed"}}'.encode()
    assert_signed_now(headers, receiver.url)
    content = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    assert headers == ALWAYS | content


def test_get_callback_request_has_exactly_the_documented_bytes(owner):
    with listen(answer(OK)) as receiver:
        subscribe(owner, f"{receiver.url}/hook?order=17", method="GET")
        emit(owner, "processed")
        run_once()

    (request,) = receiver.requests
    first, headers, body = parts(request)
    told = f"uri={quote(URI, safe='')}&status=processed"
    assert (first, body) == (f"GET /hook?order=17&{told} HTTP/1.1", b"")
    assert_signed_now(headers, receiver.url)
    assert headers == ALWAYS


# ---------------------------------------------------------------- who misbehaves


@pytest.mark.parametrize(
    ("behave", "outcome"),
    [
        pytest.param(status(500), "500", id="fails"),
        pytest.param(status(429, "Retry-After: 3600"), "429", id="wants to be left alone"),
        pytest.param(hang, "timeout", id="hangs"),
        pytest.param(drip(OK * 9), "timeout", id="drips"),
        pytest.param(reset, "broken", id="is killed"),
        pytest.param(answer(b""), "broken", id="hangs up"),
        pytest.param(answer(b"\0\1\2\3 nonsense\r\n\r\n"), "broken", id="talks nonsense"),
        pytest.param(answer(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000), "broken", id="babbles"),
    ],
)
def test_deliveries_stay_ordered_and_complete_despite_misbehaving_receiver(
    owner, behave, outcome, monkeypatch
):
    with listen(behave) as receiver:
        for uri in RESOURCES:
            subscribe(owner, receiver.url, uri=uri)
            emit(owner, *STATES, uri=uri)
        with monkeypatch.context() as impatient:
            if outcome == "timeout":
                impatient.setattr(http, "send", partial(http.send, timeout=ENOUGH))
            attempts = run_once()
        assert set(Outcome.objects.values_list("outcome", flat=True)) == {outcome}
        receiver.behave = answer(OK)
        pass_interval()
        repeats = run_once()

    assert (attempts, repeats) == (9, 9)
    for uri in RESOURCES:
        told = [(state, attempt) for of, state, attempt in receiver.told() if of == uri]
        assert told == [(state, attempt) for attempt in "12" for state in STATES]
    assert set(Delivery.objects.values_list("state", flat=True)) == {"delivered"}
    bodies = defaultdict(set)
    for _, headers, body in map(parts, receiver.requests):
        bodies[headers["webhook-id"]].add(body)
    assert [len(told) for told in bodies.values()] == [1] * 9


@pytest.mark.parametrize("number", [301, 302, 303, 307, 308])
def test_redirect_counts_as_failed_attempt_and_is_not_followed(owner, number):
    with receive() as elsewhere, listen(status(number, f"Location: {elsewhere.url}")) as receiver:
        subscribe(owner, receiver.url)
        emit(owner, "processed")
        run_once()
        receiver.behave = answer(OK)
        pass_interval()
        run_once()

    assert receiver.told() == [(URI, "processed", "1"), (URI, "processed", "2")]
    assert elsewhere.requests == []


@pytest.mark.parametrize(
    "body", [b"x" * 1_000_000, b"\0\xff\r\n\r\n", b"Content-Encoding: gzip"], ids=len
)
def test_response_status_decides_regardless_of_response_body(owner, body):
    with listen(answer(b"HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n" + body)) as receiver:
        subscribe(owner, receiver.url)
        emit(owner, "processed")
        run_once()

    assert Delivery.objects.get().state == "delivered"
    assert len(receiver.requests) == 1
    assert len(Outcome.objects.get().response_head) <= 1024


def test_events_are_delivered_in_order_after_many_failed_attempts(owner, settings):
    settings.CALLBACK_INTERVAL = 600  # none of them really passes while this runs
    with listen(status(500)) as receiver:
        for uri in RESOURCES:
            subscribe(owner, receiver.url, uri=uri)
            emit(owner, *STATES, uri=uri)
        for _ in range(REFUSALS):
            assert run_once() == 9
            pass_interval()
        receiver.behave = answer(OK)
        emit(owner, "replaced", uri=RESOURCES[0])

        assert run_once() == 10

    assert set(Delivery.objects.values_list("state", flat=True)) == {"delivered"}
    counts = Outcome.objects.filter(outcome="500").values_list("count", flat=True)
    assert list(counts) == [REFUSALS] * 9
    for uri in RESOURCES:
        told = [state for of, state, attempt in receiver.told() if of == uri and attempt == "1"]
        assert told == [*STATES, *(["replaced"] if uri == RESOURCES[0] else [])]
        repeats = [int(attempt) for of, state, attempt in receiver.told() if state == STATES[0]]
        assert sorted(repeats) == sorted([*range(1, REFUSALS + 2)] * 3)


def test_restarted_receiver_gets_every_event(owner, start_sender):
    taken = threading.Semaphore(40)

    def take_some(accepted):
        if taken.acquire(blocking=False):
            accepted.sendall(OK)
        else:
            reset(accepted)
            first.server.close()  # nobody listens any more

    uris = [uri_of(number) for number in range(60)]
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        first = Socket(server, take_some)
        port = server.getsockname()[1]
        for uri in uris:
            subscribe(owner, first.url, uri=uri)
            emit(owner, *STATES, uri=uri)
        start_sender(CALLBACK_INTERVAL="1")
        wait_for(lambda: server.fileno() == -1)
    time.sleep(1)

    with listen(answer(OK), port) as second:
        wait_for(lambda: not Delivery.objects.filter(state="pending").exists())

    assert set(Delivery.objects.values_list("state", flat=True)) == {"delivered"}
    heard = [
        (of, STATES.index(state), attempt) for of, state, attempt in [*first.told(), *second.told()]
    ]
    assert {(of, place) for of, place, _ in heard} == {(of, n) for of in uris for n in range(3)}
    for uri in uris:  # a first attempt may have died on its way, with who was killed
        order = [place for of, place, attempt in heard if of == uri and attempt == "1"]
        assert all(one < later for one, later in pairwise(order)), order
