"""Groups, over HTTP."""

import pytest

from apps.users.models import AuditEvent, Group, Membership, Permission


@pytest.fixture
def team(ada) -> dict:
    return ada.post("/groups/", {"name": "team", "description": "prints"}).json()


def test_user_creates_a_group_without_members_or_permissions(ada, person):
    answer = ada.post("/groups/", {"name": "team", "description": "prints"})

    assert answer.status_code == 201
    group = answer.json()
    assert answer["Location"] == group["uri"]
    assert group == {
        "uri": f"http://users.platform.test/groups/{group['uuid']}/",
        "uuid": group["uuid"],
        "name": "team",
        "description": "prints",
        "user_uri": person.uri,
        "created": group["created"],
    }
    assert (Membership.objects.count(), Permission.objects.count()) == (0, 0)


def test_group_fields_are_optional_and_unknown_fields_are_rejected(ada):
    assert ada.post("/groups/", {}).json()["name"] is None

    answer = ada.post("/groups/", {"name": "x", "creator": "y", "members": []})

    assert answer.status_code == 400
    assert {error["field"] for error in answer.json()["errors"]} == {"creator", "members"}
    assert Group.objects.count() == 1


def test_group_is_readable_with_and_without_trailing_slash(ada, team):
    assert ada.get(team["uri"]).json() == team
    assert ada.get(team["uri"].rstrip("/")).json() == team


def test_group_is_visible_only_to_creator_members_and_administrators(
    ada, bob, root, team, stranger
):
    assert bob.get(team["uri"]).status_code == 404
    assert bob.get("/groups/").json()["resources"] == []

    ada.post("/memberships/", {"group": team["uri"], "user": stranger.uri})

    for client in (ada, bob, root):
        assert client.get(team["uri"]).json() == team
        assert client.get("/groups/").json()["resources"] == [team]


def test_groups_are_filtered_and_searched(ada, team, stranger, person):
    other = ada.post("/groups/", {"name": "other"}).json()
    ada.post("/memberships/", {"group": other["uri"], "user": stranger.uri})

    def names(query: str) -> list[str]:
        return [group["name"] for group in ada.get(f"/groups/?{query}").json()["resources"]]

    assert names("filter[name]=team") == ["team"]
    assert names("search[name]=THE") == ["other"]
    assert names(f"filter[uuid]={team['uuid']}") == ["team"]
    assert names(f"filter[user]={stranger.uri}") == ["other"]
    assert names(f"filter[user_uri]={person.uri}&sort=name") == ["other", "team"]
    assert ada.get("/groups/?filter[uuid]=x").status_code == 400


def test_member_cannot_change_group_and_gets_the_missing_right(ada, bob, team, stranger, person):
    ada.post("/memberships/", {"group": team["uri"], "user": stranger.uri})

    for answer in (bob.put(team["uri"], {"name": "mine"}), bob.delete(team["uri"])):
        assert answer.status_code == 403
        (error,) = answer.json()["errors"]
        assert error["code"] == "Unauthorized"
        assert "group.all" in error["title"]
        assert error["details"] == {
            "right": "group.all",
            "namespace": "users",
            "object": team["uri"],
            "granted_by": [],
        }
    assert Group.objects.get().name == "team"


def test_holder_of_group_right_can_change_the_group(ada, bob, team, stranger):
    ada.post(
        "/permissions/",
        {
            "holder": stranger.uri,
            "namespace": "users",
            "object": team["uri"],
            "right": "group.all",
        },
    )

    assert bob.put(team["uri"], {"name": "ours"}).status_code == 204
    assert Group.objects.get().name == "ours"


def test_deleting_a_group_removes_its_memberships_and_permissions(ada, root, team, stranger):
    ada.post("/memberships/", {"group": team["uri"], "user": stranger.uri})
    granted = {"namespace": "erp", "object": "http://elsewhere.example/1", "right": "x.all"}
    root.post("/permissions/", {**granted, "holder": team["uri"]})
    root.post("/permissions/", {**granted, "holder": stranger.uri, "object": team["uri"]})
    root.post("/permissions/", {**granted, "holder": stranger.uri})

    assert ada.delete(team["uri"]).status_code == 204

    assert Group.objects.count() == Membership.objects.count() == 0
    assert Permission.objects.get().holder == stranger.uri
    assert AuditEvent.objects.filter(action="group.deleted").get().before["members"] == [
        stranger.uri
    ]
