"""What its owner shares: the rights read, write and delete, the same for every kind."""

import pytest

from apps.integrations.models import Operation, Service
from apps.slicing.models import Config, Constraint, Gcode, Slice
from apps.users.models import User
from apps.warehouse.models import Model
from core.files import blobs

MODEL = "http://models.platform.test/model/01900000-0000-7000-8000-000000000000/"
# The host of each kind, and a change that needs the right `write`.
KINDS = {
    "model": ("models", {"name": "other"}),
    "config": ("slicing", {"description": "other"}),
    "slice": ("slicing", {}),
    "gcode": ("slicing", {"name": "other"}),
    "constraint": ("slicing", {"name": "other"}),
    "operation": ("integrations", {"status": "error"}),
}


RULE = {"perimeters": {"min": 2}}


@pytest.fixture
def belonging(person):
    """`belonging("config")`: the URI of a resource of Ada's of this kind."""

    def config() -> Config:
        with blobs.scratch_dir() as folder:
            (folder / "file").write_bytes(b"layer_height = 0.2")
            content = blobs.create_row(*blobs.store_file(folder / "file"))
        return Config.objects.create(
            owner=person, engine="slic3r", parameters={}, content_id=content
        )

    def operation() -> Operation:
        service = Service.objects.create(name="Mender", type="healing", service_url="http://m.test")
        return Operation.objects.create(
            owner=person, service=service, model_uri=MODEL, parameters={}
        )

    makers = {
        "model": lambda: Model.objects.create(owner=person, name="part"),
        "config": config,
        "slice": lambda: Slice.objects.create(owner=person, model_uri=MODEL, config=config()),
        "gcode": lambda: Gcode.objects.create(owner=person),
        "constraint": lambda: Constraint.objects.create(owner=person, name="rule", parameters=RULE),
        "operation": operation,
    }
    return lambda kind: makers[kind]().uri


@pytest.fixture
def share(client_of, person, stranger):
    """`share(uri, "models", "read")`: Ada grants Bob a right on hers."""

    def grant(uri: str, namespace: str, right: str, to: User | None = None) -> None:
        body = {
            "holder": (to or stranger).uri,
            "namespace": namespace,
            "object": uri,
            "right": right,
        }
        assert client_of("users", person).post("/permissions/", body).status_code == 201

    return grant


@pytest.mark.parametrize("kind", KINDS)
def test_shared_resource_is_read_changed_and_deleted_by_granted_rights(
    client_of, stranger, belonging, share, kind
):
    namespace, change = KINDS[kind]
    uri, bob = belonging(kind), client_of(namespace, stranger)

    def may() -> list[int]:
        listed = bob.get(f"/{kind}/").json()["meta"]["count"]
        return [bob.get(uri).status_code, listed, bob.put(uri, change).status_code]

    nothing = may()
    share(uri, namespace, "read")
    reading = may()
    refused = bob.delete(uri).status_code
    share(uri, namespace, "write")
    writing = may()
    share(uri, namespace, "delete")
    deleted = bob.delete(uri).status_code

    assert nothing == [404, 0, 404]
    assert reading == [200, 1, 403]
    assert (refused, deleted) == (403, 204)
    assert writing == [200, 1, 204]
    assert bob.get(uri).status_code == 404


@pytest.mark.parametrize("kind", KINDS)
def test_owner_lists_and_revokes_permissions_on_own_resources(
    client_of, person, stranger, operator, belonging, kind
):
    namespace, _ = KINDS[kind]
    uri, ada = belonging(kind), client_of("users", person)
    body = {"holder": stranger.uri, "namespace": namespace, "object": uri, "right": "read"}
    granted = client_of("users", operator).post("/permissions/", body)["Location"]

    seen = ada.get("/permissions/", {"filter[object]": uri}).json()["resources"]

    assert [one["uri"] for one in seen] == [granted]
    assert ada.delete(granted).status_code == 204
    assert client_of(namespace, stranger).get(uri).status_code == 404
