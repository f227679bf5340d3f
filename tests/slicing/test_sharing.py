"""Configs, slices and constraints are shared by permissions in the namespace `slicing`."""

from collections.abc import Callable

import pytest

from core.resources import owner_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def others(client_of, stranger):
    return client_of("slicing", stranger)


@pytest.fixture
def shared(slicing, order, config, model) -> dict[str, dict]:
    rules = {"raft": {"equals": False}}
    return {
        "config": config,
        "slice": order(model, config),
        "constraint": slicing.post("/constraint/", {"name": "a", "parameters": rules}).json(),
    }


@pytest.fixture
def grant(client_of, person, stranger) -> Callable[[str, str], str]:
    """`grant(uri, "read")`: the owner grants it to the stranger; where the permission is."""

    def make(uri: str, right: str) -> str:
        answer = client_of("users", person).post(
            "/permissions/",
            {"holder": stranger.uri, "namespace": "slicing", "object": uri, "right": right},
        )
        assert answer.status_code == 201, answer.json()
        return answer["Location"]

    return make


@pytest.mark.parametrize("kind", ["config", "slice", "constraint"])
def test_shared_resource_is_readable_until_the_permission_is_revoked(
    slicing, others, client_of, person, shared, grant, kind
):
    uri = shared[kind]["uri"]
    assert others.get(uri).status_code == 404

    permission = grant(uri, "read")
    assert others.get(uri).json()["uri"] == uri
    assert [item["uri"] for item in others.get(f"/{kind}/").json()["resources"]] == [uri]
    assert others.put(uri, {}).status_code == 403
    assert others.delete(uri).status_code == 403
    assert others.delete(uri).json()["errors"][0]["details"]["right"] == "delete"

    client_of("users", person).delete(permission)
    assert others.get(uri).status_code == 404


@pytest.mark.parametrize("kind", ["config", "slice", "constraint"])
def test_write_and_delete_permissions_are_sufficient(others, shared, grant, kind):
    uri = shared[kind]["uri"]
    for right in ("read", "write", "delete"):
        grant(uri, right)

    assert others.put(uri, {}).status_code == 204
    assert others.delete(uri).status_code == 204
    assert others.get(uri).status_code == 404


def test_shared_config_slices_own_model(others, client_of, stranger, config, grant):
    theirs = client_of("models", stranger).post("/model/", {"name": "theirs"}).json()
    body = {"model": theirs["uri"], "config": config["uri"]}
    assert others.post("/slice/", body).status_code == 400

    grant(config["uri"], "read")

    assert others.post("/slice/", body).status_code == 201


def test_owner_of_a_shared_resource_is_found(shared, person, model):
    assert {owner_of(made["uri"]) for made in shared.values()} == {person.pk}
    assert owner_of(model["uri"].replace("/model/", "/nothing/")) is None


def test_model_and_config_of_a_slice_cannot_be_changed(slicing, shared):
    made = shared["slice"]

    assert slicing.put(made["uri"], made).status_code == 204
    for change in ({"config": made["model"]}, {"model": made["config"]}):
        answer = slicing.put(made["uri"], change)
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["code"] == "cannot-set-property"
    assert made["config_sha256"] in shared["config"]["content"]
    assert made["engine"] == "slic3r"
