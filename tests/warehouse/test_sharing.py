"""Sharing models by permissions, over HTTP."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.users.models import AuditEvent, Permission
from apps.warehouse.models import Model


@pytest.fixture
def part(models) -> dict:
    return models.post("/model/", {"name": "part"}).json()


@pytest.fixture
def share(client_of, person, stranger, part):
    """`share("read")`: the owner grants it to the stranger; where the permission is."""

    def grant(right: str, holder: str = stranger.uri) -> str:
        answer = client_of("users", person).post(
            "/permissions/",
            {"holder": holder, "namespace": "models", "object": part["uri"], "right": right},
        )
        assert answer.status_code == 201
        return answer["Location"]

    return grant


def test_shared_model_is_readable_until_the_right_is_revoked(
    others, client_of, person, part, share
):
    assert others.get(part["uri"]).status_code == 404

    permission = share("read")
    assert others.get(part["uri"]).json() == part
    assert others.get("/model/").json()["resources"] == [part]

    client_of("users", person).delete(permission)
    assert others.get(part["uri"]).status_code == 404
    assert others.get("/model/").json()["meta"] == {"count": 0}


def test_group_permission_applies_to_its_current_members(
    others, client_of, person, stranger, part, share
):
    users = client_of("users", person)
    group = users.post("/groups/", {"name": "team"}).json()["uri"]
    share("read", group)
    assert others.get(part["uri"]).status_code == 404

    membership = users.post("/memberships/", {"group": group, "user": stranger.uri}).json()
    assert others.get(part["uri"]).status_code == 200

    users.delete(membership["uri"])
    assert others.get(part["uri"]).status_code == 404


def test_read_write_and_delete_rights_are_separate(others, part, share, person):
    share("read")

    answer = others.put(part["uri"], {"name": "mine"})
    assert answer.status_code == 403
    (error,) = answer.json()["errors"]
    assert error["code"] == "Unauthorized"
    assert error["details"] == {
        "right": "write",
        "namespace": "models",
        "object": part["uri"],
        "granted_by": [],
    }
    share("write")
    assert others.put(part["uri"], {"name": "ours"}).status_code == 204
    assert others.delete(part["uri"]).status_code == 403
    assert Model.objects.get().deleted is None
    share("delete")
    assert others.delete(part["uri"]).status_code == 204
    assert Model.objects.get().deleted is not None


def test_deleting_a_model_revokes_its_permissions(models, others, part, share):
    share("read")

    models.delete(part["uri"])

    assert Permission.objects.count() == 0
    assert AuditEvent.objects.filter(action="permission.revoked").count() == 1
    assert others.get(part["uri"]).status_code == 404


def test_reading_a_shared_model_takes_three_queries(others, part, share):
    share("read")
    others.get(part["uri"])  # their own limit is read once a minute

    with CaptureQueriesContext(connection) as seen:
        others.get(part["uri"])

    assert len(seen) == 3


def test_parents_and_children_include_only_existing_readable_models(
    models, others, client_of, person, stranger, processed, cube
):
    parent = processed(cube)
    body = {"holder": stranger.uri, "namespace": "models", "right": "read"}
    users = client_of("users", person)
    users.post("/permissions/", {**body, "object": parent["uri"]})
    steps = {"transformations": [{"type": "auto-translate"}]}
    path = parent["uri"] + "transformation/"
    own, theirs, gone = (client.post(path, steps).json() for client in (models, others, models))
    models.delete(gone["uri"])

    def children(client) -> set[str]:
        (listed,) = client.get("/model/", {"filter[status]": "processed"}).json()["resources"]
        one = client.get(parent["uri"]).json()["children"]
        assert one == listed["children"]
        return set(one)

    assert children(models) == {own["uri"]}
    assert children(others) == {theirs["uri"]}
    users.post("/permissions/", {**body, "object": own["uri"]})
    assert children(others) == {own["uri"], theirs["uri"]}
    models.delete(parent["uri"])
    assert others.get(theirs["uri"]).json()["parents"] == []


def test_children_are_filtered_by_parents_the_user_can_read(
    models, others, client_of, person, stranger, processed, cube
):
    parent, other = processed(cube), processed(cube)
    steps = {"transformations": [{"type": "auto-translate"}]}
    one, two = (models.post(parent["uri"] + "transformation/", steps).json() for _ in "12")
    three = models.post(other["uri"] + "transformation/", steps).json()

    def children(client, *parents) -> set[str]:
        asked = {"filter[parent]": ",".join(parents)}
        return {row["uri"] for row in client.get("/model/", asked).json()["resources"]}

    assert children(models, parent["uri"]) == {one["uri"], two["uri"]}
    assert children(models, parent["uri"], other["uri"]) == {one["uri"], two["uri"], three["uri"]}
    assert children(models, one["uri"]) == children(models, "http://elsewhere.example/") == set()
    asked = {"filter[parent]": parent["uri"], "filter[status]": "processing", "sort": "created"}
    listed = models.get("/model/", asked).json()
    assert [row["uri"] for row in listed["resources"]] == [one["uri"], two["uri"]]
    assert listed["meta"]["count"] == 2
    body = {"holder": stranger.uri, "namespace": "models", "right": "read"}
    client_of("users", person).post("/permissions/", {**body, "object": one["uri"]})
    assert children(others, parent["uri"]) == set()  # whose child it is, is not theirs to know
    client_of("users", person).post("/permissions/", {**body, "object": parent["uri"]})
    assert children(others, parent["uri"]) == {one["uri"]}
