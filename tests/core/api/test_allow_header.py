"""`Allow` in the answer to GET of one resource: what this caller may do with it."""

import pytest

from apps.integrations.models import Operation, Service
from apps.payment.models import Consent, Invoice, Price
from apps.slicing.models import Config, Constraint, Gcode, Slice
from apps.users.models import Group, Membership, Permission
from apps.warehouse.models import Model, Snapshot
from tests.rows import row_of

HOSTS = {"warehouse": "models", "slicing": "slicing", "integrations": "integrations"}
SHARED = [Model, Config, Constraint, Gcode, Slice, Operation]


def methods(answer) -> set[str]:
    assert answer.status_code == 200, answer.content
    return set(answer["Allow"].split(", ")) - {"GET", "HEAD"}


@pytest.fixture
def grant(client_of, person, stranger):
    """`grant("write", row)`: to Bob, by the row's owner."""

    def give(right: str, row) -> None:
        body = {"holder": stranger.uri, "namespace": row.SERVICE, "object": row.uri, "right": right}
        answer = client_of("users", person).post("/permissions/", body)
        assert answer.status_code == 201, answer.json()

    return give


@pytest.mark.parametrize("kind", SHARED, ids=lambda kind: kind.KIND)
def test_allow_header_of_shared_resource_follows_granted_rights(
    client_of, person, stranger, grant, kind
):
    row = row_of(kind, owner=person)
    own, bob = (client_of(HOSTS[kind._meta.app_label], user) for user in (person, stranger))
    whole = methods(own.get(row.uri))

    grant("read", row)
    assert whole - {"PUT"} == {"DELETE"}
    assert methods(bob.get(row.uri)) == set()
    assert bob.delete(row.uri).status_code == 403
    grant("write", row)
    assert methods(bob.get(row.uri)) == whole & {"PUT"}
    grant("delete", row)
    assert methods(bob.get(row.uri)) == whole
    assert bob.delete(row.uri).status_code == 204


def test_snapshot_can_be_deleted_by_owner_or_with_delete_right_on_model(
    client_of, person, stranger, grant
):
    model = row_of(Model, owner=person)
    row = row_of(Snapshot, model=model, owner=person, view={})
    uri = row.uri
    bob = client_of("models", stranger)

    grant("read", model)
    assert "DELETE" in methods(client_of("models", person).get(uri))
    assert "DELETE" not in methods(bob.get(uri))
    assert bob.delete(uri).status_code == 403
    grant("delete", model)
    assert "DELETE" in methods(bob.get(uri))


def test_only_administrators_may_put_an_invoice(client_of, person, operator):
    row = row_of(Invoice, owner=person, currency="EUR")

    assert methods(client_of("payment", person).get(row.uri)) == set()
    assert methods(client_of("payment", operator).get(row.uri)) == {"PUT"}


@pytest.mark.parametrize(
    ("host", "kind"), [("payment", Price), ("integrations", Service)], ids=["price", "service"]
)
def test_prices_and_services_are_read_only_except_for_administrators(
    client_of, person, operator, host, kind
):
    row = row_of(kind)

    assert methods(client_of(host, person).get(row.uri)) == set()
    assert methods(client_of(host, operator).get(row.uri)) == {"PUT", "DELETE"}


def test_consent_can_be_changed_only_by_its_owner(client_of, person, operator):
    row = row_of(Consent, owner=person)

    assert methods(client_of("payment", person).get(row.uri)) == {"PUT", "DELETE"}
    assert methods(client_of("payment", operator).get(row.uri)) == set()
    assert client_of("payment", operator).delete(row.uri).status_code == 403


def test_group_member_can_only_delete_their_own_membership(client_of, person, stranger):
    group = Group.objects.create(name="Makers", creator=person)
    Membership.objects.create(group=group, user=person)
    own = Membership.objects.create(group=group, user=stranger)
    bob = client_of("users", stranger)

    assert methods(client_of("users", person).get(group.uri)) == {"PUT", "DELETE"}
    assert methods(bob.get(group.uri)) == set()
    assert methods(bob.get(own.uri)) == {"DELETE"}
    assert bob.put(own.uri, {"group": group.uri}).status_code == 403
    assert bob.delete(own.uri).status_code == 204


def test_permission_holder_can_delete_but_not_change_the_permission(client_of, person, stranger):
    row = row_of(Model, owner=person)
    body = {"holder": stranger.uri, "namespace": "models", "object": row.uri, "right": "read"}
    made = client_of("users", person).post("/permissions/", body)["Location"]
    bob = client_of("users", stranger)

    assert methods(client_of("users", person).get(made)) == {"PUT", "DELETE"}
    assert methods(bob.get(made)) == {"DELETE"}
    assert bob.put(made, body | {"right": "write"}).status_code == 403
    assert bob.delete(made).status_code == 204
    assert not Permission.objects.exists()
