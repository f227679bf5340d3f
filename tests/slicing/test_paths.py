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
def gcode(slicing, upload_gcode, work):
    """`gcode()`: one that is read."""

    def make() -> dict:
        made = slicing.post("/gcode/", {"name": "square"}).json()
        upload_gcode(made, SQUARE)
        work()
        return made

    return make


def test_the_first_request_begins_the_paths_and_a_later_one_finds_them(slicing, gcode, work):
    address = gcode()["uri"] + "paths/"

    first = slicing.get(address)
    assert (first.status_code, first["Retry-After"]) == (202, "1")
    assert first.json() == {"status": "processing", "errors": None, "content": None}
    assert work() == ["write_layer_paths"]

    answer = slicing.get(address)
    assert (answer.status_code, answer.json()["status"]) == (200, "processed")
    sha256 = answer.json()["content"].split("?")[0].rpartition("/")[2]
    assert default_storage.open(blob_name(sha256)).read()[:8] == b"MPPATHS1"


def test_equal_gcode_has_its_paths_once(slicing, gcode, work):
    slicing.get(gcode()["uri"] + "paths/")
    work()

    assert slicing.get(gcode()["uri"] + "paths/").status_code == 200
    assert LayerPaths.objects.count() == 1


def test_a_slice_has_them_too_once_it_is_processed(slicing, part, config, order, work):
    address = order(part, config)["uri"] + "paths/"
    assert slicing.get(address).status_code == 404
    work()

    assert slicing.get(address).status_code == 202
    work()
    assert "name=slice-" in slicing.get(address).json()["content"]


def test_who_may_not_read_a_gcode_gets_no_paths_of_it(client_of, stranger, gcode):
    address = gcode()["uri"] + "paths/"

    assert client_of("slicing", stranger).get(address).status_code == 404
    assert client_of("slicing").get(address).status_code == 401
    assert LayerPaths.objects.count() == 0


def test_what_is_made_for_a_gcode_ends_with_the_last_that_has_it(slicing, gcode, queued):
    one, other = gcode(), gcode()
    slicing.get(one["uri"] + "paths/")

    slicing.delete(one["uri"])
    assert "write_layer_paths" in [actor for actor, _ in queued()]
    slicing.delete(other["uri"])

    assert "write_layer_paths" not in [actor for actor, _ in queued()]
    assert LayerPaths.objects.count() == 0


def test_paths_whose_work_is_given_up_are_begun_again_by_an_operator(
    slicing, gcode, operator, work
):
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


def test_the_document_tells_both_answers(client_of):
    document = json.loads(client_of("slicing").get("/openapi.json").content)

    for kind in ("slice", "gcode"):
        told = document["paths"][f"/{kind}/{{uuid}}/paths/"]["get"]["responses"]
        assert {"200", "202", "default"} <= set(told)
