"""Slicers in shops: offered to members, given slices, replaced where they do not answer."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.slicing.actors import check_engine_jobs
from apps.slicing.domain.installed_engines import prusaslicer
from apps.slicing.models import AgentEngine, Config, EngineJob, Slice
from tests.erp.agents.conftest import code_of
from tests.erp.conftest import key_of
from tests.erp.shop_slicer import ShopSlicer

pytestmark = [pytest.mark.django_db, pytest.mark.engine]

if prusaslicer().version() is None:
    pytest.skip(prusaslicer().missing(), allow_module_level=True)


@pytest.fixture
def shop(agent, tmp_path) -> ShopSlicer:
    slicer = ShopSlicer(agent, tmp_path)
    slicer.exchange()
    return slicer


@pytest.fixture
def slicing(client_of, person):
    return client_of("slicing", person)


@pytest.fixture
def engine(slicing, shop) -> dict:
    """The slicer as members see it."""
    (row,) = slicing.get("/engine/?filter[in_shop]=true").json()["resources"]
    return row


@pytest.fixture
def shop_config(slicing, config, engine) -> dict:
    """A config whose slices are made in the shop."""
    answer = slicing.post(f"{config['uri']}engine/", {"engine": engine["uri"]})
    assert answer.status_code == 201, answer.json()
    return answer.json()


@pytest.fixture
def sent(slicing, shop_config, cube_model, run_jobs):
    """`sent()`: a slice that waits for the slicer in the shop."""

    def make(config: dict = shop_config) -> dict:
        body = {"model": cube_model["uri"], "config": config["uri"]}
        answer = slicing.post("/slice/", body)
        assert answer.status_code == 201, answer.json()
        run_jobs()
        return slicing.get(answer.json()["uri"]).json()

    return make


def go_offline() -> None:
    AgentEngine.objects.update(seen=timezone.now() - timedelta(minutes=2))


def test_slicer_of_an_agent_is_offered_to_members_of_its_bureau_alone(
    client_of, stranger, paired, engine, bureau
):
    assert (engine["program"], engine["engine"], engine["version"]) == (
        "prusaslicer",
        "slic3r",
        "2.9.2",
    )
    assert engine["usable"] and engine["in_shop"] and engine["notes"] == []
    assert (engine["bureau"], engine["agent"]) == (bureau["uri"], paired[0]["uri"])
    others = client_of("slicing", stranger).get("/engine/").json()["resources"]
    assert not any(row["in_shop"] for row in others)
    go_offline()
    assert not client_of("slicing", stranger).get(engine["uri"]).status_code == 200


def test_slicer_is_listed_as_offline_and_deleted_once_it_is_no_longer_reported(
    slicing, shop, engine, agent
):
    go_offline()
    row = slicing.get(engine["uri"]).json()
    assert not row["usable"] and "does not report it" in row["reasons"][0]

    answer = agent.post("/agent/exchange/", {"engines": []})

    assert answer.status_code == 200
    assert slicing.get(engine["uri"]).status_code == 404


def test_slice_is_made_by_the_slicer_in_the_shop(slicing, shop, sent, run_jobs, config, cube_model):
    made = sent()
    assert (made["status"], made["stage"]) == ("processing", "waiting for the slicer in the shop")
    assert made["engine_version"] == "2.9.2"
    assert shop.exchange() == 1

    job = shop.take()
    assert {file["name"] for file in job["files"]} == {"config.ini", "model.stl"}
    assert shop.exchange() == 0 and shop.take() is None
    assert shop.report(job, "running", progress=0.4, stage="Infill").json() == {"wanted": True}
    running = slicing.get(made["uri"]).json()
    assert (running["progress"], running["stage"]) == (0.4, "Infill")
    shop.upload(job, shop.slice(job).read_bytes())
    shop.report(job, "done", progress=1, seconds=2.5, version="2.9.2")
    run_jobs()

    done = slicing.get(made["uri"]).json()
    assert (done["status"], done["errors"], done["slice_time"]) == ("processed", None, 3)
    here = sent(config)
    assert here["status"] == "processed" and here["engine_version"] == prusaslicer().version()
    for figure, value in here["estimates"].items():
        assert done["estimates"][figure] == pytest.approx(value, rel=1e-3)
    assert not EngineJob.objects.get().files.exists()


def test_equal_slice_of_the_shop_is_not_sliced_again(slicing, shop, sent, run_jobs):
    first = sent()
    shop.work()
    run_jobs()

    second = sent()

    assert second["status"] == "processed" and shop.exchange() == 0
    assert slicing.get(first["uri"]).json()["figures"] == second["figures"]


def test_offline_slicer_is_replaced_by_the_engine_of_the_platform(sent):
    go_offline()

    made = sent()

    assert (made["status"], made["engine_version"]) == ("processed", prusaslicer().version())
    assert [warning["code"] for warning in made["warnings"]] == ["shop-engine-offline"]


def test_job_of_a_silent_agent_starts_again_and_then_is_made_by_the_platform(
    slicing, shop, sent, run_jobs
):
    made = sent()
    first = shop.take()
    EngineJob.objects.update(heard=timezone.now() - timedelta(minutes=2))
    check_engine_jobs()

    again = shop.take()
    assert again["id"] == first["id"]
    EngineJob.objects.update(heard=timezone.now() - timedelta(minutes=2))
    check_engine_jobs()
    run_jobs()

    done = slicing.get(made["uri"]).json()
    assert (done["status"], done["engine_version"]) == ("processed", prusaslicer().version())
    assert done["warnings"][0]["code"] == "shop-engine-offline"
    assert shop.report(again, "running").json() == {"wanted": False}


def test_failure_of_the_program_is_the_error_of_the_slice(slicing, shop, sent, run_jobs):
    made = sent()
    job = shop.take()
    shop.report(job, "failed", reason="engine-failed", log="No extrusions were generated.")
    run_jobs()

    done = slicing.get(made["uri"]).json()
    assert done["status"] == "error"
    (error,) = done["errors"]
    assert error["code"] == "engine-failed" and "PrusaSlicer" in error["title"]
    assert error["details"]["log"] == "No extrusions were generated."


def test_program_that_does_not_start_is_replaced(slicing, shop, sent, run_jobs):
    made = sent()
    shop.report(shop.take(), "failed", reason="not-started")
    run_jobs()

    assert slicing.get(made["uri"]).json()["status"] == "processed"


def test_gcode_beside_the_bed_is_refused_as_that_of_the_platform_is(slicing, shop, sent, run_jobs):
    made = sent()
    job = shop.take()
    gcode = shop.slice(job).read_text()
    shop.upload(job, gcode.replace("G1 X1", "G1 X9").encode())
    shop.report(job, "done", progress=1, seconds=1, version="2.9.2")
    run_jobs()

    done = slicing.get(made["uri"]).json()
    assert done["status"] == "error"


def test_end_of_a_job_without_its_gcode_is_refused(shop, sent):
    sent()

    answer = shop.report(shop.take(), "done", progress=1)

    assert (answer.status_code, code_of(answer)) == (409, "not-planned")


def test_job_of_a_deleted_slice_is_not_wanted(slicing, shop, sent):
    made = sent()
    job = shop.take()

    assert slicing.delete(made["uri"]).status_code == 204

    answer = shop.report(job, "running", progress=0.5)
    assert answer.status_code == 404
    assert Slice.objects.get(pk=key_of(made)).status == "processing"


def test_agent_of_another_bureau_neither_takes_nor_reports_the_job(
    make, pair, shop, sent, tmp_path
):
    sent()
    other = make("bureau", name="Elsewhere")
    spy = ShopSlicer(pair(make("location", bureau=other["uri"], name="Far"))[1], tmp_path)

    assert spy.exchange() == 0 and spy.take() is None
    assert spy.report(shop.take(), "done").status_code == 404


def test_account_with_fewer_jobs_is_next(client_of, slicing, shop, sent, member, shop_config):
    """Two slices of the same account wait, and then one of another: it is second."""
    rows = [Slice.objects.get(pk=key_of(sent()))]
    key = key_of(shop_config)
    for owner in (rows[0].owner, member):
        twin = Slice.objects.create(
            owner=owner, model_uri=rows[0].model_uri, config_id=key, status="processing"
        )
        job = EngineJob.objects.create(
            slice=twin, engine=AgentEngine.objects.get(), model="model.stl"
        )
        assert job.status == "queued"
        rows.append(twin)

    taken = [EngineJob.objects.get(pk=shop.take()["id"]).slice_id for _ in rows]

    assert taken == [rows[0].pk, rows[2].pk, rows[1].pk]


def test_config_of_another_engine_is_not_sliced_by_it(slicing, engine):
    body = {"engine": "cura", "parameters": {}}
    other = slicing.post("/config/curated/", body)
    if other.status_code == 503:
        pytest.skip("CuraEngine is not installed.")

    answer = slicing.post(f"{other.json()['uri']}engine/", {"engine": engine["uri"]})

    assert (answer.status_code, code_of(answer)) == (400, "engine-not-suitable")


def test_config_for_a_slicer_in_a_shop_is_made_once_and_leads_back(
    slicing, config, shop_config, engine
):
    assert shop_config["shop_engine"] == engine["uri"] and config["shop_engine"] is None
    again = slicing.post(f"{config['uri']}engine/", {"engine": engine["uri"]}).json()
    assert again["uri"] == shop_config["uri"]
    back = slicing.post(f"{shop_config['uri']}engine/", {"engine": None}).json()
    assert back["uri"] == config["uri"]
    wrong = slicing.post(f"{config['uri']}engine/", {"engine": config["uri"]})
    assert (wrong.status_code, code_of(wrong)) == (400, "resource-not-found")
    assert Config.objects.filter(agent_engine__isnull=False).count() == 1


def test_job_that_no_agent_takes_is_made_by_the_platform(slicing, shop, sent, run_jobs):
    made = sent()
    go_offline()
    check_engine_jobs()
    run_jobs()
    assert slicing.get(made["uri"]).json()["status"] == "processing"  # it may be restarted

    EngineJob.objects.update(queued=timezone.now() - timedelta(minutes=2))
    check_engine_jobs()
    run_jobs()

    done = slicing.get(made["uri"]).json()
    assert (done["status"], done["program"]) == ("processed", None)


def test_slicers_of_a_deleted_agent_are_deleted(erp, slicing, engine):
    assert erp.delete(engine["agent"]).status_code == 204

    assert slicing.get(engine["uri"]).status_code == 404
