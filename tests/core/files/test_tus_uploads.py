"""Uploads in pieces: what the `files.` host answers, and what lies there then."""

import hashlib
import os
import random
import time
from base64 import b64encode
from datetime import timedelta

import pytest

from core.actors import clean_up
from core.files import pending_uploads
from tests.files_host import FORM, OCTETS, PIECE, TUS, ask, head, incoming, piece, stored

DATA = random.Random(7).randbytes(3000)


def test_options_lists_tus_capabilities(location):
    answer = ask("OPTIONS", location, {})

    assert (answer.status, answer.headers["tus-version"]) == (204, "1.0.0")
    assert answer.headers["tus-extension"] == "checksum,expiration,termination"
    assert answer.headers["tus-checksum-algorithm"] == "sha1,sha256"
    assert answer.headers["tus-max-size"] == str(1024**3)


def test_cors_preflight_allows_tus_from_any_origin(location):
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


def test_file_is_uploaded_in_chunks_with_deferred_length(location, models, created):
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


def test_chunk_response_has_expiry_and_protocol_version(location):
    answer = piece(location, 0, b"a")

    expires = time.mktime(
        time.strptime(answer.headers["upload-expires"], "%a, %d %b %Y %H:%M:%S GMT")
    )
    assert expires - time.mktime(time.gmtime()) == pytest.approx(24 * 3600, abs=60)
    assert answer.headers["tus-resumable"] == "1.0.0"
    assert ask("HEAD", location, TUS).headers["cache-control"] == "no-store"


@pytest.mark.parametrize("method", ["HEAD", "PATCH", "DELETE"])
def test_unsupported_tus_version_is_rejected(location, method):
    for version in ("", "0.2.2"):
        said = {**PIECE, "Upload-Offset": 0, "Tus-Resumable": version}

        answer = ask(method, location, said, b"a")

        assert answer.rejection == (412, "unsupported-version")
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
def test_invalid_chunk_is_rejected_and_stores_nothing(location, headers, status, code):
    answer = ask("PATCH", location, {**PIECE, "Upload-Offset": 0, **headers}, b"abc")

    assert answer.rejection == (status, code)
    assert head(location)[1] == "0"


def test_chunk_without_offset_is_rejected(location):
    assert ask("PATCH", location, PIECE, b"abc").rejection == (400, "missing-parameter")


def test_upload_length_is_fixed_and_not_below_received_bytes(location):
    piece(location, 0, b"abcdef")
    short = piece(location, 6, b"", Upload_Length=5)
    piece(location, 6, b"", Upload_Length=9)
    other = piece(location, 6, b"", Upload_Length=10)
    beyond = piece(location, 6, b"ghij")

    assert short.rejection == (400, "property-value-not-in-allowed-values")
    assert other.rejection == (400, "cannot-set-property")
    assert beyond.rejection == (413, "payload-too-large")
    assert head(location) == (200, "6", "9")


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_chunk_with_wrong_checksum_is_not_stored(location, algorithm):
    def said(data: bytes) -> str:
        return f"{algorithm} {b64encode(hashlib.new(algorithm, data).digest()).decode()}"

    right = piece(location, 0, b"abc", Upload_Checksum=said(b"abc"))
    wrong = piece(location, 3, b"dEf", Upload_Checksum=said(b"def"))

    assert (right.status, wrong.rejection) == (204, (460, "checksum-mismatch"))
    assert head(location) == (200, "3", None)
    assert [name[:7] for name in incoming()] == ["pieces-"]


def test_deleted_partial_upload_can_be_restarted(location):
    piece(location, 0, DATA[:100], Upload_Length=100_000)

    ended = ask("DELETE", location, TUS)

    assert (ended.status, incoming()) == (204, [])
    assert head(location) == (200, "0", None)
    assert ask("PUT", location, OCTETS, DATA).status == 204
    assert ask("DELETE", location, TUS).rejection == (409, "content-exists")


@pytest.mark.django_db(transaction=True)
def test_account_has_a_bounded_number_of_unfinished_uploads(models, monkeypatch):
    monkeypatch.setattr(pending_uploads, "MAX_UNFINISHED", 2)

    def location() -> str:
        return models.post("/model/", {"name": "part"}).headers["X-Upload-Location"]

    first, second, third = location(), location(), location()
    assert piece(first, 0, DATA[:1000]).status == 204
    assert piece(second, 0, DATA[:1000]).status == 204

    assert piece(third, 0, DATA[:1000]).rejection == (409, "limit-reached")
    assert piece(first, 1000, DATA[1000:2000]).status == 204
    assert piece(first, 2000, DATA[2000:], Upload_Length=len(DATA)).status == 204
    assert piece(third, 0, DATA[:1000]).status == 204


@pytest.mark.django_db(transaction=True)
def test_partial_upload_is_removed_with_its_model(location, models, created):
    piece(location, 0, DATA[:1000])
    assert incoming() != []

    assert models.delete(created["Location"]).status_code == 204

    assert incoming() == []


def test_put_of_whole_file_replaces_partial_upload(location):
    piece(location, 0, b"abc", Upload_Length=6)

    assert ask("PUT", location, OCTETS, DATA).status == 204

    assert head(location) == (200, "3000", "3000")
    assert piece(location, 3, b"def").rejection == (409, "offset-mismatch")
    assert stored() == [hashlib.sha256(DATA).hexdigest()]
    assert incoming() == []


def test_chunked_reupload_of_same_file_is_accepted_and_of_other_rejected(location):
    ask("PUT", location, OCTETS, DATA)

    same = piece(location, 0, DATA, Upload_Length=len(DATA))
    other = piece(location, 0, b"abc", Upload_Length=3)

    assert (same.progress[:2], other.rejection) == ((204, "3000"), (409, "content-exists"))
    assert head(location) == (200, "3000", "3000")
    assert incoming() == []


def test_concurrent_chunk_and_delete_are_rejected_as_locked(location, files_host):
    with files_host(location).locked():
        answers = [piece(location, 0, b"abc"), ask("DELETE", location, TUS)]

    assert [answer.rejection for answer in answers] == [(423, "upload-locked")] * 2
    assert answers[0].headers["retry-after"] == "5"
    assert piece(location, 0, b"abc").status == 204


def test_complete_upload_is_stored_by_head_request_after_crash(location, files_host):
    pieces = files_host(location)
    with pieces.locked():  # all has arrived, and then the process was killed
        pieces.path.write_bytes(DATA)
        pieces.fix_length(len(DATA))

    assert head(location) == (200, "3000", "3000")

    assert stored() == [hashlib.sha256(DATA).hexdigest()]
    assert incoming() == []


def test_method_override_header_allows_patch_by_post(location):
    named = {**PIECE, "Upload-Offset": 0, "X-HTTP-Method-Override": "PATCH"}

    assert ask("POST", location, named, b"abc").progress[:2] == (204, "3")


@pytest.mark.parametrize("method", ["OPTIONS", "HEAD", "PATCH", "DELETE", "PUT", "POST"])
def test_invalid_signature_is_rejected_for_every_method(location, method):
    types = {"PUT": OCTETS, "POST": FORM}
    headers = {**PIECE, "Upload-Offset": 0, **types.get(method, {})}

    answer = ask(method, location.replace("max=", "max=9"), headers, b"abc")

    assert answer.rejection == (403, "SignatureDoesNotMatch")
    assert incoming() == []


def test_chunk_is_rejected_when_disk_reserve_is_reached(location, settings):
    piece(location, 0, b"abc")
    settings.DISK_RESERVE = 1 << 60

    assert piece(location, 3, b"def").rejection == (507, "storage-full")

    assert head(location) == (200, "3", None)


def test_gcode_is_uploaded_in_chunks(files_host, client_of, person):
    slicing = client_of("slicing", person)
    created = slicing.post("/gcode/", {"name": "a"})
    location = created["X-Upload-Location"]

    piece(location, 0, b"G1 X1 E1\n")
    piece(location, 9, b"G1 Y1 E1\n", Upload_Length=18)

    gcode = slicing.get(created["Location"]).json()
    assert (gcode["status"], gcode["file_size"]) == ("processing", 18)


def test_maintenance_removes_partial_uploads_that_cannot_complete(files_host, models, settings):
    gone, old, young = [models.post("/model/", {"name": "a"}) for _ in range(3)]
    for created in (gone, old, young):
        piece(created["X-Upload-Location"], 0, b"abc")
    models.delete(gone["Location"])
    pieces = files_host(old["X-Upload-Location"])
    long_ago = time.time() - (settings.UPLOAD_EXPIRY + timedelta(minutes=1)).total_seconds()
    for path in (*pieces.folder.iterdir(), pieces.folder):
        os.utime(path, (long_ago, long_ago))

    clean_up.fn()

    assert incoming() == [files_host(young["X-Upload-Location"]).folder.name]
    assert head(young["X-Upload-Location"]) == (200, "3", None)
