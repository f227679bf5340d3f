"""The operators' pages of the plain kinds."""

import pytest
from django.contrib import admin
from django.test import Client

from apps.erp.base.admin.resources import RowAdmin
from apps.erp.models import Feature, MembershipBureau, PermissionBureau
from apps.users.models import Permission

PLAIN = sorted(
    kind.__name__.lower()
    for kind, page in admin.site._registry.items()
    if isinstance(page, RowAdmin)
)


@pytest.fixture
def pages(operator):
    client = Client(SERVER_NAME="admin.platform.test")
    client.post("/login/", {"username": "root", "password": "correct horse battery"})
    return client


def act(pages, page: str, action: str, *uris: str) -> list[str]:
    """The messages that an action leaves."""
    keys = [uri.split("/")[-2] for uri in uris]
    body = {"action": action, "_selected_action": keys}
    answer = pages.post(f"/erp/{page}/", body, follow=True)
    return [str(message) for message in answer.context["messages"]]


@pytest.mark.parametrize("page", PLAIN)
def test_admin_list_of_every_plain_kind_can_be_searched(pages, printer, page):
    assert len(PLAIN) == 49

    for query in ("", "?q=Parts", "?q=01900000-0000-7000-8000-000000000000"):
        assert pages.get(f"/erp/{page}/{query}").status_code == 200


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("?q=Number 5", 1),
        ("?q=Hall", 1),
        ("?q=Parts", 1),
        ("?q=Steel", 0),
        ("?status__exact=idle", 0),
        ("?status__exact=unknown", 1),
    ],
)
def test_admin_list_is_searched_by_own_and_parent_names(pages, printer, query, count):
    answer = pages.get(f"/erp/printer/{query}")

    assert answer.context["cl"].result_count == count


def test_admin_change_page_is_read_only(pages, printer):
    key = printer["uri"].split("/")[-2]

    shown = pages.get(f"/erp/printer/{key}/change/")

    assert shown.status_code == 200
    assert printer["uri"] in shown.content.decode()
    assert "_save" not in shown.content.decode()


def test_admin_deletes_unused_rows_and_keeps_used_ones(
    pages, erp, make, bureau, printer_type, printer
):
    free = make(
        "printer-type",
        bureau=bureau["uri"],
        name="Free",
        build_volume={"x": 1, "y": 1, "z": 1},
    )

    said = act(pages, "printertype", "delete_chosen", printer_type["uri"], free["uri"])

    assert said[0].startswith(f"SLS 340: It is used by {printer['uri']}")
    assert said[1] == "1 deleted."
    assert erp.get(free["uri"]).status_code == 404
    assert erp.get(printer_type["uri"]).status_code == 200


def test_admin_deletion_of_permission_or_membership_revokes_access(
    pages, client_of, make, bureau, member
):
    row = make("permission-bureau", bureau=bureau["uri"], right="material.all", user=member.uri)
    membership = MembershipBureau.objects.get(user=member)

    act(pages, "permissionbureau", "delete_chosen", row["uri"])
    act(pages, "membershipbureau", "delete_chosen", membership.uri)

    assert not PermissionBureau.objects.filter(user=member).exists()
    assert not Permission.objects.filter(holder_uuid=member.pk).exists()
    assert client_of("erp", member).get(bureau["uri"]).status_code == 404


def test_admin_deletion_of_a_bureau_deletes_its_permissions(pages, bureau):
    act(pages, "bureau", "delete_chosen", bureau["uri"])

    assert not Permission.objects.on(bureau["uri"]).exists()


def test_admin_switches_a_feature_on_and_off(pages, client_of, operator, make, bureau):
    feature = make("feature", client_of("erp", operator), bureau=bureau["uri"], name="x")

    assert act(pages, "feature", "switch_on", feature["uri"]) == ["1 switched on."]
    assert Feature.objects.get().enabled is True
    assert act(pages, "feature", "switch_off", feature["uri"]) == ["1 switched off."]
    assert Feature.objects.get().enabled is False
