"""What no client of good will sends, to every path of every host: refused, never our fault."""

import json
import logging
from collections import defaultdict
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.urls import get_resolver
from django_hosts.resolvers import get_host

from files_host.downloads import _span
from tests.conftest import HostClient

NOBODY = "01900000-0000-7000-8000-000000000000"
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MANY = "&".join(f"field{number}=1" for number in range(3000))


def paths_of(host: str) -> Iterator[str]:
    """A path for each pattern of a host."""
    for pattern in get_resolver(get_host(host).urlconf).url_patterns:
        path = str(pattern.pattern).replace("<uuid:uuid>", NOBODY).replace("<uuid:model>", NOBODY)
        path = path.replace("<str:token>", "nothing").replace("<int:number>", "0")
        yield "/" + path.replace("<int:seq>", "1")


# Of all paths, those that read what a stranger sends.
OPEN = {
    "users": ("/users/", "/sessions/", "/password-resets/", "/password-resets/nothing/"),
    "payment": ("/stripe-webhook/",),
    "integrations": (f"/operation/{NOBODY}/report/",),
    "callbacks": ("/sink/nothing/",),
    "search": ("/about/",),
}


@pytest.fixture
def hostile_requests(client_of, operator) -> list[tuple[HostClient, str]]:
    """Each path, by somebody who may do everything; what is open also by a stranger."""
    pairs = []
    for host in settings.SERVICES:
        signed_in, stranger = client_of(host, operator), client_of(host)
        pairs += [(signed_in, path) for path in paths_of(host)]
        pairs += [(stranger, path) for path in OPEN.get(host, ())]
    return pairs


BODIES = {
    "half a surrogate pair as a name": (JSON, '{"\\ud800": 1}'),
    "half a surrogate pair as a value": (JSON, '{"name": "\\ud800", "username": "\\udfff"}'),
    "half a surrogate pair in a list": (JSON, '{"pieces": [{"uri": "\\ud800"}]}'),
    "a NUL": (JSON, '{"name": "\\u0000", "printer": "http://a/\\u0000", "questions": "\\u0000"}'),
    "a NUL in a form": (FORM, "name=%00&username=%00&%00=1"),
    "a number": (JSON, "5"),
    "a text": (JSON, '"questions"'),
    "a list": (JSON, "[1]"),
    "true": (JSON, "true"),
    "null": (JSON, "null"),
    "numbers for all": (JSON, '{"pieces": 5, "questions": 5, "inputs": 5, "parameters": 5}'),
    "5,000 digits": (JSON, '{"quantity": ' + "9" * 5000 + "}"),
    "a codec that is no charset": (f"{JSON}; charset=idna", '{"name": "a"}'),
    "a charset that nobody knows": (f"{FORM}; charset=nonsense", "name=a"),
    "a codec in a form": (f"{FORM}; charset=idna", "name=a"),
    "3,000 fields": (FORM, MANY),
    "parts without an end": ("multipart/form-data; boundary=x", "--x\r\nContent-Dispo"),
    "no charset's bytes": (JSON, b'{"name": "\xff"}'),
}


METHODS = {"POST", "PUT"}


@pytest.fixture(scope="module")
def not_taken() -> dict[str, set[str]]:
    """By path, what the first body was refused for: no further one is read there."""
    return defaultdict(set)


@pytest.mark.parametrize("what", BODIES)
def test_malformed_body_never_causes_server_error_on_any_path(
    hostile_requests, not_taken, what, caplog
):
    content_type, body = BODIES[what]
    refused = 0

    for client, path in hostile_requests:
        for method in METHODS - not_taken[path]:
            answer = client.generic(method, path, body, content_type)
            if answer.status_code == 405:
                not_taken[path].add(method)
            assert answer.status_code < 500, (method, path)
            assert answer.status_code < 400 or answer["Content-Type"] == JSON, (method, path)
            refused += answer.status_code in (400, 415)

    assert refused >= 40
    assert [record for record in caplog.records if record.exc_info] == []


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ('{"name": "\\ud800"}', "type-validation-error", "name"),
        ('{"\\ud800": 1}', "type-validation-error", None),
        ('{"callback": {"url": "\\u0000"}}', "type-validation-error", "callback.url"),
        ("5", "invalid-payload", None),
        ("[]", "invalid-payload", None),
    ],
)
def test_invalid_text_in_body_is_rejected_with_its_field(client_of, person, body, code, field):
    answer = client_of("models", person).generic("POST", "/model/", body, JSON)

    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["code"], error.get("field")) == (400, code, field)


def test_text_in_any_script_is_accepted(client_of, person):
    name = "Łódź 😀 " + json.loads('"\\ud83d\\ude00"')

    made = client_of("models", person).post("/model/", {"name": name})

    assert made.json()["name"] == name


@pytest.mark.parametrize("charset", ["utf-8", "UTF8", "iso-8859-1", "utf-16"])
def test_json_is_decoded_in_its_declared_charset(client_of, person, charset):
    body = '{"name": "für"}'.encode(charset)

    made = client_of("models", person).generic(
        "POST", "/model/", body, f"{JSON}; charset={charset}"
    )

    assert (made.status_code, made.json().get("name")) == (201, "für")


@pytest.mark.parametrize(
    "query",
    [
        {"page[offset]": "9" * 5000},
        {"page[limit]": "9" * 5000},
        {"page[offset]": "٣"},
        {"sort": "\0"},
        {"\0": "1"},
        {"uri": "\0"},
        {"model": "http://a/\0"},
        {"filter[uri]": "http://models.platform.test/model/\0/"},
        {"after": "9" * 5000},
        {f"filter[{number}]": "1" for number in range(3000)},
    ],
    ids=lambda query: repr(query)[:30],
)
def test_malformed_query_never_causes_server_error_on_any_path(hostile_requests, query):
    for client, path in hostile_requests:
        assert client.get(f"{path}?{urlencode(query)}").status_code < 500, path


@pytest.mark.parametrize("host", settings.SERVICES)
def test_nonsense_filter_value_never_causes_server_error(client_of, operator, host):
    client = client_of(host, operator)

    for pattern in get_resolver(get_host(host).urlconf).url_patterns:
        listing = getattr(getattr(pattern.callback, "cls", None), "listing", None)
        for name in listing.filters if listing and "<" not in str(pattern.pattern) else ():
            for sign in ("", "<"):
                asked = {f"filter[{name}]{sign}": "“àÞ5$"}
                assert client.get(f"/{pattern.pattern}", asked).status_code < 500, asked


@pytest.mark.parametrize(
    "asked",
    [
        "erp/line-item/?filter[quantity]",
        "erp/piece/?filter[number]",
        "slicing/gcode/?filter[file_size]",
    ],
)
@pytest.mark.parametrize("value", ["1e300", "-1e300", "9" * 25])
def test_filter_by_out_of_range_number_matches_no_rows(client_of, person, asked, value):
    host, _, path = asked.partition("/")

    for sign in ("=", "<", ">="):
        answer = client_of(host, person).get(f"/{path}{sign}{value}")
        assert (answer.status_code, answer.json()["resources"]) == (200, [])


@pytest.mark.parametrize("path", ["/sink/%00/", "/password-resets/%00/", "/model/%00/", "/%00"])
@pytest.mark.parametrize("method", ["GET", "POST", "PUT"])
def test_nul_in_path_returns_404(client_of, operator, path, method):
    answer = client_of("data", operator).generic(method, path, "{}", JSON)

    assert (answer.status_code, answer["Content-Type"]) == (404, JSON)


def test_too_many_form_fields_are_rejected_with_the_limit(client_of, person, caplog):
    with caplog.at_level(logging.WARNING):
        answer = client_of("models", person).generic("POST", "/model/", MANY, FORM)

    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["code"]) == (400, "invalid-payload")
    assert error["title"] == "Send at most 1000 fields."
    assert [record for record in caplog.records if record.exc_info] == []


@pytest.mark.parametrize(
    ("asked", "span"),
    [
        ("bytes=-" + "9" * 5000, (0, 10)),
        ("bytes=2-" + "9" * 5000, (2, 10)),
        ("bytes=" + "0" * 5000 + "2-3", (2, 4)),
    ],
)
def test_range_header_with_any_number_of_digits_is_parsed(asked, span):
    assert _span(asked, 10) == span
