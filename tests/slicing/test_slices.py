"""Configs and slices, over HTTP and through the real engine."""

import pytest

from apps.slicing.configs.parameters import PARAMETERS
from apps.slicing.models import Slice
from apps.slicing.serializers.config import ConfigAnswer
from apps.slicing.serializers.slice import SliceAnswer
from core.queue.row_jobs import fail_permanently
from tests.slicing.conftest import CURATED

pytestmark = pytest.mark.django_db


def test_config_keeps_posted_parameters_and_nulls_the_rest(slicing, config):
    read = slicing.get(config["uri"]).json()

    assert read == config
    assert read["parameters"] == {
        **dict.fromkeys(PARAMETERS),
        "print_quality": "low",
        "support": False,
        "infill_density": 10,
    }
    assert "?" in read["content"]
    assert set(read) == set(ConfigAnswer.__annotations__)


def test_all_errors_of_a_config_are_reported_together(slicing):
    answer = slicing.post(
        "/config/curated/",
        {"engine": "makerbot", "parameters": {"material": "wood", "perimeters": "2", "glue": 1}},
    )

    assert answer.status_code == 400
    assert {(error["field"], error["code"]) for error in answer.json()["errors"]} == {
        ("engine", "property-value-not-in-allowed-values"),
        ("parameters.material", "property-value-not-in-allowed-values"),
        ("parameters.perimeters", "type-validation-error"),
        ("parameters.glue", "request-validation-error"),
    }


def test_only_the_description_of_a_config_can_be_changed(slicing, config):
    assert slicing.put(config["uri"], {"description": "new"}).status_code == 204
    assert slicing.put(config["uri"], {"parameters": config["parameters"]}).status_code == 204

    refused = slicing.put(config["uri"], {"parameters": {"support": True}})

    assert refused.status_code == 400
    assert refused.json()["errors"][0]["code"] == "cannot-set-property"
    assert slicing.get(config["uri"]).json()["description"] == "new"


@pytest.mark.engine
def test_slice_waits_for_its_model_and_becomes_gcode(
    slicing, config, model, upload, run_jobs, cube
):
    order = {"model": model["uri"], "config": config["uri"]}
    answer = slicing.post("/slice/", order)
    assert answer.status_code == 201
    made = answer.json()
    assert set(made) == set(SliceAnswer.__annotations__)
    assert (made["status"], made["content"], made["slice_time"]) == ("queued", None, None)
    assert made["estimates"] == {
        "build_time_seconds": None,
        "support_volume_cc": None,
        "build_volume_cc": None,
    }

    assert run_jobs() == ["slice_model"]  # the model is not judged yet
    assert slicing.get(made["uri"]).json()["status"] == "queued"
    upload(model, cube)
    assert "slice_model" in run_jobs()

    made = slicing.get(made["uri"]).json()
    assert (made["status"], made["errors"], made["progress"]) == ("processed", None, 1.0)
    assert made["slice_time"] >= 1
    assert 1 < made["estimates"]["build_volume_cc"] < 8
    assert made["estimates"]["support_volume_cc"] == 0
    assert made["estimates"]["build_time_seconds"] > 60
    assert made["figures"]["layers"] == pytest.approx(67, abs=1)
    assert made["warnings"] == []
    assert "?" in made["content"]


def test_slices_are_filtered_by_slice_time(slicing, config, model, order):
    quick, slow, waiting = [order(model, config)["uri"] for _ in range(3)]
    for uri, seconds in ((quick, 3), (slow, 40)):
        Slice.objects.filter(pk__in=Slice.keys_of(uri)).update(slice_time=seconds)

    def found(*filters: str) -> list[str]:
        told = slicing.get("/slice/?sort=created&" + "&".join(filters)).json()["resources"]
        return [row["uri"] for row in told]

    assert found("filter[slice_time]=40") == [slow]
    assert found("filter[slice_time]<=10") == [quick]
    assert found("filter[slice_time]>=3", "filter[slice_time]<=40") == [quick, slow]
    assert waiting not in found("filter[slice_time]>=0")


@pytest.mark.engine
def test_equal_slice_reuses_the_existing_gcode(
    slicing, config, model, upload, run_jobs, cube, monkeypatch
):
    upload(model, cube)
    order = {"model": model["uri"], "config": config["uri"]}
    first = slicing.post("/slice/", order).json()
    run_jobs()
    again = slicing.post("/config/curated/", {**CURATED, "description": "the same"}).json()

    monkeypatch.setattr("apps.slicing.engines.prusaslicer.PrusaSlicer.slice", None)
    second = slicing.post("/slice/", {**order, "config": again["uri"]}).json()
    run_jobs()

    first, second = slicing.get(first["uri"]).json(), slicing.get(second["uri"]).json()
    assert second["status"] == "processed"
    for name in ("slice_time", "estimates", "figures", "engine_version", "model_sha256"):
        assert second[name] == first[name]


@pytest.mark.engine
def test_open_model_is_sliced_with_a_warning(slicing, config, model, upload, run_jobs, open_box):
    upload(model, open_box)
    made = slicing.post("/slice/", {"model": model["uri"], "config": config["uri"]}).json()
    run_jobs()

    made = slicing.get(made["uri"]).json()
    assert made["status"] == "processed"
    assert [warning["code"] for warning in made["warnings"]] == ["model-not-manifold"]


def test_failed_model_fails_its_waiting_slice(slicing, config, model, upload, run_jobs):
    made = slicing.post("/slice/", {"model": model["uri"], "config": config["uri"]}).json()
    upload(model, b"this is no mesh")
    run_jobs()

    made = slicing.get(made["uri"]).json()
    assert (made["status"], made["errors"][0]["code"]) == ("error", "model-not-usable")
    later = slicing.post("/slice/", {"model": model["uri"], "config": config["uri"]})
    assert later.status_code == 409


def test_unreadable_model_or_config_cannot_be_sliced(
    slicing, config, client_of, stranger, person, model
):
    theirs = client_of("models", stranger).post("/model/", {"name": "secret"}).json()
    nothing = model["uri"].replace(model["uri"].split("/")[-2], str(person.uuid))

    for uri in (theirs["uri"], nothing, "http://elsewhere.example/model/1/", config["uri"]):
        answer = slicing.post("/slice/", {"model": uri, "config": config["uri"]})
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["code"] == "resource-not-found"
        assert answer.json()["errors"][0]["field"] == "model"
    wrong = slicing.post("/slice/", {"model": model["uri"], "config": model["uri"]})
    assert wrong.json()["errors"][0]["field"] == "config"
    assert Slice.objects.count() == 0


def test_deleted_slice_is_not_processed(slicing, config, model, upload, run_jobs, cube):
    upload(model, cube)
    made = slicing.post("/slice/", {"model": model["uri"], "config": config["uri"]}).json()

    assert slicing.delete(made["uri"]).status_code == 204
    run_jobs()

    assert slicing.get(made["uri"]).status_code == 404
    assert Slice.objects.get().status == "queued"


def test_slice_that_fails_permanently_reports_the_reason(slicing, config, model, queued):
    made = slicing.post("/slice/", {"model": model["uri"], "config": config["uri"]}).json()
    uuid = made["uri"].split("/")[-2]

    fail_permanently("slice_model", uuid, {"reason": "worker-died", "starts": 3})

    (error,) = slicing.get(made["uri"]).json()["errors"]
    assert error["code"] == "worker-died"
    assert "3 times" in error["title"]


def test_config_in_use_can_be_deleted_and_slices_keep_its_uri(slicing, config, model):
    made = slicing.post("/slice/", {"model": model["uri"], "config": config["uri"]}).json()

    assert slicing.delete(config["uri"]).status_code == 204

    assert slicing.get(config["uri"]).status_code == 404
    assert slicing.get(made["uri"]).json()["config"] == config["uri"]


def test_slices_are_filtered_by_model(slicing, config, model, client_of, person):
    other = client_of("models", person).post("/model/", {"name": "other"}).json()
    for uri in (model["uri"], other["uri"]):
        slicing.post("/slice/", {"model": uri, "config": config["uri"]})

    listed = slicing.get("/slice/", {"filter[model]": other["uri"]}).json()

    assert [item["model"] for item in listed["resources"]] == [other["uri"]]
    assert listed["meta"] == {"count": 1}
