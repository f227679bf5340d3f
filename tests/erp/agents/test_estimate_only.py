"""G-code of presets without the start and end G-code of their printer reaches no machine."""

import pytest

from apps.erp.models import Attempt, Run
from apps.slicing.models import Config, Slice
from core.models import Blob
from tests.erp.agents.conftest import code_of
from tests.erp.conftest import key_of


@pytest.fixture
def estimate(person, client_of):
    """`estimate(run)`: the run is to be printed by a slice that is only an estimate."""
    body = {"engine": "slic3r", "parameters": {"print_quality": "standard"}}
    config = key_of(
        {"uri": client_of("slicing", person).post("/config/curated/", body)["Location"]}
    )
    Config.objects.filter(pk=config).update(preset={"estimate_only": True})

    def give(run: dict) -> Slice:
        made = Slice.objects.create(
            owner=person,
            model_uri="http://models.platform.test/model/0/",
            status="processed",
            config_id=config,
            content=Blob.objects.create(sha256="cd" * 32, size=1234),
        )
        Run.objects.filter(pk=key_of(run)).update(slice_uri=made.uri, gcode_uri=None)
        return made

    return give


def test_run_of_an_estimate_is_not_printed(erp, machine, run, estimate):
    estimate(run)

    refused = erp.post("/attempt/", {"run": run["uri"], "printer": machine["uri"]})

    assert (refused.status_code, code_of(refused)) == (409, "estimate-only")
    assert not Attempt.objects.exists()


def test_agent_gets_no_file_of_an_estimate(agent, run, attempt, estimate):
    estimate(run)  # the preset was installed after the attempt was planned

    refused = agent.get(f"/agent/content/{attempt['name']}/")

    assert (refused.status_code, code_of(refused)) == (409, "estimate-only")


def test_slice_of_an_estimate_has_no_content(client_of, person, run, estimate):
    uri = estimate(run).uri
    assert client_of("slicing", person).get(uri).json()["content"] is None
