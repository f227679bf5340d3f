"""Uploads in pieces, by forms, and to locations that are dead: what the `files.` host answers."""

import hashlib
import os
import random
import time
from base64 import b64encode
from datetime import timedelta
from uuid import UUID

import pytest

from core import blobs
from core.actors import keep_house
from core.locations import upload_location
from core.models import Blob
from project import uploads
from tests.files_host import OCTETS, PIECE, TUS, ask

DATA = random.Random(7).randbytes(3000)
PAGE = "http://shop.platform.test/thanks?order=17&part=a%20b"
BOUNDARY = "a-boundary"
FORM = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}


@pytest.fixture
def models(client_of, person):
    return client_of("models", person)


@pytest.fixture
def created(files_host, models):
    return models.post("/model/", {"name": "a"})


@pytest.fixture
def location(created) -> str:
    return created["X-Upload-Location"]


def piece(location: str, offset: int, data: bytes, **headers):
    """PATCH `data` at `offset`; `headers` by names with _."""
    own = {name.replace("_", "-"): value for name, value in headers.items()}
    return ask("PATCH", location, {**PIECE, "Upload-Offset": offset, **own}, data)


def head(location: str) -> tuple[int, str | None, str | None]:
    return ask("HEAD", location, TUS).progress


def incoming() -> list[str]:
    return [path.name for path in blobs.incoming_folder().iterdir()]


def stored() -> list[str]:
    return list(Blob.objects.values_list("pk", flat=True))


# ---------------------------------------------------------------- pieces


def test_a_location_tells_what_it_can(location):
    answer = ask("OPTIONS", location, {})

    assert (answer.status, answer.headers["tus-version"]) == (204, "1.0.0")
    assert answer.headers["tus-extension"] == "checksum,expiration,termination"
    assert answer.headers["tus-checksum-algorithm"] == "sha1,sha256"
    assert answer.headers["tus-max-size"] == str(1024**3)


def test_a_page_of_any_origin_may_send_pieces_and_read_how_far_they_came(location):
    asked = {"Origin": "https://a.example", "Access-Control-Request-Method": "PATCH"}

    answer = ask("OPTIONS", location, asked)

    headers = {
        name: answer.headers[f"access-control-{name}"]
        for name in ("allow-origin", "allow-methods", "allow-headers", "expose-headers")
    }
    assert (answer.status, headers["allow-origin"]) == (204, "*")
    assert {"HEAD", "PATCH", "DELETE", "POST"} <= set(headers["allow-methods"].split(", "))
    wanted = {"tus-resumable", "upload-offset", "upload-length", "upload-checksum"}
    assert wanted <= set(headers["allow-headers"].split(", "))
    assert {"upload-offset", "upload-length"} <= set(headers["expose-headers"].split(", "))


def test_a_file_comes_in_pieces_whose_length_any_of_them_may_bring(location, models, created):
    assert ask("HEAD", location, TUS).headers["upload-defer-length"] == "1"
    first = piece(location, 0, DATA[:1000])
    second = piece(location, 1000, DATA[1000:1001], Upload_Length=len(DATA))
    between = head(location)
    last = piece(location, 1001, DATA[1001:])

    assert [answer.progress[:2] for answer in (first, second, last)] == [
        (204, "1000"),
        (204, "1001"),
        (204, "3000"),
    ]
    assert between == (200, "1001", "3000")
    assert head(location) == (200, "3000", "3000")
    assert stored() == [hashlib.sha256(DATA).hexdigest()]
    assert models.get(created["Location"]).json()["file_size"] == len(DATA)
    assert incoming() == []


def test_an_answer_tells_until_when_and_for_which_version(location):
    answer = piece(location, 0, b"a")

    expires = time.mktime(
        time.strptime(answer.headers["upload-expires"], "%a, %d %b %Y %H:%M:%S GMT")
    )
    assert expires - time.mktime(time.gmtime()) == pytest.approx(24 * 3600, abs=60)
    assert answer.headers["tus-resumable"] == "1.0.0"
    assert ask("HEAD", location, TUS).headers["cache-control"] == "no-store"


@pytest.mark.parametrize("method", ["HEAD", "PATCH", "DELETE"])
def test_another_version_of_the_protocol_is_refused(location, method):
    for version in ("", "0.2.2"):
        said = {**PIECE, "Upload-Offset": 0, "Tus-Resumable": version}

        answer = ask(method, location, said, b"a")

        assert answer.refusal == (412, "unsupported-version")
        assert answer.headers["tus-version"] == "1.0.0"
    assert incoming() == []


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"Upload-Offset": 1}, 409, "offset-mismatch"),
        ({"Upload-Offset": -1}, 400, "type-validation-error"),
        ({"Upload-Offset": "²"}, 400, "type-validation-error"),
        ({"Upload-Length": 1024**3 + 1}, 413, "payload-too-large"),
        ({"Upload-Length": 2}, 413, "payload-too-large"),
        ({"Upload-Checksum": "md5 AAAA"}, 400, "invalid-request"),
        ({"Upload-Checksum": "sha256 no base64"}, 400, "invalid-request"),
        ({"Upload-Checksum": "sha256 AAAA"}, 460, "checksum-mismatch"),
        ({"Content-Type": "application/octet-stream"}, 415, "unsupported-media-type"),
    ],
)
def test_a_piece_that_does_not_fit_is_refused_and_leaves_nothing(location, headers, status, code):
    answer = ask("PATCH", location, {**PIECE, "Upload-Offset": 0, **headers}, b"abc")

    assert answer.refusal == (status, code)
    assert head(location)[1] == "0"


def test_a_piece_without_its_place_is_refused(location):
    assert ask("PATCH", location, PIECE, b"abc").refusal == (400, "missing-parameter")


def test_the_length_of_an_upload_never_changes_and_is_not_less_than_what_came(location):
    piece(location, 0, b"abcdef")
    short = piece(location, 6, b"", Upload_Length=5)
    piece(location, 6, b"", Upload_Length=9)
    other = piece(location, 6, b"", Upload_Length=10)
    beyond = piece(location, 6, b"ghij")

    assert short.refusal == (400, "property-value-not-in-allowed-values")
    assert other.refusal == (400, "cannot-set-property")
    assert beyond.refusal == (413, "payload-too-large")
    assert head(location) == (200, "6", "9")


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_a_piece_is_kept_as_its_checksum_says_or_not_at_all(location, algorithm):
    def said(data: bytes) -> str:
        return f"{algorithm} {b64encode(hashlib.new(algorithm, data).digest()).decode()}"

    right = piece(location, 0, b"abc", Upload_Checksum=said(b"abc"))
    wrong = piece(location, 3, b"dEf", Upload_Checksum=said(b"def"))

    assert (right.status, wrong.refusal) == (204, (460, "checksum-mismatch"))
    assert head(location) == (200, "3", None)
    assert [name[:7] for name in incoming()] == ["pieces-"]


def test_an_upload_is_ended_and_the_location_works_on(location):
    piece(location, 0, DATA[:100], Upload_Length=100_000)

    ended = ask("DELETE", location, TUS)

    assert (ended.status, incoming()) == (204, [])
    assert head(location) == (200, "0", None)
    assert ask("PUT", location, OCTETS, DATA).status == 204
    assert ask("DELETE", location, TUS).refusal == (409, "content-exists")


def test_a_whole_file_replaces_the_pieces(location):
    piece(location, 0, b"abc", Upload_Length=6)

    assert ask("PUT", location, OCTETS, DATA).status == 204

    assert head(location) == (200, "3000", "3000")
    assert piece(location, 3, b"def").refusal == (409, "offset-mismatch")
    assert stored() == [hashlib.sha256(DATA).hexdigest()]
    assert incoming() == []


def test_the_same_file_in_pieces_is_taken_again_and_another_is_not(location):
    ask("PUT", location, OCTETS, DATA)

    same = piece(location, 0, DATA, Upload_Length=len(DATA))
    other = piece(location, 0, b"abc", Upload_Length=3)

    assert (same.progress[:2], other.refusal) == ((204, "3000"), (409, "content-exists"))
    assert head(location) == (200, "3000", "3000")
    assert incoming() == []


def test_while_one_adds_to_an_upload_another_waits(location, files_host):
    with files_host(location).locked():
        answers = [piece(location, 0, b"abc"), ask("DELETE", location, TUS)]

    assert [answer.refusal for answer in answers] == [(423, "upload-locked")] * 2
    assert answers[0].headers["retry-after"] == "5"
    assert piece(location, 0, b"abc").status == 204


def test_what_a_crash_kept_from_being_handed_over_is_at_the_next_question(location, files_host):
    pieces = files_host(location)
    with pieces.locked():  # all has arrived, and then the process was killed
        pieces.path.write_bytes(DATA)
        pieces.fix_length(len(DATA))

    assert head(location) == (200, "3000", "3000")

    assert stored() == [hashlib.sha256(DATA).hexdigest()]
    assert incoming() == []


def test_a_client_whose_network_knows_no_patch_names_it_in_a_header(location):
    named = {**PIECE, "Upload-Offset": 0, "X-HTTP-Method-Override": "PATCH"}

    assert ask("POST", location, named, b"abc").progress[:2] == (204, "3")


@pytest.mark.parametrize("method", ["OPTIONS", "HEAD", "PATCH", "DELETE", "PUT", "POST"])
def test_the_signature_covers_every_method(location, method):
    types = {"PUT": OCTETS, "POST": FORM}
    headers = {**PIECE, "Upload-Offset": 0, **types.get(method, {})}

    answer = ask(method, location.replace("max=", "max=9"), headers, b"abc")

    assert answer.refusal == (403, "SignatureDoesNotMatch")
    assert incoming() == []


def test_no_piece_takes_the_reserve_of_the_disk(location, monkeypatch):
    piece(location, 0, b"abc")
    monkeypatch.setattr(uploads, "LEAST_FREE", 1 << 60)

    assert piece(location, 3, b"def").refusal == (507, "storage-full")

    assert head(location) == (200, "3", None)


def test_gcode_comes_in_pieces_too(files_host, client_of, person):
    slicing = client_of("slicing", person)
    created = slicing.post("/gcode/", {"name": "a"})
    location = created["X-Upload-Location"]

    piece(location, 0, b"G1 X1 E1\n")
    piece(location, 9, b"G1 Y1 E1\n", Upload_Length=18)

    gcode = slicing.get(created["Location"]).json()
    assert (gcode["status"], gcode["file_size"]) == ("processing", 18)


@pytest.mark.parametrize(
    ("host", "path", "described"),
    [("models", "/model/", True), ("slicing", "/gcode/", True), ("slicing", "/slice/", False)],
)
def test_the_document_says_what_takes_a_file(client_of, db, host, path, described):
    document = client_of(host).get("/openapi.json").json()

    headers = document["paths"][path]["post"]["responses"]["201"]["headers"]
    assert ("tus 1.0" in str(headers.get("X-Upload-Location"))) == described


# ---------------------------------------------------------------- forms


def form(*parts: tuple[str, bytes]) -> bytes:
    """The body of a form: of each part the rest of its Content-Disposition, and its bytes."""
    body = b"".join(
        f"--{BOUNDARY}\r\nContent-Disposition: form-data; {said}\r\n\r\n".encode() + data + b"\r\n"
        for said, data in parts
    )
    return body + f"--{BOUNDARY}--\r\n".encode()


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
    location = upload_location("model", key, then=PAGE)

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


def test_housekeeping_removes_the_pieces_that_nothing_can_complete(files_host, models, settings):
    gone, old, young = [models.post("/model/", {"name": "a"}) for _ in range(3)]
    for created in (gone, old, young):
        piece(created["X-Upload-Location"], 0, b"abc")
    models.delete(gone["Location"])
    pieces = files_host(old["X-Upload-Location"])
    long_ago = time.time() - (settings.UPLOAD_EXPIRY + timedelta(minutes=1)).total_seconds()
    for path in (pieces.path, pieces.folder):
        os.utime(path, (long_ago, long_ago))

    keep_house.fn()

    assert incoming() == [files_host(young["X-Upload-Location"]).folder.name]
    assert head(young["X-Upload-Location"]) == (200, "3", None)
