"""Uploads of slicers by HTTP digest: credentials, nonces, replays."""

import re

import pytest

from agent.digest import DigestLogin
from apps.erp.models import SlicerKey
from apps.erp.printing.services import slicer_digests
from core.web import http_digest
from files_host.slicer_host import slicer_uploads
from tests.files_host import Answer, ask
from tests.gcode.slicer_files import FILES

GCODE = FILES["PrusaSlicer"][1]
PATH = "/api/v1/files/local/part%20one.gcode"


@pytest.fixture
def key(make, bureau) -> dict:
    return make("slicer-key", bureau=bureau["uri"], name="PrusaSlicer")


@pytest.fixture
def login(erp, key) -> dict:
    """User and secret of the key, as they are entered in a slicer."""
    body = erp.post(f"{key['uri']}secret/").json()
    assert key["uri"].endswith(f"/{body['user']}/")
    return body


def request(method: str, path: str, authorization: str | None = None, body=None) -> Answer:
    headers = {"Authorization": authorization} if authorization else {}
    return ask(method, path.replace("%20", " "), headers, body, application=slicer_uploads)


def challenges_of(answer: Answer) -> list[str]:
    assert answer.status == 401
    return re.findall(r"Digest .*?(?=, Digest|, Bearer)", answer.headers["www-authenticate"])


@pytest.fixture
def digest(files_host, login):
    """`digest(algorithm)`: a login that has learnt the challenge of this algorithm."""

    def make(algorithm: str = "MD5", **values: str) -> DigestLogin:
        made = DigestLogin(values.get("user", login["user"]), values.get("secret", login["secret"]))
        offered = challenges_of(request("GET", "/api/version"))
        assert made.learn(next(each for each in offered if f"algorithm={algorithm}," in each))
        return made

    return make


@pytest.mark.parametrize("algorithm", ["MD5", "SHA-256"])
def test_file_is_received_by_digest(algorithm, digest, login):
    client = digest(algorithm)

    assert request("GET", "/api/version", client.header("GET", "/api/version")).status == 200
    answer = request("PUT", PATH, client.header("PUT", PATH), GCODE)

    assert answer.status == 201, answer.body
    assert SlicerKey.objects.get().last_used


def test_md5_is_offered_first_since_curl_takes_the_first_challenge(files_host):
    first, second = challenges_of(request("GET", "/api/version"))

    assert ("algorithm=MD5" in first, "algorithm=SHA-256" in second) == (True, True)
    assert 'qop="auth"' in first


def test_header_is_accepted_once(digest):
    header = digest().header("PUT", PATH)
    assert request("PUT", PATH, header, GCODE).status == 201

    again = request("PUT", PATH, header, GCODE)

    assert again.status == 401
    assert "stale=true" in again.headers["www-authenticate"]


def test_expired_nonce_is_stale_and_no_failure(digest, monkeypatch):
    client = digest()
    monkeypatch.setattr(http_digest, "NONCE_SECONDS", -1)
    monkeypatch.setattr(slicer_digests, "FAILURES", 1)

    for _ in range(3):
        answer = request("GET", "/api/version", client.header("GET", "/api/version"))
        assert (answer.status, "stale=true" in answer.headers["www-authenticate"]) == (401, True)


@pytest.mark.parametrize(
    "values",
    [
        {"secret": "x"},
        {"user": "nobody"},
        {"user": "01a1fe8c-0000-7000-8000-000000000000"},
    ],
)
def test_wrong_credentials_are_failures_of_the_network(digest, monkeypatch, values):
    monkeypatch.setattr(slicer_digests, "FAILURES", 2)
    client = digest(**values)

    answers = [
        request("GET", "/api/version", client.header("GET", "/api/version")) for _ in range(3)
    ]

    assert [answer.status for answer in answers] == [401, 401, 429]
    assert answers[0].body.startswith(b"The API key is not valid")
    assert "stale" not in answers[0].headers["www-authenticate"]


def test_request_without_credentials_is_no_failure(files_host, monkeypatch):
    monkeypatch.setattr(slicer_digests, "FAILURES", 1)

    assert [request("GET", "/api/version").status for _ in range(3)] == [401] * 3


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ('uri="/api/version"', 'uri="/api/job"'),
        ('realm="slicer key"', 'realm="other"'),
        ("nc=00000001", "nc=00000002"),
        ("nc=00000001", "nc=1"),
        ("qop=auth", "qop=auth-int"),
        ("qop=auth, ", ""),
        ("algorithm=MD5", "algorithm=MD5-sess"),
        ("algorithm=MD5", "algorithm=SHA-256"),
        ('nonce="', 'nonce="0'),
        ('response="', 'response="é'),
    ],
)
def test_changed_credentials_are_refused(digest, part, other):
    header = digest().header("GET", "/api/version")
    assert part in header

    answer = request("GET", "/api/version", header.replace(part, other))

    assert answer.status == 401


def test_credentials_are_of_one_method_and_path(digest):
    header = digest().header("GET", "/api/version")

    assert request("GET", "/api/job", header).status == 401
    assert request("HEAD", "/api/version", header).status == 401


def test_secret_is_stored_encrypted_for_its_key_alone(login, make, bureau):
    row = SlicerKey.objects.get()
    assert row.password == login["secret"]
    assert login["secret"].encode() not in bytes(row.sealed_secret)

    other = make("slicer-key", bureau=bureau["uri"], name="Other")
    SlicerKey.objects.filter(name="Other").update(sealed_secret=row.sealed_secret)

    assert other["uri"]
    assert SlicerKey.objects.get(name="Other").password == ""


def test_key_of_an_earlier_version_has_no_digest_until_it_gets_a_new_secret(digest, erp, key):
    client = digest()
    SlicerKey.objects.update(sealed_secret=None)
    assert request("GET", "/api/version", client.header("GET", "/api/version")).status == 401

    answer = erp.post(f"{key['uri']}secret/").json()

    client = digest(secret=answer["secret"])
    assert request("GET", "/api/version", client.header("GET", "/api/version")).status == 200
