"""What all layers of gcode lay down, over HTTP: made when it is first asked for."""

import json

import pytest
from django.core.files.storage import default_storage
from django.test import Client

from apps.slicing.models import LayerPaths
from core.models import blob_name
from core.queue.row_jobs import fail_permanently
from tests.slicing.test_gcodes import SQUARE

pytestmark = pytest.mark.django_db


@pytest.fixture
def gcode(slicing, upload_gcode, run_jobs):
    """`gcode()`: one that is read."""

    def make() -> dict:
        made = slicing.post("/gcode/", {"name": "square"}).json()
        upload_gcode(made, SQUARE)
        run_jobs()
        return made

    return make


def test_toolpaths_are_computed_on_first_request(slicing, gcode, run_jobs):
    address = gcode()["uri"] + "paths/"

    first = slicing.get(address)
    assert (first.status_code, first["Retry-After"]) == (202, "1")
    assert first.json() == {"status": "processing", "errors": None, "content": None}
    assert run_jobs() == ["write_layer_paths"]

    answer = slicing.get(address)
    assert (answer.status_code, answer.json()["status"]) == (200, "processed")
    sha256 = answer.json()["content"].split("?")[0].rpartition("/")[2]
    assert default_storage.open(blob_name(sha256)).read()[:8] == b"MPPATHS1"


def test_equal_gcode_shares_its_toolpaths(slicing, gcode, run_jobs):
    slicing.get(gcode()["uri"] + "paths/")
    run_jobs()

    assert slicing.get(gcode()["uri"] + "paths/").status_code == 200
    assert LayerPaths.objects.count() == 1


def test_slice_has_toolpaths_after_processing(slicing, part, config, order, run_jobs):
    address = order(part, config)["uri"] + "paths/"
    assert slicing.get(address).status_code == 404
    run_jobs()

    assert slicing.get(address).status_code == 202
    run_jobs()
    assert "name=slice-" in slicing.get(address).json()["content"]


def test_toolpaths_are_hidden_from_users_without_access_to_the_gcode(client_of, stranger, gcode):
    address = gcode()["uri"] + "paths/"

    assert client_of("slicing", stranger).get(address).status_code == 404
    assert client_of("slicing").get(address).status_code == 401
    assert LayerPaths.objects.count() == 0


def test_toolpaths_are_deleted_with_the_last_gcode_that_uses_them(slicing, gcode, queued):
    one, other = gcode(), gcode()
    slicing.get(one["uri"] + "paths/")

    slicing.delete(one["uri"])
    assert "write_layer_paths" in [actor for actor, _ in queued()]
    slicing.delete(other["uri"])

    assert "write_layer_paths" not in [actor for actor, _ in queued()]
    assert LayerPaths.objects.count() == 0


def test_admin_repeats_toolpaths_that_failed_permanently(slicing, gcode, operator, run_jobs):
    address = gcode()["uri"] + "paths/"
    slicing.get(address)
    key = LayerPaths.objects.get().key
    fail_permanently("write_layer_paths", key, {"reason": "worker-died", "starts": 3})
    assert slicing.get(address).json()["errors"][0]["code"] == "worker-died"
    pages = Client(SERVER_NAME="admin.platform.test")
    pages.post("/login/", {"username": "root", "password": "correct horse battery"})

    chosen = {"action": "make_again", "_selected_action": [key]}
    page = pages.post("/slicing/layerpaths/", chosen, follow=True)

    assert "1 will be made again." in page.content.decode()
    assert slicing.get(address).status_code == 202


def test_openapi_documents_both_responses_of_toolpaths(client_of):
    document = json.loads(client_of("slicing").get("/openapi.json").content)

    for kind in ("slice", "gcode"):
        told = document["paths"][f"/{kind}/{{uuid}}/paths/"]["get"]["responses"]
        assert {"200", "202", "default"} <= set(told)
