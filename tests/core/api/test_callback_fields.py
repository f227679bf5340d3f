"""A callback is told in GET, by every kind that takes one, to who gave it."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.integrations.models import Service
from apps.slicing.models import Config
from apps.warehouse.models import Model
from core.files import blobs

HOOK = {"url": "http://hook.example/told", "method": "PUT"}


@pytest.fixture
def bodies(person) -> dict[str, tuple[str, str, dict]]:
    """What makes one of each kind: its host, its path, and the body without a callback."""
    with blobs.scratch_dir() as folder:
        (folder / "file").write_bytes(b"layer_height = 0.2")
        content = blobs.create_row(*blobs.store_file(folder / "file"))
    config = Config.objects.create(owner=person, engine="slic3r", parameters={}, content_id=content)
    service = Service.objects.create(name="M", type="healing", service_url="http://m.example/")
    part = Model.objects.create(owner=person, name="part")
    done = Model.objects.create(owner=person, name="done", status="processed")
    steps = [{"type": "auto-translate"}]
    return {
        "model": ("models", "/model/", {"name": "part"}),
        "child": ("models", f"{done.uri}transformation/", {"transformations": steps}),
        "slice": ("slicing", "/slice/", {"model": part.uri, "config": config.uri}),
        "operation": (
            "integrations",
            "/operation/",
            {"service": service.uri, "inputs": {"model": part.uri}, "parameters": {}},
        ),
    }


@pytest.mark.parametrize("kind", ["model", "child", "slice", "operation"])
def test_callback_is_shown_only_to_its_owner_and_accepted_unchanged_in_put(
    client_of, person, operator, bodies, kind
):
    host, path, body = bodies[kind]
    ada, root = client_of(host, person), client_of(host, operator)

    made = ada.post(path, {**body, "callback": HOOK})
    uri = made["Location"]
    told = ada.get(uri).json()

    assert told["callback"] == HOOK
    if made.status_code == 201:
        assert made.json()["callback"] == HOOK
    assert root.get(uri).json()["callback"] is None
    (listed,) = [r for r in ada.get(uri[:-37]).json()["resources"] if r["uri"] == uri]
    assert listed["callback"] == HOOK
    assert ada.put(uri, told).status_code == 204
    refused = ada.put(uri, {"callback": {**HOOK, "method": "GET"}})
    (error,) = refused.json()["errors"]
    assert (error["code"], error["field"]) == ("cannot-set-property", "callback")


@pytest.mark.parametrize("kind", ["model", "slice", "operation"])
def test_list_query_count_is_independent_of_callback_count(client_of, person, bodies, kind):
    host, path, body = bodies[kind]
    ada = client_of(host, person)

    def statements() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            told = ada.get(path).json()["resources"]
        assert [one["callback"] for one in told].count(HOOK) >= 1
        return len(captured)

    ada.post(path, {**body, "callback": HOOK})
    few = statements()
    for _ in range(3):
        ada.post(path, {**body, "callback": HOOK})

    assert statements() == few
