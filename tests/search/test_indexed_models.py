"""Indexing over HTTP: what is accepted, what is refused, and why."""

import threading
from contextlib import ExitStack
from ipaddress import ip_network
from pathlib import Path

import pytest
from django.db import connection

from apps.search.domain import descriptors
from apps.search.models import Descriptor, IndexedModel
from apps.search.serializers import IndexedModelAnswer
from core.models import Blob
from tests.search.shapes import bracket, stl, turned

pytestmark = pytest.mark.django_db


@pytest.fixture
def post(search):
    """`post(uri)`: the answer to having it indexed."""

    def send(uri: str, **fields: str):
        body = {"name": "n", "description": "d", "model_uri": uri, **fields}
        return search.post("/indexed-model/", body)

    return send


def fault(answer) -> tuple[int, str, str]:
    (error,) = answer.json()["errors"]
    return answer.status_code, error["code"], error.get("field", "")


def test_version_is_readable_without_authentication(client_of, db):
    assert client_of("search").get("/about/").json() == {"version": "1.2"}
    assert client_of("geometricsearch").get("/about").status_code == 200


def test_indexed_model_is_returned_as_created(search, store, index):
    uri = store(bracket())
    location = index(uri)

    row = search.get(location).json()

    assert set(row) == set(IndexedModelAnswer.__annotations__)
    assert row["uri"] == location
    assert (row["name"], row["description"], row["model_uri"]) == ("n", "d", uri)
    assert (row["status"], row["error"]) == ("complete", None)
    assert search.get("/indexed-model/").json()["resources"] == [row]


def test_repeated_indexing_is_idempotent_and_different_fields_conflict(post, store):
    uri = store(bracket())
    first = post(uri)

    again = post(uri.replace("models.", "data.").rstrip("/"))

    assert (again.status_code, again["Location"]) == (204, first["Location"])
    assert fault(post(uri, name="other")) == (409, "already-indexed", "model_uri")
    assert fault(post(uri, description="other")) == (409, "already-indexed", "model_uri")
    assert IndexedModel.objects.count() == 1


def test_indexed_model_allows_new_name_and_description_but_not_new_model(search, store, index):
    location = index(store(bracket()))

    assert search.put(location, {"name": "new", "description": ""}).status_code == 204
    refused = search.put(location, {"model_uri": "http://elsewhere.example/model/1/"})

    row = search.get(location).json()
    assert (row["name"], row["description"]) == ("new", None)
    assert fault(refused) == (400, "cannot-set-property", "model_uri")


def test_deleted_indexed_model_returns_404_and_can_be_indexed_again(search, store, index):
    uri = store(bracket())
    location = index(uri)

    assert search.delete(location).status_code == 204

    assert search.get(location).status_code == 404
    assert index(uri, name="other") != location


def test_indexed_model_is_accessible_only_to_owner_and_administrators(
    client_of, store, index, stranger, operator
):
    location = index(store(bracket()))
    others = client_of("search", stranger)

    assert others.get("/indexed-model/").json()["meta"] == {"count": 0}
    for answer in (others.get(location), others.put(location, {}), others.delete(location)):
        assert answer.status_code == 404
    assert client_of("search", operator).get(location).status_code == 200


def test_model_indexed_by_two_owners_is_one_search_result(
    client_of, store, index, person, stranger, similar
):
    uri = store(turned(bracket()))
    client_of("users", person).post(
        "/permissions/",
        {"holder": stranger.uri, "namespace": "models", "object": uri, "right": "read"},
    )

    assert index(uri) != index(uri, owner=stranger, name="theirs")

    (match,) = similar(store(bracket()))["results"]
    assert match["model"] == uri


def test_indexed_model_requires_all_fields(search):
    answer = search.post("/indexed-model/", {"nam": "x"})

    assert answer.status_code == 400
    assert {(error["field"], error["code"]) for error in answer.json()["errors"]} == {
        ("nam", "request-validation-error"),
        ("name", "missing-parameter"),
        ("description", "missing-parameter"),
        ("model_uri", "missing-parameter"),
    }


def test_unreadable_model_cannot_be_indexed_or_searched(search, post, store, stranger):
    hidden = store(bracket(), owner=stranger)

    assert fault(post(hidden)) == (400, "resource-not-found", "model_uri")
    assert fault(search.get("/similar-models/", {"filter[model]": hidden})) == (
        400,
        "resource-not-found",
        "filter[model]",
    )


def test_model_is_indexed_before_its_analysis(client_of, person, upload, post, search):
    model = client_of("models", person).post("/model/", {"name": "part"}).json()
    upload(model, stl(bracket()))

    location = post(model["uri"])["Location"]

    assert search.get(location).json()["status"] == "complete"


def test_model_without_file_cannot_be_indexed(client_of, person, post):
    model = client_of("models", person).post("/model/", {"name": "part"}).json()

    assert fault(post(model["uri"])) == (400, "model-without-content", "model_uri")
    assert IndexedModel.objects.count() == 0


def test_model_with_missing_file_cannot_be_indexed(post, store, settings):
    uri = store(bracket())
    Descriptor.objects.all().delete()
    for file in Path(settings.STORAGES["default"]["OPTIONS"]["location"]).glob("blobs/*/*"):
        file.unlink()

    assert fault(post(uri)) == (400, "content-not-available", "model_uri")


def test_remote_model_is_fetched_once_and_found(other_server, search, index, store, similar):
    uri = other_server.model(stl(turned(bracket(), scale=10)))
    index(uri)
    one = store(bracket())
    assert other_server.asked == ["/model/1/", "/model/1/content"]

    (match,) = similar(one)["results"]
    assert (match["model"], match["verdict"], match["unit_hint"]) == (uri, "identical", "cm")
    (back,) = similar(uri, scope="readable")["results"]
    assert (back["model"], back["verdict"]) == (one, "identical")
    assert len(other_server.asked) == 2


def test_remote_model_is_visible_only_to_its_indexer(other_server, index, store, similar, stranger):
    uri = other_server.model(stl(turned(bracket())))
    index(uri, owner=stranger)
    mine, theirs = store(bracket()), store(bracket(), owner=stranger)

    assert similar(mine)["results"] == []
    assert [match["model"] for match in similar(theirs, user=stranger)["results"]] == [uri]


def test_search_by_remote_model_stores_no_file(other_server, index, store, similar):
    one = store(bracket())
    index(one)
    files = Blob.objects.count()

    (match,) = similar(other_server.model(stl(turned(bracket()))))["results"]

    assert (match["model"], match["verdict"]) == (one, "identical")
    assert (Blob.objects.count(), Descriptor.objects.count()) == (files, 1)


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (404, b"", "model-not-available"),
        (201, b'{"content": "http://127.0.0.1/x"}', "model-not-available"),
        (302, b"", "model-not-available"),
        (200, b"<html>", "model-not-available"),
        (200, b"[]", "model-not-available"),
        (200, b" " * (1 << 20) + b"{}", "model-not-available"),
        (200, b"{}", "model-without-content"),
        (200, b'{"content": null}', "model-without-content"),
        (200, b'{"content": "ftp://127.0.0.1/x"}', "content-not-available"),
        (200, b'{"content": "http://10.0.0.1/x"}', "content-not-available"),
        (200, b'{"content": "http://127.0.0.1:1/x"}', "content-not-available"),
        (200, b'{"content": "http://files.platform.test/x"}', "content-not-available"),
    ],
)
def test_unfetchable_remote_model_is_rejected(other_server, search, post, status, body, code):
    other_server.answers["/model/1/"] = (status, body)
    uri = f"{other_server.url}/model/1/"

    assert fault(post(uri)) == (400, code, "model_uri")
    asked = search.get("/similar-models/", {"filter[model]": uri})
    assert fault(asked) == (400, code, "filter[model]")
    assert IndexedModel.objects.count() == 0


def test_remote_content_with_status_other_than_200_is_rejected(other_server, post):
    uri = other_server.model(f"{other_server.url}/gone")

    assert fault(post(uri)) == (400, "content-not-available", "model_uri")


def test_remote_content_above_upload_limit_is_rejected(other_server, post, settings):
    settings.MAX_UPLOAD = 1000

    assert fault(post(other_server.model(stl(bracket())))) == (
        400,
        "content-not-available",
        "model_uri",
    )


@pytest.mark.parametrize(
    "uri",
    [
        "part.stl",
        "http://models.platform.test/nothing/",
        "http://10.0.0.1/model/1/",
        "http://user:secret@elsewhere.example/model/1/",
        "http://elsewhere.example/modèle/",
    ],
)
def test_invalid_model_uri_is_rejected(post, search, uri):
    refused = "property-value-not-in-allowed-values"

    assert fault(post(uri)) == (400, refused, "model_uri")
    asked = search.get("/similar-models/", {"filter[model]": uri})
    assert fault(asked) == (400, refused, "filter[model]")


def test_remote_model_on_private_network_is_not_requested(other_server, post, settings):
    uri = other_server.model(stl(bracket()))
    settings.OUTBOUND_ALLOW = [ip_network("10.9.9.9/32")]

    assert post(uri).status_code == 400
    assert other_server.asked == []


def test_undescribable_file_becomes_indexed_model_in_error(other_server, search, post, index):
    uri = other_server.model(b"this is no mesh")

    row = search.get(post(uri)["Location"]).json()
    asked = search.get("/similar-models/", {"filter[model]": uri})

    assert row["status"] == "error"
    assert row["error"]
    assert fault(asked) == (400, "model-not-describable", "filter[model]")
    other_server.model(stl(bracket()))
    assert search.get(index(uri)).json()["status"] == "complete"


def test_concurrent_indexing_requests_are_limited(post, store):
    uri = store(bracket(), described=False)
    held = [descriptors._places.acquire(blocking=False) for _ in range(descriptors.AT_ONCE)]

    try:
        answer = post(uri)
    finally:
        descriptors._places.release(held.count(True))

    assert fault(answer) == (429, "rate-limited", "")
    details = {"limit": "indexing", "most": 4, "used": 4}
    assert answer.json()["errors"][0]["details"] == details
    assert int(answer["Retry-After"]) > 0
    assert post(uri).status_code == 204


def test_concurrent_remote_indexing_is_limited_per_account(post, other_server, person, stranger):
    uri = other_server.model(stl(bracket()))
    with ExitStack() as held:
        for _ in range(descriptors.OF_ACCOUNT):
            held.enter_context(descriptors._place_from_others(str(person.pk)))
        mine = post(uri)
        held.enter_context(descriptors._place_from_others(str(stranger.pk)))

    assert fault(mine) == (429, "rate-limited", "")
    assert mine.json()["errors"][0]["details"] == {"limit": "indexing", "most": 3, "used": 3}
    assert post(uri).status_code == 204


@pytest.mark.django_db(transaction=True)
def test_concurrent_requests_index_a_model_once(client_of, person, other_server):
    uri = other_server.model(stl(bracket()))
    answers = []

    def send():
        client = client_of("search", person)
        body = {"name": "n", "description": "d", "model_uri": uri}
        answers.append(client.post("/indexed-model/", body))
        connection.close()

    threads = [threading.Thread(target=send) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [answer.status_code for answer in answers] == [204] * 3
    assert len({answer["Location"] for answer in answers}) == 1
