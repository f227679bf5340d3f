"""Read-only fields in a PUT: ignored where a GET is put back, refused elsewhere; on every host.

`created` and `updated` are ignored always.
"""

from typing import Any

import pytest

from apps.slicing.models import Gcode
from apps.users.models import Group
from apps.warehouse.models import Model
from tests.conftest import A_SLICE
from tests.erp.conftest import bureau, location, make, printer_type, root  # noqa: F401  fixtures
from tests.erp.test_resource_fields import KINDS, PARENTS, values  # noqa: F401  fixtures

LONG_AGO = "2001-01-01T00:00:00+00:00"
HOSTS = ("users", "models", "slicing", "payment", "integrations", "erp", "callbacks")


@pytest.fixture
def resource(client_of, person, operator):
    """`resource(host)`: a client of the host, and the URI of something that it may change."""

    def make(host: str) -> tuple[Any, str]:  # noqa: F811
        client = client_of(host, person)
        if host == "users":
            return client, Group.objects.create(creator=person).uri
        if host == "models":
            return client, Model.objects.create(owner=person, name="part").uri
        if host == "slicing":
            return client, Gcode.objects.create(owner=person).uri
        path, body = {
            "payment": ("/consent/", {**A_SLICE, "consented": True, "user_uri": person.uri}),
            "integrations": (
                "/service/",
                {"name": "x", "type": "y", "service_url": "https://a.b/"},
            ),
            "erp": ("/bureau/", {"name": "Parts"}),
            "callbacks": ("/subscription/", {"url": "https://example.com/", "events": ["*"]}),
        }[host]
        client = client_of(host, operator if host == "integrations" else person)
        made = client.post(path, body)
        assert made.status_code == 201, made.json()
        return client, made.json()["uri"]

    return make


@pytest.mark.parametrize("host", HOSTS)
def test_put_of_get_response_is_accepted_but_other_read_only_changes_fail(resource, host):
    client, uri = resource(host)
    read = client.get(uri).json()

    back = client.put(uri, {**read, "created": LONG_AGO})
    times = client.put(uri, {"created": LONG_AGO, "updated": LONG_AGO})
    elsewhere = client.put(uri, {"uri": "http://models.platform.test/model/", "created": LONG_AGO})

    assert [answer.status_code for answer in (back, times)] == [204, 204], times.content
    assert client.get(uri).json()["created"] == read["created"]
    assert [(e["code"], e["field"]) for e in elsewhere.json()["errors"]] == [
        ("cannot-set-property", "uri")
    ]


def test_put_back_accepts_alias_uri_and_form_encoding(client_of, person):
    client = client_of("quickslice", person)
    uri = client.post("/config/curated/", {"engine": "slic3r"})["Location"]
    alias = uri.replace("slicing.", "quickslice.").rstrip("/")

    by_json = client.put(uri, {"uri": alias, "created": LONG_AGO})
    by_form = client.generic(
        "PUT", uri, f"uri={alias}&kind=raw", "application/x-www-form-urlencoded"
    )
    refused = client.generic("PUT", uri, "kind=raw", "application/x-www-form-urlencoded")

    assert [by_json.status_code, by_form.status_code, refused.status_code] == [204, 204, 400]


@pytest.mark.parametrize("kind", KINDS)
def test_stale_times_of_a_put_are_ignored(root, values, kind):  # noqa: F811
    needed, _ = KINDS[kind]
    names = (PARENTS.get(kind, "bureau"), *needed)
    own = root.post(f"/{kind}/", {name: values[name] for name in names}).json()
    stale = {"created": "2001-01-01T00:00:00Z", "updated": "2001-01-01T00:00:00Z"}

    answer = root.put(own["uri"], stale)

    assert answer.status_code == 204, answer.json()
    assert root.get(own["uri"]).json()["created"] == own["created"]
