"""Invitations: a link gives its finder a named role in a bureau, once."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.erp.models import Invitation, MembershipBureau, PermissionBureau, PermissionLocation
from apps.users.models import User


@pytest.fixture
def invite(erp, bureau):
    """`invite("sales")`: the URI of an invitation and the token of its link."""

    def make(role: str) -> tuple[str, str]:
        answer = erp.post("/invitation/", {"bureau": bureau["uri"], "role": role, "name": "Bo"})
        uri = answer.headers["Location"]
        link = erp.post(f"{uri}link/")
        assert link.status_code == 201
        return uri, link.json()["token"]

    return make


@pytest.fixture
def guest(client_of, stranger):
    return client_of("erp", stranger)


def accept(client, token: str):
    return client.post("/invitation/accept/", {"token": token})


def test_accepted_role_gives_membership_and_rights(
    invite, guest, bureau, stranger, client_of, person
):
    uri, token = invite("sales")
    assert guest.get(bureau["uri"]).status_code == 404

    answer = accept(guest, token)

    assert answer.json() == {"bureau": bureau["uri"], "role": "sales"}
    guest = client_of("erp", stranger)
    assert guest.get(bureau["uri"]).status_code == 200
    assert MembershipBureau.objects.filter(user=stranger).exists()
    rights = set(PermissionBureau.objects.filter(user=stranger).values_list("right", flat=True))
    assert rights == {"customer.all", "price.all", "shipping.all"}
    body = client_of("erp", person).get(uri).json()
    assert body["accepted_by"] == stranger.uri
    assert "token" not in str(body)


def test_link_works_once(invite, guest, client_of, operator):
    _, token = invite("production")
    assert accept(guest, token).status_code == 200

    again = accept(client_of("erp", operator), token)

    assert again.status_code == 404
    assert not MembershipBureau.objects.filter(user=operator).exists()


def test_owner_may_invite_others(invite, guest, bureau, stranger, client_of):
    _, token = invite("owner")
    accept(guest, token)

    made = client_of("erp", stranger).post(
        "/invitation/", {"bureau": bureau["uri"], "role": "viewer"}
    )

    assert made.status_code == 201


@pytest.mark.parametrize(
    ("role", "kinds"),
    [
        ("owner", {"material", "printer-type", "location", "printer", "stock", "customer"}),
        ("production", {"material", "printer", "stock"}),
        ("sales", {"customer"}),
        ("viewer", set()),
    ],
)
def test_role_creates_its_kinds_and_no_others(
    invite, guest, bureau, make, stranger, client_of, printer_type, role, kinds
):
    hall = make("location", bureau=bureau["uri"], name="Hall")
    powder = make("material", bureau=bureau["uri"], name="Powder")
    own = {"bureau": bureau["uri"], "name": "New"}
    bodies = {
        "material": own,
        "printer-type": {**own, "build_volume": {"x": 100, "y": 100, "z": 100}},
        "location": own,
        "printer": {"location": hall["uri"], "printer_type": printer_type["uri"], "name": "New"},
        "stock": {"location": hall["uri"], "material": powder["uri"]},
        "customer": own,
    }
    _, token = invite(role)
    assert accept(guest, token).status_code == 200

    guest = client_of("erp", stranger)
    answers = {kind: guest.post(f"/{kind}/", body).status_code for kind, body in bodies.items()}

    assert {kind for kind, status in answers.items() if status == 201} == kinds
    assert {status for status in answers.values() if status != 201} <= {403}


def test_rights_on_a_location_are_given_by_who_may_grant_them(
    invite, guest, bureau, make, person, operator, stranger, client_of
):
    hall = make("location", bureau=bureau["uri"], name="Hall")
    held = PermissionLocation.objects.get(user=person, right="location.permission.all")
    assert client_of("erp", operator).delete(held.uri).status_code == 204
    _, token = invite("production")

    assert accept(guest, token).status_code == 200

    assert hall["uri"]
    assert not PermissionLocation.objects.filter(user=stranger).exists()


def test_viewer_of_a_bureau_without_a_location_is_refused_and_may_try_again(
    invite, guest, bureau, make
):
    _, token = invite("viewer")

    refused = accept(guest, token)
    make("location", bureau=bureau["uri"], name="Hall")

    assert refused.status_code == 409
    assert refused.json()["errors"][0]["code"] == "no-location"
    assert accept(guest, token).status_code == 200


def test_viewer_reads_and_changes_nothing(invite, guest, bureau, make, stranger, client_of):
    make("location", bureau=bureau["uri"], name="Hall")
    _, token = invite("viewer")

    accept(guest, token)

    guest = client_of("erp", stranger)
    assert guest.get(bureau["uri"]).status_code == 200
    refused = guest.post("/order/", {"bureau": bureau["uri"], "name": "Mine"})
    assert refused.status_code == 403


@pytest.mark.parametrize("role", ["production", "sales", "viewer"])
def test_only_owners_invite(invite, guest, bureau, make, stranger, client_of, role):
    make("location", bureau=bureau["uri"], name="Hall")
    _, token = invite(role)
    accept(guest, token)

    refused = client_of("erp", stranger).post(
        "/invitation/", {"bureau": bureau["uri"], "role": "owner"}
    )

    assert refused.status_code in (403, 404)


def test_new_link_ends_the_earlier_one(invite, erp, guest):
    uri, token = invite("sales")
    erp.post(f"{uri}link/")

    assert accept(guest, token).status_code == 404


def test_expired_link_is_refused(invite, guest):
    _, token = invite("sales")
    Invitation.objects.update(expires=timezone.now() - timedelta(seconds=1))

    assert accept(guest, token).status_code == 404


def test_deleted_invitation_is_refused(invite, erp, guest):
    uri, token = invite("sales")
    assert erp.delete(uri).status_code == 204

    assert accept(guest, token).status_code == 404


def test_invitation_of_somebody_who_may_invite_no_more_is_refused(
    invite, guest, person, operator, client_of
):
    _, token = invite("owner")
    held = PermissionBureau.objects.get(user=person, right="bureau.permission.all")
    assert client_of("erp", operator).delete(held.uri).status_code == 204

    assert accept(guest, token).status_code == 404


def test_accepted_invitation_has_no_new_link(invite, erp, guest):
    uri, token = invite("sales")
    accept(guest, token)

    refused = erp.post(f"{uri}link/")

    assert refused.status_code == 409
    assert refused.json()["errors"][0]["code"] == "invitation-accepted"


def test_role_of_a_member_is_extended(invite, guest, stranger):
    _, first = invite("sales")
    _, second = invite("owner")
    assert accept(guest, first).status_code == 200

    assert accept(guest, second).status_code == 200

    rights = set(PermissionBureau.objects.filter(user=stranger).values_list("right", flat=True))
    assert "bureau.permission.all" in rights
    assert User.objects.filter(pk=stranger.pk).exists()
