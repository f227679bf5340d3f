"""Members of bureaus, people of locations, and the rights that they are granted."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection

from apps.users.models import Group, Permission


@pytest.fixture
def permissions(client_of, person):
    """`permissions(user)`: what the users service knows that a user may do, as Ada sees it."""

    def look(user, on: str) -> list[str]:
        query = {"filter[holder]": user.uri, "filter[object]": on, "filter[namespace]": "erp"}
        found = client_of("users", person).get("/permissions/", query).json()["resources"]
        return sorted(permission["right"] for permission in found)

    return look


@pytest.fixture
def bob(client_of, stranger):
    return client_of("erp", stranger)


def error_of(answer, status: int) -> dict:
    assert answer.status_code == status, answer.content
    (error,) = answer.json()["errors"]
    return error


def test_creator_of_a_bureau_becomes_member_with_all_rights(
    erp, client_of, person, permissions, bureau
):
    (membership,) = erp.get("/membership-bureau/").json()["resources"]
    told = {row["right"] for row in erp.get("/permission-bureau/").json()["resources"]}

    assert (membership["bureau"], membership["user"]) == (bureau["uri"], person.uri)
    assert (
        permissions(person, bureau["uri"])
        == sorted(told)
        == sorted(
            [
                "currency_conversion.all",
                "location.all",
                "manufacturer.all",
                "material.all",
                "post_processor_type.all",
                "printer_type.all",
                "service_provider.all",
                "shipping.all",
                "third_party.all",
                "bureau.permission.all",
            ]
        )
    )
    joined = client_of("users", person).get("/memberships/", {"filter[group]": bureau["group"]})
    assert [row["user"] for row in joined.json()["resources"]] == [person.uri]


def test_creator_of_a_location_gets_all_rights_on_it(person, permissions, location):
    held = permissions(person, location["uri"])

    assert held == ["location.permission.all", "post_processor.all", "printer.all", "stock.all"]


@pytest.mark.parametrize(("on", "right"), [("bureau", "material.all"), ("location", "printer.all")])
def test_right_is_granted_and_revoked_with_its_permission(
    erp, make, bob, stranger, permissions, bureau, location, on, right
):
    place = {"bureau": bureau, "location": location}[on]["uri"]

    row = make(f"permission-{on}", **{on: place, "right": right, "user": stranger.uri})

    assert {name: row[name] for name in (on, "right", "user")} == {
        on: place, "right": right, "user": stranger.uri
    }  # fmt: skip
    assert permissions(stranger, place) == [right]
    assert erp.put(row["uri"], row).status_code == 204
    fixed = error_of(erp.put(row["uri"], {"right": f"{on}.permission.all"}), 400)
    assert (fixed["code"], fixed["field"]) == ("cannot-set-property", "right")
    assert bob.get(row["uri"]).status_code == 200
    answer = erp.delete(row["uri"])
    assert (answer.status_code, answer.content) == (204, b"")
    assert permissions(stranger, place) == []
    assert bob.get(row["uri"]).status_code == 404


@pytest.mark.parametrize("on", ["bureau", "location"])
def test_right_can_be_granted_only_once(erp, make, stranger, bureau, location, on):
    place = {"bureau": bureau, "location": location}[on]["uri"]
    body = {on: place, "right": f"{on}.permission.all", "user": stranger.uri}
    first = make(f"permission-{on}", **body)

    error = error_of(erp.post(f"/permission-{on}/", body), 409)

    assert (error["code"], error["details"]) == ("resource-exists", {"uri": first["uri"]})


@pytest.mark.parametrize("on", ["bureau", "location"])
def test_only_rights_of_the_kind_can_be_granted(erp, stranger, bureau, location, on):
    place = {"bureau": bureau, "location": location}[on]["uri"]
    other = {"bureau": "printer.all", "location": "material.all"}[on]

    for right in ("everything", other):
        body = {on: place, "right": right, "user": stranger.uri}
        error = error_of(erp.post(f"/permission-{on}/", body), 400)

        assert error["code"] == "property-value-not-in-allowed-values"
        assert error["field"] == "right"


@pytest.mark.parametrize("on", ["bureau", "location"])
def test_user_without_permission_right_cannot_grant_or_revoke(
    bob, make, stranger, bureau, location, on
):
    place = {"bureau": bureau, "location": location}[on]["uri"]
    right = {"bureau": "material.all", "location": "stock.all"}[on]
    held = make(f"permission-{on}", **{on: place, "right": right, "user": stranger.uri})
    body = {on: place, "right": f"{on}.permission.all", "user": stranger.uri}

    for answer in (bob.post(f"/permission-{on}/", body), bob.delete(held["uri"])):
        error = error_of(answer, 403)
        assert error["code"] == "Unauthorized"
        assert f"{on}.permission.all" in error["title"]


@pytest.mark.parametrize("on", ["bureau", "location"])
def test_user_with_permission_right_can_grant_and_revoke(
    bob, client_of, make, stranger, operator, permissions, bureau, location, on
):
    place = {"bureau": bureau, "location": location}[on]["uri"]
    right = {"bureau": "material.all", "location": "stock.all"}[on]
    make(f"permission-{on}", **{on: place, "right": f"{on}.permission.all", "user": stranger.uri})

    made = make(f"permission-{on}", bob, **{on: place, "right": right, "user": stranger.uri})

    assert bob.delete(made["uri"]).status_code == 204
    root = client_of("erp", operator)
    make(f"permission-{on}", root, **{on: place, "right": right, "user": stranger.uri})


@contextmanager
def refusing(what: str) -> Iterator[None]:
    """The database refuses this, such as "INSERT ON users_permission"."""
    connection.check_constraints()
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'refused'; END $$"
        )
        cursor.execute(f"CREATE TRIGGER refuse BEFORE {what} EXECUTE FUNCTION refuse()")
        yield
        cursor.execute(f"DROP TRIGGER refuse {what[what.index('ON') :]}")


def test_permission_rows_are_created_together_or_not_at_all(erp, stranger, bureau):
    body = {"bureau": bureau["uri"], "right": "material.all", "user": stranger.uri}
    before = Permission.objects.count()
    erp.raise_request_exception = False

    with refusing("INSERT ON users_permission"):
        assert erp.post("/permission-bureau/", body).status_code == 500

    assert Permission.objects.count() == before
    assert erp.post("/permission-bureau/", body).status_code == 201


def test_permission_rows_are_deleted_together_or_not_at_all(
    erp, make, stranger, permissions, bureau
):
    body = {"bureau": bureau["uri"], "right": "material.all", "user": stranger.uri}
    row = make("permission-bureau", **body)
    erp.raise_request_exception = False

    with refusing("DELETE ON users_permission"):
        assert erp.delete(row["uri"]).status_code == 500

    assert erp.get(row["uri"]).json() == row
    assert permissions(stranger, bureau["uri"]) == ["material.all"]


def test_right_revoked_in_users_service_is_hidden_and_can_be_granted_again(
    erp, make, client_of, person, stranger, permissions, bureau
):
    body = {"bureau": bureau["uri"], "right": "material.all", "user": stranger.uri}
    first = make("permission-bureau", **body)
    ordinary = Permission.objects.get(holder_uuid=stranger.pk, right="material.all")
    assert client_of("users", person).delete(ordinary.uri).status_code == 204

    listed = erp.get("/permission-bureau/", {"filter[user]": stranger.uri}).json()
    again = make("permission-bureau", **body)

    assert listed["resources"] == []
    assert erp.get(first["uri"]).status_code == 404
    assert erp.get(again["uri"]).json() == again
    assert permissions(stranger, bureau["uri"]) == ["material.all"]


def test_bureau_membership_is_membership_of_its_group(
    erp, make, bob, client_of, person, stranger, bureau
):
    row = make("membership-bureau", bureau=bureau["uri"], user=stranger.uri)

    query = {"filter[group]": bureau["group"], "filter[user]": stranger.uri}
    in_group = client_of("users", person).get("/memberships/", query).json()
    assert in_group["meta"]["count"] == 1
    assert bob.get(bureau["uri"]).status_code == 200
    assert error_of(erp.post("/membership-bureau/", row), 409)["code"] == "resource-exists"
    assert erp.delete(row["uri"]).status_code == 204
    assert client_of("users", person).get("/memberships/", query).json()["meta"]["count"] == 0
    assert bob.get(bureau["uri"]).status_code == 404


def test_leaving_the_group_ends_the_bureau_membership(erp, make, bob, client_of, stranger, bureau):
    row = make("membership-bureau", bureau=bureau["uri"], user=stranger.uri)
    own = client_of("users", stranger)
    query = {"filter[user]": stranger.uri}
    (in_group,) = own.get("/memberships/", query).json()["resources"]
    assert own.delete(in_group["uri"]).status_code == 204

    assert bob.get(bureau["uri"]).status_code == 404
    assert erp.get(row["uri"]).status_code == 404
    make("membership-bureau", bureau=bureau["uri"], user=stranger.uri)
    assert bob.get(bureau["uri"]).status_code == 200


@pytest.mark.parametrize("on", ["bureau", "location"])
def test_only_users_with_permission_right_add_members(bob, make, member, bureau, location, on):
    place = {"bureau": bureau, "location": location}[on]["uri"]

    error = error_of(bob.post(f"/membership-{on}/", {on: place, "user": member.uri}), 403)

    assert f"{on}.permission.all" in error["title"]


def test_location_member_can_read_the_location(erp, make, bob, stranger, bureau, location):
    row = make("membership-location", location=location["uri"], user=stranger.uri)

    assert row["bureau"] == bureau["uri"]
    assert bob.get(location["uri"]).json() == location
    assert erp.delete(row["uri"]).status_code == 204
    assert bob.get(location["uri"]).status_code == 404


def test_only_users_with_permission_right_change_a_bureau(erp, bob, member, bureau):
    error = error_of(bob.put(bureau["uri"], {"name": "Mine"}), 403)

    assert "bureau.permission.all" in error["title"]
    assert erp.put(bureau["uri"], {"name": "Ours", "currency": "USD"}).status_code == 204
    assert erp.get(bureau["uri"]).json()["name"] == "Ours"


def test_deleting_a_location_deletes_its_permissions(erp, make, stranger, permissions, location):
    make("membership-location", location=location["uri"], user=stranger.uri)
    make("permission-location", location=location["uri"], right="stock.all", user=stranger.uri)

    assert erp.delete(location["uri"]).status_code == 204

    assert not Permission.objects.on(location["uri"]).exists()
    assert erp.get("/permission-location/").json()["resources"] == []


def test_deleting_a_bureau_deletes_its_group_and_permissions(erp, bureau, member):
    key = bureau["group"].split("/")[-2]

    assert erp.delete(bureau["uri"]).status_code == 204

    assert not Permission.objects.on(bureau["uri"]).exists()
    assert not Group.objects.filter(pk=key).exists()
    assert erp.get("/bureau/").json()["resources"] == []


def test_bureau_with_a_location_cannot_be_deleted(erp, person, permissions, bureau, location):
    error = error_of(erp.delete(bureau["uri"]), 409)

    assert (error["code"], error["details"]) == ("resource-in-use", {"used_by": [location["uri"]]})
    assert len(permissions(person, bureau["uri"])) == 10


def test_unknown_user_of_a_membership_is_rejected(erp, bureau):
    nobody = "http://users.platform.test/users/01900000-0000-7000-8000-000000000000/"

    error = error_of(
        erp.post("/membership-bureau/", {"bureau": bureau["uri"], "user": nobody}), 400
    )

    assert (error["code"], error["field"]) == ("resource-not-found", "user")


def test_right_granted_in_users_service_is_listed_and_can_be_revoked(
    erp, client_of, person, stranger, bureau
):
    users = client_of("users", person)
    body = {"holder": stranger.uri, "namespace": "erp", "object": bureau["uri"]}
    granted = users.post("/permissions/", {**body, "right": "material.all"}).json()
    users.post("/permissions/", {**body, "right": "of.another.kind"})

    (row,) = erp.get("/permission-bureau/", {"filter[user]": stranger.uri}).json()["resources"]

    assert row["right"] == "material.all"
    assert row["uri"].split("/")[-2] == granted["uri"].split("/")[-2]
    assert erp.delete(row["uri"]).status_code == 204
    assert users.get(granted["uri"]).status_code == 404
