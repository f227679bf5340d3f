"""Versions of a part: models that follow one another."""

import pytest

from apps.warehouse.models import Model
from apps.warehouse.services import versions as services


@pytest.fixture
def part(models):
    """`part(name)`: the URI of a new model of `models`, or of another client."""

    def make(name: str, client=models) -> str:
        return client.post("/model/", {"name": name}).json()["uri"]

    return make


@pytest.fixture
def replace(models):
    """`replace(old, new)`: the response to making `new` the version after `old`."""

    def post(old: str, new: str, client=models, **fields: str):
        return client.post("/model/versions/", {"model": new, "replaces": old, **fields})

    return post


@pytest.fixture
def share(client_of, person, stranger):
    """`share(model)`: let the stranger read a model."""

    def grant(model: str) -> None:
        body = {"holder": stranger.uri, "namespace": "models", "object": model, "right": "read"}
        assert client_of("users", person).post("/permissions/", body).status_code == 201

    return grant


def names(answer) -> list[str]:
    assert answer.status_code == 200, answer.json()
    return [row["name"] for row in answer.json()["resources"]]


def test_versions_count_from_one_and_tell_the_newest(models, part, replace):
    parts = [part(f"bracket {at}") for at in range(3)]
    first = replace(parts[0], parts[1], note="Thicker wall")
    assert first.status_code == 201, first.json()
    second = replace(parts[1], parts[2])

    assert models.get(first["Location"]).json() | {"created": 0, "updated": 0} == {
        **first.json(),
        "created": 0,
        "updated": 0,
        "model": parts[1],
        "replaces": parts[0],
        "newest": parts[2],
        "number": 2,
        "note": "Thicker wall",
    }
    assert second.json()["number"] == 3
    listed = models.get("/model/versions/", {"filter[versions_of]": parts[1], "sort": "number"})
    rows = listed.json()["resources"]
    assert [(row["number"], row["model"]) for row in rows] == list(enumerate(parts, 1))
    assert [row["replaces"] for row in rows] == [None, *parts[:2]]


def test_lists_show_only_the_newest_version_where_asked(models, part, replace):
    parts = [part("old"), part("new"), part("single")]
    replace(parts[0], parts[1])

    assert names(models.get("/model/", {"filter[newest_version]": "true"})) == ["single", "new"]
    assert names(models.get("/model/", {"filter[newest_version]": "false"})) == ["old"]
    both = {"filter[newest_version]": "true,false"}
    assert names(models.get("/model/", both)) == ["single", "new", "old"]
    models.delete(parts[1])
    assert names(models.get("/model/", {"filter[newest_version]": "true"})) == ["single", "old"]


def test_reader_of_an_older_version_sees_it_as_the_newest(
    models, part, replace, client_of, stranger, share
):
    old, new = part("old"), part("new")
    replace(old, new)
    share(old)
    other = client_of("models", stranger)

    assert names(other.get("/model/", {"filter[newest_version]": "true"})) == ["old"]
    (row,) = other.get("/model/versions/").json()["resources"]
    assert (row["number"], row["newest"]) == (1, old)


def test_replaced_model_is_not_replaced_twice(models, part, replace):
    old, new, late = part("old"), part("new"), part("late")
    replace(old, new)

    refused = replace(old, late)

    assert refused.status_code == 409
    (error,) = refused.json()["errors"]
    assert (error["code"], error["details"]) == ("model-replaced", {"newest": new})
    models.delete(new)  # what is deleted is replaced no longer
    assert replace(old, late).json()["number"] == 3


def test_model_is_one_version_only(models, part, replace):
    old, new, other = part("old"), part("new"), part("other")
    replace(old, new)
    for refused in (replace(other, new), replace(other, other)):
        assert refused.status_code == 409
        assert refused.json()["errors"][0]["code"] == "version-exists"


def test_models_of_others_are_no_versions(part, replace, client_of, stranger):
    own, theirs = part("own"), part("theirs", client_of("models", stranger))
    unknown = replace(theirs, own)
    assert unknown.status_code == 400
    assert unknown.json()["errors"][0]["code"] == "resource-not-found"


def test_reader_cannot_replace_a_model(models, part, client_of, stranger, share):
    old, other = part("old"), client_of("models", stranger)
    share(old)
    body = {"model": part("new", other), "replaces": old}
    assert other.post("/model/versions/", body).status_code == 403


def test_new_version_takes_over_folder_and_tags(models, part, replace):
    old, new = part("old"), part("new")
    labels = [{"model": old, "folder": "A", "tags": ["x"]}]
    models.put("/model/labels/", {"labels": labels})
    replace(old, new)

    (label,) = models.get("/model/labels/", {"filter[model]": new}).json()["resources"]
    assert (label["folder"], label["tags"]) == ("A", ["x"])


def test_note_changes_and_a_version_is_taken_out(models, part, replace):
    old, new = part("old"), part("new")
    version = replace(old, new).json()
    sent = models.put(version["uri"], {**version, "note": "Second try"})
    assert sent.status_code in (200, 204), sent.content
    assert models.get(version["uri"]).json()["note"] == "Second try"
    (first,) = models.get("/model/versions/", {"filter[model]": old}).json()["resources"]
    assert models.put(first["uri"], first).status_code in (200, 204)

    assert models.delete(version["uri"]).status_code == 204
    assert Model.objects.filter(deleted=None).count() == 2
    assert names(models.get("/model/", {"filter[newest_version]": "true"})) == ["new", "old"]


def test_part_has_a_bounded_number_of_versions(models, part, replace, monkeypatch):
    monkeypatch.setattr(services, "MAX_VERSIONS", 2)
    parts = [part(f"bracket {at}") for at in range(3)]
    replace(parts[0], parts[1])
    refused = replace(parts[1], parts[2])
    assert refused.json()["errors"][0]["code"] == "limit-exceeded"


def test_first_version_replaces_something(models, part):
    refused = models.post("/model/versions/", {"model": part("new"), "replaces": None})
    assert refused.status_code == 400
