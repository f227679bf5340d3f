"""The operators' pages of rights: found, read, taken away, never edited."""

import pytest
from django.test import Client

from apps.users.models import AuditEvent, Group, Membership, Permission
from apps.users.services.permissions import grant


@pytest.fixture
def pages(operator) -> Client:
    client = Client(SERVER_NAME="admin.platform.test")
    client.post("/login/", {"username": "root", "password": "correct horse battery"})
    return client


@pytest.fixture
def group(person, stranger) -> Group:
    group = Group.objects.create(name="team", creator=person)
    Membership.objects.create(user=stranger, group=group)
    grant(actor=person, holder=group.uri, namespace="erp", object="http://x/1", right="stock.all")
    return group


KINDS = ("group", "membership", "permission", "auditevent")


@pytest.mark.parametrize(
    "page",
    [
        "group/",
        "group/?q=team",
        "membership/?q=bob",
        "permission/?q=stock.all&namespace=erp",
        "auditevent/?action=permission.granted",
    ],
)
def test_admin_lists_searches_and_filters_rights(pages, group, page):
    answer = pages.get(f"/users/{page}")

    assert answer.status_code == 200
    assert "1 " in answer.content.decode().split('class="paginator"')[1]


def test_admin_rights_rows_are_read_only(pages, group):
    rows = (group, Membership.objects.get(), Permission.objects.get(), AuditEvent.objects.first())
    for kind, row in zip(KINDS, rows, strict=True):
        path = f"/users/{kind}/{row.pk}/"

        assert pages.get(f"{path}change/").status_code == 200
        assert pages.post(f"{path}change/", {"name": "x", "action": "x"}).status_code == 403
        assert pages.post(f"{path}delete/", {"post": "yes"}).status_code == 403
        assert pages.get(f"/users/{kind}/add/").status_code == 403

    assert AuditEvent.objects.filter(action="permission.granted").count() == 1


@pytest.mark.parametrize(
    ("kind", "model", "action", "noted"),
    [
        ("group", Group, "delete_chosen", {"group.deleted", "permission.revoked"}),
        ("membership", Membership, "remove", {"membership.deleted"}),
        ("permission", Permission, "revoke", {"permission.revoked"}),
    ],
)
def test_admin_removal_of_rights_is_recorded_in_audit_log(
    pages, group, operator, kind, model, action, noted
):
    row = model.objects.get()

    answer = pages.post(f"/users/{kind}/", {"action": action, "_selected_action": str(row.pk)})

    assert answer.status_code == 302
    assert model.objects.count() == 0
    events = AuditEvent.objects.filter(actor=operator)
    assert set(events.values_list("action", flat=True)) == {"login.made", *noted}
