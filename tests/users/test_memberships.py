"""Memberships, over HTTP."""

import pytest

from apps.users.models import Group, Membership, User


@pytest.fixture
def team(person) -> Group:
    return Group.objects.create(name="team", creator=person)


@pytest.fixture
def eve(db) -> User:
    return User.objects.create_user("eve", "eve@example.com", "correct horse battery", name="Eve")


def test_group_creator_adds_a_member(ada, team, stranger):
    answer = ada.post("/memberships/", {"group": team.uri, "user": stranger.uri})

    assert answer.status_code == 201
    membership = answer.json()
    assert answer["Location"] == membership["uri"]
    assert (membership["group"], membership["user"]) == (team.uri, stranger.uri)
    assert ada.get(membership["uri"]).json() == membership


def test_membership_accepts_uris_in_any_own_spelling(ada, team, stranger):
    answer = ada.post(
        "/memberships/",
        {
            "group": team.uri.replace("users.", "data.").rstrip("/"),
            "user": stranger.uri.replace("http:", "https:"),
        },
    )

    assert (answer.json()["group"], answer.json()["user"]) == (team.uri, stranger.uri)


def test_stranger_cannot_add_members_to_a_group(bob, team, stranger, eve):
    for user in (stranger, eve):
        answer = bob.post("/memberships/", {"group": team.uri, "user": user.uri})

        assert answer.status_code == 403
        assert answer.json()["errors"][0]["code"] == "Unauthorized"
        assert "group.membership.all" in answer.json()["errors"][0]["title"]
    assert Membership.objects.count() == 0


def test_missing_group_is_rejected_like_group_of_another_user(bob, team, stranger):
    nowhere = team.uri.replace(str(team.pk), str(stranger.pk))

    refused = [
        bob.post("/memberships/", {"group": group, "user": stranger.uri})
        for group in (team.uri, nowhere)
    ]

    told = [answer.json()["errors"][0] for answer in refused]
    assert [answer.status_code for answer in refused] == [403, 403]
    assert told[0]["title"].replace(str(team.pk), str(stranger.pk)) == told[1]["title"]


def test_missing_or_inactive_user_is_rejected_with_its_field(ada, team, stranger):
    stranger.is_active = False
    stranger.save()

    for user in (stranger.uri, team.uri, "http://elsewhere.example/users/1/"):
        answer = ada.post("/memberships/", {"group": team.uri, "user": user})

        assert answer.status_code == 400
        assert answer.json()["errors"][0]["code"] == "resource-not-found"
        assert answer.json()["errors"][0]["field"] == "user"
    assert Membership.objects.count() == 0


def test_holder_of_membership_right_can_add_members(ada, bob, team, stranger, eve):
    granted = {"holder": stranger.uri, "namespace": "users", "object": team.uri}
    ada.post("/permissions/", {**granted, "right": "group.membership.all"})

    assert bob.post("/memberships/", {"group": team.uri, "user": eve.uri}).status_code == 201


def test_duplicate_membership_is_rejected(ada, team, stranger):
    first = ada.post("/memberships/", {"group": team.uri, "user": stranger.uri}).json()

    answer = ada.post("/memberships/", {"group": team.uri, "user": stranger.uri})

    assert answer.status_code == 409
    assert answer.json()["errors"][0]["details"] == {"uri": first["uri"]}
    assert Membership.objects.count() == 1


def test_groups_per_user_are_limited(ada, person, stranger, settings):
    settings.LIMITS = {**settings.LIMITS, "groups": 2}
    groups = [Group.objects.create(creator=person) for _ in range(3)]

    answers = [
        ada.post("/memberships/", {"group": group.uri, "user": stranger.uri}) for group in groups
    ]

    assert [answer.status_code for answer in answers] == [201, 201, 409]
    (error,) = answers[2].json()["errors"]
    assert error["code"] == "limit-reached"
    assert error["details"] == {
        "limit": "groups",
        "most": 2,
        "used": 2,
        "free_by": "leaving one of them",
    }
    assert Membership.objects.count() == 2


def test_membership_can_be_moved_only_between_own_groups(ada, team, person, stranger, eve):
    membership = ada.post("/memberships/", {"group": team.uri, "user": eve.uri}).json()
    own = Group.objects.create(creator=person)
    others = Group.objects.create(creator=stranger)

    assert ada.put(membership["uri"], {"group": others.uri}).status_code == 403
    assert ada.get(membership["uri"]).json()["group"] == team.uri
    assert ada.put(membership["uri"], {"group": own.uri}).status_code == 204
    assert ada.get(membership["uri"]).json()["group"] == own.uri


def test_memberships_are_visible_only_to_members_and_administrators(
    ada, bob, client_of, team, stranger, eve, operator
):
    one = ada.post("/memberships/", {"group": team.uri, "user": stranger.uri}).json()

    assert bob.get("/memberships/").json()["resources"] == [one]
    assert client_of("users", operator).get("/memberships/").json()["resources"] == [one]
    other = client_of("users", eve)
    assert other.get("/memberships/").json()["resources"] == []
    assert other.get(one["uri"]).status_code == 404
    assert other.delete(one["uri"]).status_code == 404


def test_memberships_are_filtered(ada, person, team, stranger, eve):
    other = Group.objects.create(creator=person)
    for group, user in ((team, stranger), (team, eve), (other, eve)):
        ada.post("/memberships/", {"group": group.uri, "user": user.uri})

    def found(query: str) -> list[tuple[str, str]]:
        rows = ada.get(f"/memberships/?{query}").json()["resources"]
        return [(row["group"], row["user"]) for row in rows]

    assert found(f"filter[group]={team.uri}") == [(team.uri, eve.uri), (team.uri, stranger.uri)]
    assert found(f"filter[user]={eve.uri}") == [(other.uri, eve.uri), (team.uri, eve.uri)]
    assert found(f"filter[user]={eve.uri}&filter[group]={other.uri}") == [(other.uri, eve.uri)]


def test_member_can_leave_but_not_remove_other_members(ada, bob, team, stranger, eve):
    own = ada.post("/memberships/", {"group": team.uri, "user": stranger.uri}).json()
    others = ada.post("/memberships/", {"group": team.uri, "user": eve.uri}).json()

    assert bob.delete(others["uri"]).status_code == 403
    assert Membership.objects.count() == 2
    assert bob.delete(own["uri"]).status_code == 204
    assert Membership.objects.get().user == eve
