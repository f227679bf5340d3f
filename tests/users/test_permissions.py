"""Permissions, over HTTP."""

import json

import pytest

from apps.users.models import AuditEvent, Group, Membership, Permission
from apps.warehouse.models import Model
from tests.users.conftest import PROOF

BUREAU = "https://elsewhere.example/bureau/7"


@pytest.fixture
def part(person) -> Model:
    return Model.objects.create(owner=person, name="part")


def asked(holder: str, right: str = "printer.all", **others: str) -> dict[str, str]:
    return {"holder": holder, "namespace": "erp", "object": BUREAU, "right": right, **others}


def test_administrator_grants_any_right(root, person, operator):
    answer = root.post("/permissions/", asked(person.uri))

    assert answer.status_code == 201
    permission = answer.json()
    assert answer["Location"] == permission["uri"]
    assert permission == {
        **asked(person.uri),
        "uri": f"http://users.platform.test/permissions/{permission['uuid']}/",
        "uuid": permission["uuid"],
        "created_by": operator.uri,
        "created": permission["created"],
    }
    assert root.get(permission["uri"]).json() == permission


def test_platform_service_grants_any_right(bob, stranger, person):
    stranger.is_platform_service = True
    stranger.save()

    assert bob.post("/permissions/", asked(person.uri)).status_code == 201


def test_permission_requires_holder_namespace_object_and_right(root):
    answer = root.post("/permissions/", {"right": ""})

    assert answer.status_code == 400
    assert {(error["field"], error["code"]) for error in answer.json()["errors"]} == {
        (field, "missing-parameter") for field in ("holder", "namespace", "object", "right")
    }


def test_permission_strings_are_returned_verbatim_and_compared_canonically(root, person, part):
    posted = asked(
        person.uri.replace("http:", "https:").rstrip("/"),
        " odd right ",
        object=part.uri.replace("models.", "data.").rstrip("/"),
    )

    answer = root.post("/permissions/", posted)

    assert {name: answer.json()[name] for name in posted} == posted
    again = root.post("/permissions/", {**posted, "holder": person.uri, "object": part.uri})
    assert again.status_code == 409
    assert again.json()["errors"][0]["details"] == {"uri": answer.json()["uri"]}
    for query in (f"filter[holder]={person.uri}", f"filter[object]={part.uri}"):
        assert root.get(f"/permissions/?{query}").json()["meta"]["count"] == 1
    assert person.has_perm("erp. odd right ", part.uri)
    assert Permission.objects.count() == 1


def test_foreign_uri_with_own_path_grants_nothing_on_own_resources(root, person, part):
    for uri in (part.uri.replace("platform.test", "evil.example"), f"{part.uri}?x=1"):
        root.post("/permissions/", asked(person.uri, "read", namespace="models", object=uri))
    imposter = person.uri.replace("platform.test", "evil.example")
    root.post("/permissions/", asked(imposter))

    assert set(Permission.objects.values_list("object_uuid", flat=True)) == {None}
    assert not person.has_perm("models.read", part.uri)
    assert not person.has_perm("erp.printer.all", BUREAU)


def test_permission_with_invisible_characters_is_rejected(root, person):
    for text in ("a\nb", "a\x00b", "a\u202eb", "\ud800"):
        body = json.dumps(asked(person.uri, text))
        answer = root.post("/permissions/", body, content_type="application/json")

        assert answer.status_code == 400, ascii(text)
    assert Permission.objects.count() == 0


def test_delegated_granting_is_limited_to_its_object_and_namespace(ada, root, person, stranger):
    root.post("/permissions/", asked(person.uri, "bureau.permission.all"))

    refused = [
        asked(stranger.uri, object=BUREAU + "8"),
        asked(stranger.uri, namespace="models"),
        asked(stranger.uri, object=BUREAU.upper()),
    ]
    for body in refused:
        assert ada.post("/permissions/", body).status_code == 403
    assert Permission.objects.count() == 1
    assert ada.post("/permissions/", asked(stranger.uri)).status_code == 201


def test_similar_right_names_do_not_delegate_granting(ada, root, person, stranger):
    for right in (".permission.all", "bureau.permission", "bureau.permission.all.x", "%"):
        root.post("/permissions/", asked(person.uri, right))

    assert ada.post("/permissions/", asked(stranger.uri)).status_code == 403


def test_delegation_to_a_group_applies_to_its_members(ada, root, person, stranger, operator):
    group = Group.objects.create(creator=operator)
    root.post("/permissions/", asked(group.uri, "bureau.permission.all"))
    assert ada.post("/permissions/", asked(stranger.uri)).status_code == 403

    membership = Membership.objects.create(group=group, user=person)
    assert ada.post("/permissions/", asked(stranger.uri)).status_code == 201

    membership.delete()
    assert ada.post("/permissions/", asked(stranger.uri, "stock.all")).status_code == 403


def test_owner_grants_rights_on_own_model(ada, bob, part, stranger):
    body = asked(stranger.uri, "read", namespace="models", object=part.uri)

    assert bob.post("/permissions/", body).status_code == 403
    assert Permission.objects.count() == 0
    assert ada.post("/permissions/", body).status_code == 201


def test_granting_on_deleted_object_is_rejected_as_missing_right(ada, part, stranger):
    Model.objects.update(deleted=part.created)

    answer = ada.post(
        "/permissions/", asked(stranger.uri, "read", namespace="models", object=part.uri)
    )

    assert answer.status_code == 403
    assert answer.json()["errors"][0]["details"] == {
        "right": "model.permission.all",
        "namespace": "models",
        "object": part.uri,
        "granted_by": [],
    }


def test_missing_right_error_lists_only_visible_granters(
    bob, ada, root, person, stranger, operator
):
    team, other = (Group.objects.create(creator=operator) for _ in range(2))
    for user in (person, stranger):
        Membership.objects.create(group=team, user=user)
    for holder in (person, other, operator):
        root.post("/permissions/", asked(holder.uri, "bureau.permission.all"))

    (error,) = bob.post("/permissions/", asked(stranger.uri)).json()["errors"]

    assert error["details"]["granted_by"] == [person.uri]
    assert person.uri in error["title"]


def test_permission_ignores_or_rejects_server_set_fields(root, person, stranger):
    answer = root.post(
        "/permissions/", {**asked(person.uri), "created_by": stranger.uri, "uuid": str(person.pk)}
    )

    assert answer.status_code == 201
    assert answer.json()["created_by"] != stranger.uri
    assert answer.json()["uuid"] != str(person.pk)
    assert root.post("/permissions/", {**asked("x"), "holder_uuid": "y"}).status_code == 400


def test_user_lists_own_group_and_self_granted_permissions(
    ada, bob, root, person, stranger, part, operator
):
    team = Group.objects.create(creator=operator)
    Membership.objects.create(group=team, user=person)
    mine = root.post("/permissions/", asked(person.uri)).json()
    ours = root.post("/permissions/", asked(team.uri)).json()
    given = ada.post("/permissions/", asked(team.uri, namespace="models", object=part.uri)).json()
    others = root.post("/permissions/", asked(stranger.uri)).json()

    assert ada.get("/permissions/").json()["resources"] == [given, ours, mine]
    assert ada.get(others["uri"]).status_code == 404
    assert ada.delete(others["uri"]).status_code == 404
    assert bob.get("/permissions/").json()["resources"] == [others]
    assert root.get("/permissions/").json()["meta"]["count"] == 4


def test_permissions_are_filtered(root, person, stranger):
    for holder, right in ((person, "a"), (stranger, "a"), (person, "b")):
        root.post("/permissions/", asked(holder.uri, right))
    root.post("/permissions/", asked("urn:robot", "c", namespace="models"))

    def rights(query: str) -> list[str]:
        return [row["right"] for row in root.get(f"/permissions/?{query}").json()["resources"]]

    assert rights(f"filter[holder]={person.uri}&filter[namespace]=erp") == ["b", "a"]
    assert rights(f"filter[holder]={person.uri},urn:robot") == ["c", "b", "a"]
    assert rights("filter[namespace]=models") == ["c"]
    assert rights("filter[right]=a,b") == ["b", "a", "a"]
    assert rights(f"filter[object]={BUREAU}&filter[right]=c") == ["c"]
    assert rights("filter[object]=http://x/") == []
    assert root.get("/permissions/?filter[holder_uuid]=x").status_code == 400


def test_permission_change_needs_authority_over_old_and_new_object(ada, root, person, stranger):
    root.post("/permissions/", asked(person.uri, "bureau.permission.all"))
    own = ada.post("/permissions/", asked(stranger.uri)).json()

    assert ada.put(own["uri"], {"object": BUREAU + "8"}).status_code == 403
    assert ada.put(own["uri"], {"namespace": "users"}).status_code == 403
    assert ada.get(own["uri"]).json() == own
    assert ada.put(own["uri"], {"right": "stock.all"}).status_code == 204
    assert ada.get(own["uri"]).json() == {**own, "right": "stock.all"}


def test_permission_holder_cannot_change_the_permission(bob, root, stranger):
    held = root.post("/permissions/", asked(stranger.uri)).json()

    for change in ({"right": "bureau.permission.all"}, {"holder": "x"}, {"object": "y"}):
        assert bob.put(held["uri"], change).status_code == 403
    assert root.get(held["uri"]).json() == held


def test_permission_is_revoked_by_granter_or_deleted_by_its_holder(
    ada, bob, root, part, stranger, operator
):
    team = Group.objects.create(creator=operator)
    Membership.objects.create(group=team, user=stranger)
    on_part = {"namespace": "models", "object": part.uri}
    first = root.post("/permissions/", asked(stranger.uri, "read", **on_part)).json()
    second = root.post("/permissions/", asked(stranger.uri, "write", **on_part)).json()
    shared = root.post("/permissions/", asked(team.uri, "read", **on_part)).json()

    assert ada.get(first["uri"]).json() == first
    assert ada.delete(first["uri"]).status_code == 204
    assert bob.delete(shared["uri"]).status_code == 403
    assert bob.delete(second["uri"]).status_code == 204
    assert Permission.objects.get().uri == shared["uri"]


def test_grant_and_revocation_are_recorded_in_audit_log(root, person, operator):
    permission = root.post(
        "/permissions/", asked(person.uri), headers={"Request-ID": "my-number"}
    ).json()
    root.delete(permission["uri"])

    granted, revoked = AuditEvent.objects.order_by("uuid")
    assert (granted.action, granted.actor, granted.on) == (
        "permission.granted",
        operator,
        permission["uri"],
    )
    assert (granted.before, granted.after) == (None, asked(person.uri))
    assert (granted.request_id, granted.address) == ("my-number", "127.0.0.1")
    assert (revoked.action, revoked.before) == ("permission.revoked", asked(person.uri))


def test_deleting_a_user_removes_permissions_and_memberships(ada, root, person, operator):
    team = Group.objects.create(creator=operator)
    Membership.objects.create(group=team, user=person)
    root.post("/permissions/", asked(person.uri))

    assert ada.delete(person.uri, PROOF).status_code == 204

    assert Permission.objects.count() == Membership.objects.count() == 0
