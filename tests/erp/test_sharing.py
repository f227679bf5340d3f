"""Naming a model or a config in the manufacturing system shares it, as far as the caller may."""

import pytest

from apps.slicing.models import Config
from apps.users.models import User
from apps.warehouse.models import Model
from core.files import blobs


@pytest.fixture
def eve(db) -> User:
    return User.objects.create_user("eve", "eve@example.com", "correct horse battery", name="Eve")


@pytest.fixture
def theirs(eve) -> dict[str, str]:
    """A model and a config of Eve's, who has nothing to do with the bureau."""
    with blobs.scratch_dir() as folder:
        (folder / "file").write_bytes(b"layer_height = 0.2")
        content = blobs.create_row(*blobs.store_file(folder / "file"))
    config = Config.objects.create(owner=eve, engine="slic3r", parameters={}, content_id=content)
    return {"model": Model.objects.create(owner=eve, name="part").uri, "config": config.uri}


@pytest.fixture
def grant(client_of, eve):
    """`grant("model", uri, person.uri)`: Eve grants somebody a right on hers."""

    def give(kind: str, on: str, holder: str, right: str = "read") -> None:
        namespace = {"model": "models", "config": "slicing"}[kind]
        body = {"holder": holder, "namespace": namespace, "object": on, "right": right}
        assert client_of("users", eve).post("/permissions/", body).status_code == 201

    return give


def body_of(kind: str, uri: str, bureau: dict) -> dict:
    more = {"quantity": 1} if kind == "model" else {"quantity": 1, "no_model_upload": True}
    return {"bureau": bureau["uri"], kind: uri, **more}


@pytest.mark.parametrize("kind", ["model", "config"])
def test_reader_without_grant_right_cannot_share_and_gets_the_owner(
    erp, bureau, person, eve, theirs, grant, kind
):
    grant(kind, theirs[kind], person.uri)

    answer = erp.post("/line-item/", body_of(kind, theirs[kind], bureau))

    assert answer.status_code == 409
    (error,) = answer.json()["errors"]
    assert (error["code"], error["field"]) == (f"{kind}-not-shareable", kind)
    assert error["details"] == {"owner": eve.uri, "holder": bureau["group"]}
    assert erp.get("/line-item/").json()["resources"] == []


@pytest.mark.parametrize("kind", ["model", "config"])
def test_user_with_grant_right_shares_and_the_owner_can_revoke(
    client_of, erp, bureau, person, eve, member, theirs, grant, kind
):
    grant(kind, theirs[kind], person.uri)
    grant(kind, theirs[kind], person.uri, f"{kind}.permission.all")
    host = {"model": "models", "config": "slicing"}[kind]

    made = erp.post("/line-item/", body_of(kind, theirs[kind], bureau))

    assert made.status_code == 201
    assert client_of(host, member).get(theirs[kind]).status_code == 200
    asked = {"filter[object]": theirs[kind], "filter[holder]": bureau["group"]}
    (shared,) = client_of("users", eve).get("/permissions/", asked).json()["resources"]
    assert shared["created_by"] == person.uri
    assert client_of("users", eve).delete(shared["uri"]).status_code == 204
    assert client_of(host, member).get(theirs[kind]).status_code == 404


def test_member_can_order_a_model_the_bureau_already_reads(
    client_of, make, bureau, member, theirs, grant
):
    grant("model", theirs["model"], bureau["group"])
    library = {"bureau": bureau["uri"], "name": "Bracket", "model": theirs["model"]}

    answer = client_of("erp", member).post("/model-library/", library)

    assert answer.status_code == 201
    make("line-item", client_of("erp", member), **body_of("model", theirs["model"], bureau))


def test_rejected_request_shares_nothing(client_of, erp, bureau, person, member, make):
    own = Model.objects.create(owner=person, name="part")
    foreign = make("material", bureau=make("bureau", name="Other")["uri"], name="PA 12")

    answer = erp.post(
        "/line-item/",
        {**body_of("model", own.uri, bureau), "materials": {"base": foreign["uri"]}},
    )

    assert [error["code"] for error in answer.json()["errors"]] == ["wrong-bureau"]
    assert client_of("models", member).get(own.uri).status_code == 404
