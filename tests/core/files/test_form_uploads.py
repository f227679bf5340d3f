"""Uploads by forms, and to locations that are dead: what the `files.` host answers."""

import asyncio
import hashlib
import random
from uuid import UUID

import pytest

from core.files.signed_urls import upload_url
from files_host.app import files
from tests.files_host import FORM, OCTETS, TUS, ask, form, incoming, piece, stored

DATA = random.Random(7).randbytes(3000)
PAGE = "http://shop.platform.test/thanks?order=17&part=a%20b"
FILE = ('name="file"; filename="a.stl"', DATA)


def test_a_form_brings_a_file_as_a_put_does(location):
    first = ask("POST", location, FORM, form(FILE))
    again = ask("POST", location, FORM, form(FILE))
    other = ask("POST", location, FORM, form((FILE[0], DATA[1:])))

    assert (first.status, again.status) == (204, 204)
    assert other.refusal == (409, "content-exists")
    assert stored() == [hashlib.sha256(DATA).hexdigest()]
    assert incoming() == []


def test_after_a_form_the_browser_is_led_to_the_page_that_was_signed(created):
    key = UUID(created.json()["uri"].split("/")[-2])
    location = upload_url("model", key, then=PAGE)

    answer = ask("POST", location, FORM, form(FILE))

    assert (answer.status, answer.headers["location"]) == (303, PAGE)
    elsewhere = location.replace("shop.", "evil.")
    assert ask("POST", elsewhere, FORM, form(FILE)).refusal == (403, "SignatureDoesNotMatch")


def test_no_page_can_be_added_to_a_location_that_was_signed_without(location):
    answer = ask("POST", f"{location}&then=http://evil.example/", FORM, form(FILE))

    assert answer.refusal == (403, "SignatureDoesNotMatch")


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (form(FILE, FILE), "invalid-payload", "several files"),
        (form(FILE, ('name="note"', b"x")), "invalid-payload", "the field 'note'"),
        (form(('name="file"; filename=""', b"")), "missing-parameter", "choose one first"),
        (form(), "missing-parameter", "choose one first"),
        (form(FILE)[:-30], "invalid-payload", "cannot be read"),
        (DATA, "invalid-payload", "cannot be read"),
    ],
)
def test_a_form_that_is_not_one_file_is_refused(location, body, code, words):
    answer = ask("POST", location, FORM, body)

    assert answer.refusal == (400, code)
    assert words in answer.body.decode()
    assert (stored(), incoming()) == ([], [])


def test_a_form_of_another_type_is_refused_as_a_put_is(location):
    for headers in ({}, OCTETS, {"Content-Type": "application/x-www-form-urlencoded"}):
        assert ask("POST", location, headers, DATA).refusal == (403, "SignatureDoesNotMatch")


def test_a_file_in_a_form_is_as_large_as_any_other(settings, files_host, models):
    settings.MAX_UPLOAD = 100
    location = models.post("/model/", {"name": "a"})["X-Upload-Location"]

    assert ask("POST", location, FORM, form((FILE[0], bytes(101)))).refusal[0] == 413
    assert ask("POST", location, FORM, form((FILE[0], bytes(100)))).status == 204


# ---------------------------------------------------------------- dead locations


def every_way(location: str) -> list[tuple[int, str | None]]:
    """How a location answers who uses it in each way: status and code; HEAD's has a code too."""
    asked = [
        ask("PUT", location, OCTETS, DATA),
        ask("POST", location, FORM, form(FILE)),
        piece(location, 0, DATA, Upload_Length=len(DATA)),
        ask("HEAD", location, TUS),
        ask("DELETE", location, TUS),
    ]
    return [answer.refusal for answer in asked]


def test_the_location_of_a_deleted_account_is_dead(location, client_of, operator, person):
    assert piece(location, 0, DATA[:10]).status == 204

    assert client_of("users", operator).delete(person.uri).status_code == 204

    assert every_way(location) == [(403, "location-expired")] * 5
    assert stored() == []


def test_the_location_of_a_deleted_resource_is_dead(files_host, client_of, person):
    for host, path in (("models", "/model/"), ("slicing", "/gcode/")):
        client = client_of(host, person)
        created = client.post(path, {"name": "a"})
        client.delete(created["Location"])

        assert every_way(created["X-Upload-Location"]) == [(403, "location-expired")] * 5
    assert stored() == []


def test_a_dead_location_is_refused_before_the_body_is_read(location, models, created):
    models.delete(created["Location"])

    # Its body is not there: who read it first would say that it broke off.
    assert ask("PUT", location, {**OCTETS, "Content-Length": 10**6}).refusal[0] == 403


@pytest.mark.parametrize(("length", "read"), [(3000, 3), (64 * 1024**2, 0)])
def test_a_small_body_that_is_refused_is_let_come_so_that_a_proxy_hears_why(length, read):
    """Bytes that nobody read would have the connection reset, and the answer with it."""
    pieces = iter([True, True, False])
    taken = []

    async def receive():
        taken.append(next(pieces))
        return {"type": "http.request", "body": b"x", "more_body": taken[-1]}

    assert asyncio.run(refused(length, receive)) == 404
    assert len(taken) == read


def test_a_body_that_does_not_come_is_not_waited_for():
    assert asyncio.run(refused(3000, asyncio.Event().wait)) == 404


async def refused(length: int, receive) -> int:
    """What is answered at a path where nothing is."""
    sent = []

    async def send(message):
        sent.append(message)

    headers = [(b"content-length", str(length).encode())]
    scope = {"type": "http", "method": "PUT", "path": "/nowhere", "headers": headers}
    await files({**scope, "query_string": b""}, receive, send)
    return sent[0]["status"]


@pytest.mark.parametrize(
    ("host", "path", "described"),
    [("models", "/model/", True), ("slicing", "/gcode/", True), ("slicing", "/slice/", False)],
)
def test_the_document_says_what_takes_a_file(client_of, db, host, path, described):
    document = client_of(host).get("/openapi.json").json()

    headers = document["paths"][path]["post"]["responses"]["201"]["headers"]
    assert ("tus 1.0" in str(headers.get("X-Upload-Location"))) == described
