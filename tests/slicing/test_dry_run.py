"""A dry run says what a slice would come to, and makes nothing."""

import pytest

from apps.slicing.configs.parameters import PARAMETERS
from apps.slicing.models import Slice
from apps.slicing.serializers.slice import PreviewAnswer
from tests.conftest import CORNERS, SIDES, binary_stl

pytestmark = [pytest.mark.django_db, pytest.mark.engine]


@pytest.fixture
def preview(slicing):
    def ask(model: dict, config: dict) -> dict:
        answer = slicing.post(
            "/slice/?dry_run=true", {"model": model["uri"], "config": config["uri"]}
        )
        assert answer.status_code == 200, answer.json()
        return answer.json()

    return ask


def codes(entries):
    return [entry["code"] for entry in entries]


def test_dry_run_reports_every_parameter_with_its_source(preview, config_of, part, queued):
    told = preview(part, config_of(perimeters=3, infill_density=0.5, material="abs"))

    assert set(told) == set(PreviewAnswer.__annotations__)
    assert (told["accepted"], told["refusals"], told["failures"]) == (True, [], [])
    assert (told["cached"], told["warnings"]) == (False, [])
    assert (told["engine"], told["slice_time"]) == ("slic3r", None)
    assert told["engine_version"]
    assert told["estimates"]["build_volume_cc"] is None
    assert set(told["parameters"]) == set(PARAMETERS)
    assert told["parameters"]["perimeters"] == {"value": 3, "source": "config"}
    assert told["parameters"]["infill_density"] == {"value": 50.0, "source": "config"}
    assert told["parameters"]["extruder_temperature"] == {"value": 240.0, "source": "default"}
    assert Slice.objects.count() == 0
    assert "slice_model" not in [name for name, _ in queued()]


def test_dry_run_reports_a_cached_slice_with_its_estimates(
    preview, order, config, part, slicing, run_jobs
):
    made = order(part, config)
    run_jobs()

    told = preview(part, config)

    made = slicing.get(made["uri"]).json()
    assert told["cached"] is True
    assert told["estimates"] == made["estimates"]
    assert told["slice_time"] == made["slice_time"]


def test_dry_run_lists_the_errors_of_the_real_request(preview, slicing, config, part):
    rules = {"extruder_temperature": {"max": 200}}
    cold = slicing.post("/constraint/", {"name": "cold", "parameters": rules}).json()
    slicing.post("/constraint-model/", {"constraint": cold["uri"], "model_uri": part["uri"]})
    order = {"model": part["uri"], "config": config["uri"]}

    told = preview(part, config)

    assert told["accepted"] is False
    assert told["refusals"] == slicing.post("/slice/", order).json()["errors"]


def test_dry_run_rejects_a_model_that_failed_analysis(preview, config, uploaded):
    told = preview(uploaded(b"this is no mesh"), config)

    assert (told["accepted"], codes(told["refusals"])) == (False, ["model-not-usable"])


def test_dry_run_reports_a_foreseeable_failure(preview, config, uploaded):
    told = preview(uploaded(binary_stl(CORNERS[SIDES] * [300, 20, 20])), config)

    assert (told["accepted"], codes(told["failures"])) == (True, ["model-too-large"])


def test_dry_run_reports_warnings_about_the_model(preview, config, uploaded, open_box):
    assert codes(preview(uploaded(open_box), config)["warnings"]) == ["model-not-manifold"]


def test_dry_run_warns_when_the_model_is_not_analysed_yet(preview, config, model):
    told = preview(model, config)

    assert (told["accepted"], codes(told["warnings"])) == (True, ["model-not-judged"])


def test_dry_run_rejects_an_invalid_request_like_the_real_one(slicing, config):
    answer = slicing.post(
        "/slice/?dry_run=true", {"model": config["uri"], "config": "http://x.example/"}
    )

    assert answer.status_code == 400
    assert [(error["code"], error["field"]) for error in answer.json()["errors"]] == [
        ("resource-not-found", "model"),
        ("resource-not-found", "config"),
    ]
    unclear = slicing.post("/slice/?dry_run=perhaps", {})
    assert (unclear.status_code, unclear.json()["errors"][0]["field"]) == (400, "dry_run")
