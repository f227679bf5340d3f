"""Names are compared as they look, whatever letters they are made of."""

import pytest
from django.apps import apps
from django.db import connection

from apps.slicing.models import Gcode
from apps.warehouse.models import Model
from core.text.row_normalization import compose_rows

DECOMPOSED, COMPOSED = "Geha\u0308use \u1112\u1161\u11ab", "Geh\u00e4use \ud55c"


@pytest.fixture
def models(client_of, person):
    return client_of("models", person)


@pytest.mark.parametrize("sent", [DECOMPOSED, COMPOSED])
@pytest.mark.parametrize(
    "query",
    [
        "search[name]=Geh\u00e4use",
        "search[name]=geha\u0308use",
        "search[name]=GEH\u00c4USE",
        "filter[name]=" + DECOMPOSED,
        "filter[name]=" + COMPOSED,
        "name=gEHA\u0308*",
        "search[name]=\u1112\u1161\u11ab",
    ],
)
def test_model_is_listed_by_each_unicode_form_of_its_name(models, sent, query):
    made = models.post("/model/", {"name": sent}).json()

    found = models.get("/model/?" + query).json()

    assert made["name"] == COMPOSED
    assert [row["uri"] for row in found["resources"]] == [made["uri"]]


@pytest.mark.parametrize(
    ("host", "kind", "fields"),
    [
        ("slicing", "gcode", {}),
        ("users", "groups", {}),
        ("erp", "bureau", {}),
    ],
)
def test_search_by_unicode_form_works_in_every_service(client_of, person, host, kind, fields):
    client = client_of(host, person)
    answer = client.post(f"/{kind}/", {"name": DECOMPOSED, **fields})
    assert answer.status_code == 201, answer.json()

    for part in ("geh\u00e4use", "geha\u0308use"):
        found = client.get(f"/{kind}/?search[name]={part}").json()
        assert [row["name"] for row in found["resources"]] == [COMPOSED]


def test_changed_name_is_normalized_to_nfc(models):
    made = models.post("/model/", {"name": "part"}).json()

    assert models.put(made["uri"], {"name": DECOMPOSED}).status_code == 204

    assert models.get(made["uri"]).json()["name"] == COMPOSED


def test_password_is_not_normalized(client_of, person):
    users = client_of("users", person)
    change = {"password": DECOMPOSED * 2, "current_password": "correct horse battery"}
    assert users.put(person.uri, change).status_code == 204
    person.refresh_from_db()

    assert person.check_password(DECOMPOSED * 2)
    assert not person.check_password(COMPOSED * 2)


def test_migration_normalizes_existing_names(models, person):
    old = Model.objects.create(owner=person, name=DECOMPOSED)
    Gcode.objects.create(owner=person, name=DECOMPOSED)
    for app in ("warehouse", "slicing"):
        with connection.schema_editor(atomic=False) as editor:
            compose_rows(app).code(apps, editor)

    assert list(Gcode.objects.values_list("name", flat=True)) == [COMPOSED]
    found = models.get("/model/?search[name]=geh\u00e4use").json()["resources"]
    assert [row["uri"] for row in found] == [old.uri]
