"""Uploads in pieces: what the `files.` host answers, and what lies there then."""

import hashlib
import os
import random
import time
from base64 import b64encode
from datetime import timedelta

import pytest

from core.actors import clean_up
from tests.files_host import FORM, OCTETS, PIECE, TUS, ask, head, incoming, piece, stored

DATA = random.Random(7).randbytes(3000)


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


def test_no_piece_takes_the_reserve_of_the_disk(location, settings):
    piece(location, 0, b"abc")
    settings.DISK_RESERVE = 1 << 60

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


def test_housekeeping_removes_the_pieces_that_nothing_can_complete(files_host, models, settings):
    gone, old, young = [models.post("/model/", {"name": "a"}) for _ in range(3)]
    for created in (gone, old, young):
        piece(created["X-Upload-Location"], 0, b"abc")
    models.delete(gone["Location"])
    pieces = files_host(old["X-Upload-Location"])
    long_ago = time.time() - (settings.UPLOAD_EXPIRY + timedelta(minutes=1)).total_seconds()
    for path in (pieces.path, pieces.folder):
        os.utime(path, (long_ago, long_ago))

    clean_up.fn()

    assert incoming() == [files_host(young["X-Upload-Location"]).folder.name]
    assert head(young["X-Upload-Location"]) == (200, "3", None)
