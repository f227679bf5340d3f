"""A client of the slicing host, a config, and models with and without a file."""

import hashlib
from collections.abc import Callable
from uuid import UUID

import pytest

from core.files.pending_uploads import complete_upload
from core.files.signed_urls import UploadGrant

CURATED = {
    "engine": "slic3r",
    "description": "draft",
    "parameters": {"print_quality": "low", "support": False, "infill_density": 10},
}


@pytest.fixture
def slicing(client_of, person):
    return client_of("slicing", person)


@pytest.fixture
def config(slicing) -> dict:
    return slicing.post("/config/curated/", CURATED).json()


@pytest.fixture
def model(client_of, person) -> dict:
    return client_of("models", person).post("/model/", {"name": "cube"}).json()


@pytest.fixture
def uploaded(client_of, person, upload, run_jobs) -> Callable[..., dict]:
    """`uploaded(data, ...)`: a judged model with this file; further fields as in POST."""

    def make(data: bytes, **fields) -> dict:
        model = client_of("models", person).post("/model/", {"name": "part", **fields}).json()
        upload(model, data)
        run_jobs()
        return model

    return make


@pytest.fixture
def part(uploaded, cube) -> dict:
    """A judged cube of 20 mm."""
    return uploaded(cube)


@pytest.fixture
def config_of(slicing) -> Callable[..., dict]:
    """`config_of(perimeters=3)`: a curated config of these parameters."""

    def make(engine: str = "slic3r", **parameters) -> dict:
        answer = slicing.post("/config/curated/", {"engine": engine, "parameters": parameters})
        assert answer.status_code == 201, answer.json()
        return answer.json()

    return make


@pytest.fixture
def order(slicing) -> Callable[..., dict]:
    """`order(model, config)`: a slice of these, as its POST answers."""

    def make(model: dict, config: dict) -> dict:
        answer = slicing.post("/slice/", {"model": model["uri"], "config": config["uri"]})
        assert answer.status_code == 201, answer.json()
        return answer.json()

    return make


@pytest.fixture
def upload_gcode(tmp_path):
    """`upload_gcode(gcode, data)`: what the files host does once all bytes have arrived."""

    def send(gcode, data):
        path = tmp_path / "upload"
        path.write_bytes(data)
        uuid = UUID(gcode["uri"].split("/")[-2])
        grant = UploadGrant("gcode", uuid, max_size=1 << 30, expires=0)
        complete_upload(grant, path, hashlib.sha256(data).hexdigest(), len(data))

    return send


@pytest.fixture
def uri_of(slicing):
    """`uri_of("Acme Flat")`: the URI of the preset with this name."""
    presets = slicing.get("/preset/?page[limit]=1000").json()["resources"]
    return {preset["name"]: preset["uri"] for preset in presets}.__getitem__
