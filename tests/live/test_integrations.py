"""The built-in providers through the real processes: asked, killed, asked again."""

import io
import zipfile

import numpy as np
import pytest

from tests.conftest import CORNERS, SIDES, binary_stl
from tests.geometry.formats import model_files as files
from tests.live.client import Client, ball
from tests.live.processes import Platform, kill, wait_for

pytestmark = pytest.mark.live

FINAL = ("complete", "error")


def holed() -> bytes:
    """A cube of 20 mm without two triangles, and one turned round."""
    triangles = CORNERS[SIDES][:-2] * 20
    triangles[0] = triangles[0][::-1]
    return binary_stl(triangles)


@pytest.fixture
def service(client: Client):
    """`service(type)`: the URI of the built-in service."""

    def find(type: str) -> str:
        listed = client.ask("GET", f"integrations/service/?filter[type]={type}", 200).json()
        return listed["resources"][0]["uri"]

    return find


@pytest.fixture
def operate(client: Client, service):
    """`operate(type, model, **parameters)`: the operation, once it is over."""

    def run(type: str, model: str, **parameters) -> dict:
        body = {"service": service(type), "inputs": {"model": model}, "parameters": parameters}
        uri = client.ask("POST", "integrations/operation/", 204, json=body).headers["Location"]
        return wait_for(lambda: (row := client.read(uri))["status"] in FINAL and row, 90)

    return run


def test_model_healing_operation_makes_a_part_watertight(client: Client, operate):
    model = client.model(holed())
    before = client.settled(model)

    healed = operate("model-healing", model)

    assert healed["status"] == "complete", healed
    result = client.read(healed["result"])
    assert (before["analyses.manifold"], result["analyses.manifold"]) == (False, True)
    assert result["volume_mm"] == pytest.approx(8000)
    assert result["parents"] == [model]
    content = client.ask("GET", healed["outputs"]["content"], 200).content
    assert len(content) == 84 + 50 * 12


def test_file_conversion_operation_converts_to_3mf_and_back(client: Client, operate):
    model = client.model(ball(10))
    volume = client.settled(model)["volume_mm"]

    there = operate("file-conversion", model, format="3mf")
    back = operate("file-conversion", there["result"])

    assert there["outputs"]["type"] == "3mf", there
    archive = client.ask("GET", there["outputs"]["content"], 200).content
    assert zipfile.is_zipfile(io.BytesIO(archive))
    assert client.read(there["result"])["status"] == "inoperable"
    assert client.read(back["result"])["volume_mm"] == pytest.approx(volume, rel=1e-5)


def test_objects_of_a_3mf_upload_become_child_models(client: Client):
    objects = files.object_xml() + files.object_xml().replace('id="1"', 'id="2" name="Pin"')
    items = '<item objectid="2"/><item objectid="1"/><item objectid="2"/>'
    project = files.threemf(files.model_xml(objects, items))
    made = client.ask("POST", "models/model/", 201, json={"name": "box", "type": "3mf"})
    client.upload(made.headers["X-Upload-Location"], project)
    model = made.headers["Location"]

    told = wait_for(
        lambda: (row := client.read(model))["conversion"]["status"] in FINAL and row,
        90,
    )

    assert (told["status"], told["conversion"]["status"]) == ("inoperable", "complete"), told
    pin, other = (client.read(uri) for uri in told["conversion"]["models"])
    assert [pin["name"], other["name"]] == ["Pin", "box 2"]
    assert [len(child["source"]["instances"]) for child in (pin, other)] == [2, 1]
    assert pin["volume_mm"] == pytest.approx(1000)
    assert client.ask("GET", told["content"], 200).content == project


def test_serialization_operation_engraves_a_serial_number(client: Client, operate):
    plate = CORNERS[SIDES] * np.array([60, 30, 5], dtype=np.float32)
    model = client.model(binary_stl(plate))

    marked = operate("serialization", model, text="SN-0042", depth=0.6)

    assert marked["status"] == "complete", marked
    result = client.read(marked["result"])
    assert result["analyses.manifold"]
    assert 8900 < result["volume_mm"] < 9000


def test_failed_operation_reports_an_error_code(client: Client, operate):
    loose = client.model(binary_stl(CORNERS[SIDES][:1] * 20))

    refused = operate("model-healing", loose)

    assert (refused["status"], refused["outputs"]["code"]) == ("error", "NothingSolid")
    assert refused["result"] is None


def test_operation_completes_when_the_provider_process_is_killed(
    platform: Platform, client: Client, service, operate
):
    model = client.model(holed())
    body = {"service": service("model-healing"), "inputs": {"model": model}, "parameters": {}}
    for process in platform.program("granian", "apps.integrations.builtin.server:application")[:1]:
        kill(process)

    uri = client.ask("POST", "integrations/operation/", 204, json=body).headers["Location"]

    over = wait_for(lambda: (row := client.read(uri))["status"] in FINAL and row, 90)
    assert over["status"] == "complete", over
