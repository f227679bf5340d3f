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


def test_form_upload_stores_a_file_like_put(location):
    first = ask("POST", location, FORM, form(FILE))
    again = ask("POST", location, FORM, form(FILE))
    other = ask("POST", location, FORM, form((FILE[0], DATA[1:])))

    assert (first.status, again.status) == (204, 204)
    assert other.rejection == (409, "content-exists")
    assert stored() == [hashlib.sha256(DATA).hexdigest()]
    assert incoming() == []


def test_form_upload_redirects_to_the_signed_page(created):
    key = UUID(created.json()["uri"].split("/")[-2])
    location = upload_url("model", key, then=PAGE)

    answer = ask("POST", location, FORM, form(FILE))

    assert (answer.status, answer.headers["location"]) == (303, PAGE)
    elsewhere = location.replace("shop.", "evil.")
    assert ask("POST", elsewhere, FORM, form(FILE)).rejection == (403, "SignatureDoesNotMatch")


def test_redirect_page_cannot_be_added_to_a_signed_upload_url(location):
    answer = ask("POST", f"{location}&then=http://evil.example/", FORM, form(FILE))

    assert answer.rejection == (403, "SignatureDoesNotMatch")


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
def test_form_without_exactly_one_file_is_rejected(location, body, code, words):
    answer = ask("POST", location, FORM, body)

    assert answer.rejection == (400, code)
    assert words in answer.body.decode()
    assert (stored(), incoming()) == ([], [])


def test_post_with_unsigned_content_type_is_rejected(location):
    for headers in ({}, OCTETS, {"Content-Type": "application/x-www-form-urlencoded"}):
        assert ask("POST", location, headers, DATA).rejection == (403, "SignatureDoesNotMatch")


def test_form_upload_has_the_same_size_limit(settings, files_host, models):
    settings.MAX_UPLOAD = 100
    location = models.post("/model/", {"name": "a"})["X-Upload-Location"]

    assert ask("POST", location, FORM, form((FILE[0], bytes(101)))).rejection[0] == 413
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
    return [answer.rejection for answer in asked]


def test_upload_url_of_deleted_account_is_expired(location, client_of, operator, person):
    assert piece(location, 0, DATA[:10]).status == 204

    assert client_of("users", operator).delete(person.uri).status_code == 204

    assert every_way(location) == [(403, "location-expired")] * 5
    assert stored() == []


def test_upload_url_of_deleted_resource_is_expired(files_host, client_of, person):
    for host, path in (("models", "/model/"), ("slicing", "/gcode/")):
        client = client_of(host, person)
        created = client.post(path, {"name": "a"})
        client.delete(created["Location"])

        assert every_way(created["X-Upload-Location"]) == [(403, "location-expired")] * 5
    assert stored() == []


def test_expired_upload_url_is_rejected_before_the_body_is_read(location, models, created):
    models.delete(created["Location"])

    # Its body is not there: who read it first would say that it broke off.
    assert ask("PUT", location, {**OCTETS, "Content-Length": 10**6}).rejection[0] == 403


@pytest.mark.parametrize(("length", "read"), [(3000, 3), (64 * 1024**2, 0)])
def test_only_small_rejected_body_is_read_to_its_end(length, read):
    """Bytes that nobody read would have the connection reset, and the answer with it."""
    pieces = iter([True, True, False])
    taken = []

    async def receive():
        taken.append(next(pieces))
        return {"type": "http.request", "body": b"x", "more_body": taken[-1]}

    assert asyncio.run(refused(length, receive)) == 404
    assert len(taken) == read


def test_rejected_request_does_not_wait_for_a_stalled_body():
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
def test_openapi_document_describes_upload_url_of_file_resources(
    client_of, db, host, path, described
):
    document = client_of(host).get("/openapi.json").json()

    headers = document["paths"][path]["post"]["responses"]["201"]["headers"]
    assert ("tus 1.0" in str(headers.get("X-Upload-Location"))) == described
