"""The catalogue: who offers, who sees, who may use."""

import pytest

from apps.integrations import interface
from apps.integrations.models import Service
from apps.users import interface as users

OFFER = {"name": "Mender", "type": "model-healing", "service_url": "https://mender.example/heal"}


@pytest.fixture
def admin(client_of, operator):
    return client_of("integrations", operator)


def test_service_secret_is_shown_only_on_creation(admin, integrations):
    made = admin.post("/service/", OFFER).json()

    seen = integrations.get(made["uri"]).json()
    assert made.pop("secret").startswith("whsec_")
    assert seen == made
    assert (seen["service_method"], seen["group_uri"], seen["schema"]) == ("POST", None, {})
    assert integrations.get("/service/?filter[type]=model-healing").json()["resources"] == [seen]
    assert integrations.get("/service/?filter[type]=serialization").json()["resources"] == []


def test_service_creation_requires_its_right(integrations, client_of, operator, person):
    catalogue = "http://integrations.platform.test/service/"
    refused = integrations.post("/service/", OFFER)
    users.grant(
        actor=operator,
        holder=person.uri,
        namespace="integrations",
        object=catalogue,
        right="service.all",
    )

    taken = integrations.post("/service/", OFFER)

    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (403, "Unauthorized")
    assert "service.all" in refused.json()["errors"][0]["title"]
    assert taken.status_code == 201


def test_group_service_is_visible_and_usable_only_for_members(
    admin, client_of, operator, person, stranger, part
):
    labs = users.create_group(actor=operator, name="labs")
    users.join(actor=operator, group=labs, user=person)
    group = users.group_uri(labs)
    service = admin.post("/service/", {**OFFER, "group_uri": group}).json()
    order = {"service": service["uri"], "inputs": {"model": part["uri"]}, "parameters": {}}

    inside, outside = client_of("integrations", person), client_of("integrations", stranger)

    assert service["group_uri"] == group
    assert inside.get(service["uri"]).status_code == 200
    assert outside.get(service["uri"]).status_code == 404
    assert outside.get("/service/").json()["resources"] == []
    assert inside.post("/operation/", order).status_code == 204
    fields = [error["field"] for error in outside.post("/operation/", order).json()["errors"]]
    assert fields == ["service", "inputs.model"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"type": "Model Healing"}, "type"),
        ({"service_url": "ftp://a.example/"}, "service_url"),
        ({"service_url": "http://10.0.0.1/"}, "service_url"),
        ({"service_url": "http://models.platform.test/model/"}, "service_url"),
        ({"service_method": "GET"}, "service_method"),
        ({"group_uri": "http://users.platform.test/groups/none/"}, "group_uri"),
        ({"schema": {"type": 5}}, "schema"),
        ({"schema": {"$ref": "http://127.0.0.1/schema"}}, "schema"),
        ({"schema": {"$ref": "#/$defs/none"}}, "schema"),
        ({"schema": {"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}}, "schema"),
    ],
)
def test_invalid_service_is_rejected_with_its_field(admin, change, field):
    answer = admin.post("/service/", {**OFFER, **change})

    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, field)
    assert not Service.objects.exists()


def test_service_name_is_unique_until_deletion(admin):
    first = admin.post("/service/", OFFER).json()
    second = admin.post("/service/", OFFER)
    admin.delete(first["uri"])
    third = admin.post("/service/", OFFER)

    assert (second.status_code, second.json()["errors"][0]["code"]) == (409, "name-taken")
    assert third.status_code == 201
    assert admin.get(first["uri"]).status_code == 404


def test_service_is_changed_only_by_administrators(admin, integrations):
    made = admin.post("/service/", OFFER).json()
    made.pop("secret")

    same = admin.put(made["uri"], made)
    changed = admin.put(made["uri"], {"description": "Mends.", "schema": {"type": "object"}})
    refused = integrations.put(made["uri"], {"description": "Steals."})

    assert (same.status_code, changed.status_code, refused.status_code) == (204, 204, 403)
    seen = admin.get(made["uri"]).json()
    assert (seen["description"], seen["schema"]) == ("Mends.", {"type": "object"})


def test_deleted_service_cannot_be_used(admin, integrations, part):
    made = admin.post("/service/", OFFER).json()
    admin.delete(made["uri"])

    order = {"service": made["uri"], "inputs": {"model": part["uri"]}, "parameters": {}}

    assert integrations.post("/operation/", order).status_code == 400


def test_built_in_services_are_registered_once_and_follow_settings(admin, db, settings):
    interface.register_builtin()
    listed = admin.get("/service/?sort=name").json()["resources"]
    gone, kept = listed[0]["uri"], listed[1]["uri"]
    admin.delete(gone)
    settings.PROVIDERS_URL = "http://providers:8001"

    interface.register_builtin()

    assert [row["type"] for row in listed] == ["file-conversion", "model-healing", "serialization"]
    assert admin.get(gone).status_code == 404
    assert admin.get(kept).json()["service_url"] == "http://providers:8001/model-healing/"
    assert admin.put(kept, admin.get(kept).json()).status_code == 204
    assert Service.objects.count() == 3
