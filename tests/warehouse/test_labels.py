"""Folders and tags that a person gives to models."""

import pytest

from apps.warehouse.models import Label


@pytest.fixture
def parts(models) -> list[str]:
    """The URIs of five models."""
    return [models.post("/model/", {"name": f"part {at}"}).json()["uri"] for at in range(5)]


@pytest.fixture
def label(models):
    """`label({"model": URI, "folder": "A"}, ...)`: the results."""

    def put(*changes: dict, client=models) -> list[dict]:
        answer = client.put("/model/labels/", {"labels": list(changes)})
        assert answer.status_code == 200, answer.json()
        return answer.json()["results"]

    return put


def uris(answer) -> set[str]:
    assert answer.status_code == 200, answer.json()
    return {row["uri"] for row in answer.json()["resources"]}


def test_folders_and_tags_filter_and_count_models(models, parts, label):
    results = label(
        {"model": parts[0], "folder": "Customers/Hansa", "tags": ["gearbox"]},
        {"model": parts[1], "folder": "Customers", "tags": ["gearbox", "ESD"]},
        {"model": parts[2], "folder": "Customersother"},
    )

    assert [result["status"] for result in results] == [200] * 3
    assert results[1]["tags"] == ["gearbox", "ESD"]
    asked = {"filter[folder]": "Customers", "count_by": "folder"}
    listed = models.get("/model/", asked)
    assert uris(listed) == {parts[0], parts[1]}
    assert listed.json()["meta"]["counts"] == {
        "Customers": 1,
        "Customers/Hansa": 1,
        "Customersother": 1,
    }
    assert uris(models.get("/model/", {"filter[tag]": "ESD,other"})) == {parts[1]}
    both = {"filter[folder]": "Customers", "filter[tag]": "gearbox", "search[name]": "part 0"}
    assert uris(models.get("/model/", both)) == {parts[0]}
    counts = models.get("/model/", {"count_by": "tag", "filter[folder]": "Customers/Hansa"}).json()
    assert counts["meta"] == {"count": 1, "counts": {"gearbox": 1}}


def test_labels_of_models_are_listed_changed_and_deleted(models, parts, label):
    label({"model": parts[0], "folder": "A", "tags": ["x", "y"]})
    (result,) = label({"model": parts[0], "add_tags": ["z", "x"], "remove_tags": ["y"]})
    assert (result["folder"], result["tags"]) == ("A", ["x", "z"])

    (row,) = models.get("/model/labels/", {"filter[model]": parts[0]}).json()["resources"]
    assert (row["model"], row["folder"], row["tags"]) == (parts[0], "A", ["x", "z"])
    assert models.get(row["uri"]).json() == row
    assert models.get("/model/labels/", {"count_by": "tag"}).json()["meta"]["counts"] == {
        "x": 1,
        "z": 1,
    }
    (result,) = label({"model": parts[0], "folder": None})
    assert (result["folder"], result["tags"]) == (None, ["x", "z"])
    assert models.delete(row["uri"]).status_code == 204
    assert uris(models.get("/model/", {"filter[tag]": "x"})) == set()


def test_one_row_that_fails_stops_no_other(models, parts, label, others):
    strange = others.post("/model/", {"name": "not hers"}).json()["uri"]

    results = label(
        {"model": strange, "folder": "A"},
        {"model": parts[0], "tags": [f"tag {at}" for at in range(20)]},
        {"model": parts[0], "add_tags": ["one more"]},
        {"model": parts[1], "folder": "A"},
    )

    assert [result["status"] for result in results] == [400, 200, 400, 200]
    codes = [[error["code"] for error in result["errors"] or ()] for result in results]
    assert codes == [["resource-not-found"], [], ["limit-exceeded"], []]
    assert uris(models.get("/model/", {"filter[folder]": "A"})) == {parts[1]}


def test_each_reader_has_labels_of_their_own(
    client_of, models, others, parts, label, person, stranger
):
    granted = {"holder": stranger.uri, "namespace": "models", "object": parts[0], "right": "read"}
    assert client_of("users", person).post("/permissions/", granted).status_code == 201
    label({"model": parts[0], "folder": "Hers"})
    label({"model": parts[0], "folder": "His"}, client=others)

    assert uris(models.get("/model/", {"filter[folder]": "His"})) == set()
    assert uris(others.get("/model/", {"filter[folder]": "His"})) == {parts[0]}
    counts = others.get("/model/labels/", {"count_by": "folder"}).json()["meta"]["counts"]
    assert counts == {"His": 1}
    assert others.get(Label.objects.get(folder="Hers").uri).status_code == 404


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"folder": "A//B"}, "labels.0.folder"),
        ({"folder": "/".join("abcdefghi")}, "labels.0.folder"),
        ({"tags": ["a,b"]}, "labels.0.tags.0"),
        ({"tags": ["a"], "add_tags": ["b"]}, "labels.0.tags"),
        ({}, "labels.0.folder"),
        ({"folder": 1}, "labels.0.folder"),
    ],
)
def test_invalid_change_is_refused_with_its_field(models, parts, change, field):
    answer = models.put("/model/labels/", {"labels": [{"model": parts[0], **change}]})

    assert answer.status_code == 400
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert not Label.objects.exists()


def test_thousand_models_are_labelled_at_once_and_one_more_is_refused(models, parts):
    rows = [{"model": parts[0], "folder": f"F{at}"} for at in range(1000)]
    answer = models.put("/model/labels/", {"labels": rows})

    assert answer.status_code == 200
    assert answer.json()["results"][499]["status"] == 200
    assert models.put("/model/labels/", {"labels": [*rows, rows[0]]}).status_code == 400


def test_labels_of_a_deleted_model_are_not_listed(models, parts, label):
    label({"model": parts[0], "folder": "A"})

    assert models.delete(parts[0]).status_code == 204

    assert models.get("/model/labels/", {"count_by": "folder"}).json()["meta"] == {
        "count": 0,
        "counts": {},
    }
