"""The Python client and a real platform."""

import pytest

from manufacturing import Client, Refused
from tests.live.client import ball
from tests.live.processes import DOMAIN

pytestmark = pytest.mark.live


@pytest.fixture
def mp(platform, client):
    token, secret = client.session.auth
    with Client(f"http://{DOMAIN}:{platform.port}", f"{token}:{secret}") as mp:
        yield mp


@pytest.mark.engine
def test_client_uploads_slices_and_downloads_gcode(mp, tmp_path):
    (tmp_path / "ball.stl").write_bytes(ball(12))
    parameters = {"print_quality": "standard", "infill_density": 20}

    model = mp.wait(mp.upload(tmp_path / "ball.stl"))
    config = mp.create("slicing", "/config/curated/", engine="slic3r", parameters=parameters)
    part = mp.wait(mp.create("slicing", "/slice/", model=model, config=config))
    mp.download(part["content"], tmp_path / "ball.gcode")

    assert (model["name"], model["analyses.manifold"]) == ("ball", True)
    assert b"G1 X" in (tmp_path / "ball.gcode").read_bytes()
    assert part["uri"] in {row["uri"] for row in mp.list("slicing", "/slice/", model=model)}


def test_client_lists_all_pages(mp):
    made = {mp.create("models", "/model/", name=f"listed {n}")["uri"] for n in range(5)}

    found = [row["uri"] for row in mp.list("models", "/model/", limit=2, uri=list(made))]

    assert set(found) == made
    assert len(found) == 5


def test_client_error_has_title_and_request_id(mp):
    with pytest.raises(Refused) as error:
        mp.create("models", "/model/", nam="bracket")

    assert error.value.codes == {"request-validation-error", "missing-parameter"}
    assert "There is no field 'nam' here" in str(error.value)
    assert f"(Request-ID {error.value.request_id})" in str(error.value)
