"""Questions about rights, over HTTP."""

import pytest

from apps.users.models import Group, Membership, Permission, User
from apps.users.services.permissions import grant
from tests.users.conftest import PROOF

BUREAU = "https://elsewhere.example/bureau/7"
# A resource of ours that is neither a user nor a group can hold rights too.
BUREAU_KEEPER = "http://models.platform.test/model/01900000-0000-7000-8000-000000000000/"


@pytest.fixture
def team(person, operator) -> Group:
    """A group of which `person` is a member."""
    group = Group.objects.create(name="team", creator=operator)
    Membership.objects.create(group=group, user=person)
    return group


def give(holder: str, right: str = "printer.all", object: str = BUREAU) -> Permission:
    return grant(actor=None, holder=holder, namespace="erp", object=object, right=right)


def question(right: str = "printer.all", object: str = BUREAU, **holder: str) -> dict[str, str]:
    return {"namespace": "erp", "object": object, "right": right, **holder}


def holders(client, right: str = "printer.all", more: str = "") -> list[str]:
    found = client.get(f"/permissions/who-can/?namespace=erp&right={right}&object={BUREAU}{more}")
    return sorted(row["holder"] for row in found.json()["resources"])


# ---------------------------------------------------------------- check


def test_permission_check_of_own_rights_includes_groups(ada, person, team):
    assert ada.post("/permissions/check/", question()).json()["allowed"] is False

    give(team.uri)

    answer = ada.post("/permissions/check/", question())
    assert answer.status_code == 200
    assert answer.json() == {**question(holder=person.uri), "allowed": True}
    assert ada.post("/permissions/check/", question(holder=team.uri)).json()["allowed"] is True
    assert Permission.objects.count() == 1


def test_permission_checks_are_answered_in_request_order(root, person, stranger, operator, team):
    give(team.uri)
    give(stranger.uri, object=person.uri)
    give("urn:robot")
    give(BUREAU_KEEPER)
    stranger.is_active = False
    stranger.save()
    asked = [
        question(holder=person.uri),
        question(holder=person.uri, object=BUREAU + "8"),
        question(holder=stranger.uri, object=person.uri),
        question(holder="urn:robot"),
        question(holder="urn:other"),
        question(holder=operator.uri, object="http://any/"),
        question("stock.all", holder=person.uri),
        question(holder=BUREAU_KEEPER.replace("http:", "https:").rstrip("/")),
    ]

    answers = root.post("/permissions/check/", {"questions": asked}).json()["answers"]

    assert [answer.pop("allowed") for answer in answers] == [
        True, False, False, True, False, True, False, True
    ]  # fmt: skip
    assert answers == asked


def test_permission_check_of_other_holders_requires_granting_right(
    bob, root, person, stranger, team
):
    asked = question(holder=person.uri)
    many = {"questions": [question(), asked]}

    for body in (asked, question(holder=team.uri), many):
        answer = bob.post("/permissions/check/", body)
        assert (answer.status_code, answer.json()["errors"][0]["code"]) == (403, "Unauthorized")

    give(stranger.uri, "bureau.permission.all")
    assert bob.post("/permissions/check/", asked).json()["allowed"] is False
    assert bob.post("/permissions/check/", many).status_code == 200
    other = {**asked, "object": BUREAU + "8"}
    assert bob.post("/permissions/check/", other).status_code == 403


def test_incomplete_permission_check_is_rejected_with_its_field(ada):
    for body, field in (
        ({"namespace": "erp", "object": BUREAU}, "right"),
        ({"questions": [{"namespace": "erp", "right": "x"}]}, "questions.0.object"),
        ({"questions": []}, "questions"),
        ({"questions": [question()] * 101}, "questions"),
        ({"questions": [question()], "right": "x"}, "right"),
    ):
        answer = ada.post("/permissions/check/", body)

        assert answer.status_code == 400
        assert [error["field"] for error in answer.json()["errors"]] == [field]


def test_read_only_token_can_check_permissions(ada, with_token):
    reader = with_token(ada.post("/api_tokens/", {**PROOF, "read_only": True}).json())

    assert reader.post("/permissions/check/", question()).status_code == 200
    assert reader.post("/permissions/", question(holder="x")).status_code == 403


# ---------------------------------------------------------------- who-can


def test_holder_list_is_complete_for_granters_and_limited_for_others(
    ada, bob, root, person, stranger, team
):
    give(team.uri)
    give(stranger.uri)
    give("urn:robot")

    assert holders(root) == sorted([team.uri, stranger.uri, "urn:robot"])
    assert holders(ada) == [team.uri]
    assert holders(bob) == [stranger.uri]
    give(person.uri, "bureau.permission.all")
    assert holders(ada) == sorted([team.uri, stranger.uri, "urn:robot"])


def test_holder_list_expands_groups_when_requested(ada, bob, root, person, stranger, team):
    give(team.uri)
    give(person.uri)
    give(stranger.uri)

    opened = "&open_groups=true"
    assert holders(root, more=opened) == sorted([person.uri, stranger.uri])
    assert holders(ada, more=opened) == [person.uri]
    assert holders(bob, more=opened) == [stranger.uri]


def test_holder_list_pagination_returns_every_holder(root, operator):
    given = {give(f"urn:robot:{number}").holder for number in range(3)}
    for number in range(4):
        user = User.objects.create_user(f"user{number}", "u@example.com")
        given.add(give(user.uri).holder)

    url = f"/permissions/who-can/?namespace=erp&right=printer.all&object={BUREAU}&page[limit]=2"
    seen: list[str] = []
    while url:
        page = root.get(url).json()
        seen += [row["holder"] for row in page["resources"]]
        url = page["links"]["next"]

    assert page["meta"] == {"count": 7}
    assert len(seen) == 7
    assert set(seen) == given


def test_holder_list_requires_namespace_and_object(root):
    answer = root.get("/permissions/who-can/?right=x&open_groups=maybe&colour=red")
    assert answer.status_code == 400
    answer = root.get("/permissions/who-can/?right=x")

    assert {(error["field"], error["code"]) for error in answer.json()["errors"]} == {
        ("namespace", "missing-parameter"),
        ("object", "missing-parameter"),
    }


# ---------------------------------------------------------------- what-can


def test_own_rights_list_includes_rights_of_groups(ada, person, team, stranger):
    direct, through = give(person.uri), give(team.uri, "stock.all")
    give(stranger.uri)

    def rights(query: str = "") -> list[str]:
        return [
            row["uri"] for row in ada.get(f"/permissions/what-can/?{query}").json()["resources"]
        ]

    assert rights() == [through.uri, direct.uri]
    assert rights("right=stock.all") == [through.uri]
    assert rights(f"object={BUREAU}&namespace=erp") == [through.uri, direct.uri]
    assert rights("namespace=models") == []
    assert rights(f"holder={team.uri}") == [through.uri]


def test_rights_list_of_another_user_is_limited_to_visible_permissions(
    ada, bob, root, person, team, stranger
):
    give(person.uri)
    give(team.uri, "stock.all")

    def count(client) -> int:
        return client.get(f"/permissions/what-can/?holder={person.uri}").json()["meta"]["count"]

    assert (count(root), count(ada), count(bob)) == (2, 2, 0)
    Membership.objects.create(group=team, user=stranger)
    assert count(bob) == 1
