"""Engines of other versions than the tested ones are offered once they have sliced a cube."""

import json
from pathlib import Path

import pytest

from apps.slicing.domain.installed_engines import InstalledEngine, installed_engines
from apps.slicing.engines import engine_cache
from apps.slicing.engines.base import SliceFailed
from apps.slicing.engines.curaengine import CuraEngine
from apps.slicing.engines.prusaslicer import PrusaSlicer
from ops.management.commands import doctor


@pytest.fixture
def program(tmp_path) -> Path:
    path = tmp_path / "program"
    path.write_bytes(b"first")
    return path


@pytest.mark.parametrize("in_files", [True, False])
def test_cached_fact_is_computed_once_per_program_content(program, tmp_path, in_files):
    folder = tmp_path / "facts" if in_files else None
    made = []

    def make() -> dict[str, int]:
        made.append(program.read_bytes())
        return {"number": len(made)}

    first = [engine_cache.cached(program, "fact", make, folder) for _ in range(2)]
    program.write_bytes(b"another")
    other = engine_cache.cached(program, "fact", make, folder)

    assert first == [{"number": 1}] * 2
    assert other == {"number": 2}
    assert made == [b"first", b"another"]


def test_damaged_cached_fact_is_computed_again(program, tmp_path):
    engine_cache.store(program, "fact", 1, tmp_path / "facts")
    (path,) = (tmp_path / "facts").iterdir()
    path.write_text("{")

    assert engine_cache.cached(program, "fact", lambda: 2, tmp_path / "facts") == 2
    assert json.loads(path.read_text()) == 2


def test_fact_is_returned_when_the_cache_cannot_be_written(program, tmp_path):
    (tmp_path / "facts").write_text("not a folder")

    assert engine_cache.cached(program, "fact", lambda: 2, tmp_path / "facts") == 2


@pytest.fixture(params=[CuraEngine, PrusaSlicer])
def untested(request, tmp_path, monkeypatch):
    """An installed engine whose version does not run in the tests."""
    kind = request.param
    engine = installed_engines()[kind.identifier]
    if engine.version() is None:
        pytest.skip(engine.missing())
    monkeypatch.setattr(kind, "tested", ("0.8.0", "0.9.0"))
    monkeypatch.setattr(engine, "facts", tmp_path / "facts")
    return engine


@pytest.mark.engine
def test_untested_version_is_offered_after_its_self_test(untested, monkeypatch):
    before = untested.version(), untested.missing()

    untested.self_test()

    assert before[0] is None
    assert "has not sliced the test cube yet: run `manage.py doctor`" in before[1]
    assert untested.version() == untested.program_version()
    assert f"{untested.version()} is not one of the tested versions, 0.8.0, 0.9.0" in (
        untested.note()
    )
    monkeypatch.setattr(type(untested), "slice", None)  # it is not sliced again
    untested.self_test()


@pytest.mark.engine
def test_version_that_fails_its_self_test_is_not_offered_and_is_retried(untested, monkeypatch):
    def fail(*arguments, **options):
        raise SliceFailed("engine-failed", "It refused the cube.")

    with monkeypatch.context() as patch:
        patch.setattr(type(untested), "slice", fail)
        untested.self_test()

    assert untested.version() is None
    assert untested.note() is None
    assert untested.missing().endswith(
        "and failed to slice the test cube: It refused the cube. Install version 0.8.0 or 0.9.0."
    )
    untested.self_test()
    assert untested.version() is not None


@pytest.mark.engine
@pytest.mark.django_db
def test_slice_of_an_untested_version_carries_a_warning(untested, slicing, part, config_of):
    untested.self_test()
    config = config_of(untested.identifier)

    body = {"model": part["uri"], "config": config["uri"]}
    preview = slicing.post("/slice/?dry_run=true", body).json()

    (warning,) = preview["warnings"]
    assert (warning["code"], warning["title"]) == ("engine-not-tested", untested.note())


@pytest.mark.engine
@pytest.mark.django_db
def test_config_for_an_unavailable_engine_returns_503_with_the_reason(untested, slicing):
    answer = slicing.post("/config/curated/", {"engine": untested.identifier})

    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["code"]) == (503, "engine-not-installed")
    assert error["title"] == untested.missing()


@pytest.mark.engine
@pytest.mark.django_db
def test_folders_of_the_server_are_shown_to_administrators_only(
    untested, slicing, monkeypatch, capsys
):
    def fail(*arguments, **options):
        raise SliceFailed("engine-failed", "It cannot read /srv/platform/data/job-7/cube.stl.")

    monkeypatch.setattr(type(untested), "slice", fail)
    untested.self_test()

    listed = slicing.get(f"/engine/?filter[engine]={untested.identifier}").json()["resources"]
    refused = slicing.post("/config/curated/", {"engine": untested.identifier}).json()["errors"]
    for reason in (listed[0]["reasons"][0], refused[0]["title"]):
        assert "It cannot read cube.stl." in reason
        assert "/srv" not in reason
    assert "/srv/platform/data/job-7/cube.stl" in untested.missing()


@pytest.mark.engine
@pytest.mark.django_db
def test_errors_of_a_slice_name_no_folders_of_the_server(
    slicing, part, config, order, run_jobs, monkeypatch
):
    def fail(*arguments, **options):
        log = "loading /srv/platform/data/job-7/cube.stl"
        raise SliceFailed("model-invalid", "It cannot read /srv/data/cube.stl.", log)

    monkeypatch.setattr(PrusaSlicer, "slice", fail)
    made = order(part, config)
    run_jobs()

    (error,) = slicing.get(made["uri"]).json()["errors"]
    assert "It cannot read cube.stl." in error["title"]
    assert error["details"]["log"] == "loading cube.stl"


@pytest.mark.engine
@pytest.mark.django_db
def test_engines_are_listed_with_reasons_and_notes(untested, slicing):
    before = slicing.get(f"/engine/?filter[engine]={untested.identifier}").json()["resources"]
    untested.self_test()
    after = slicing.get(before[0]["uri"]).json()

    assert before == [
        {
            "uri": before[0]["uri"],
            "engine": untested.identifier,
            "name": untested.name,
            "version": None,
            "usable": False,
            "reasons": [before[0]["reasons"][0]],
            "notes": [],
            "in_shop": False,
            **dict.fromkeys(("program", "origin", "bureau", "agent", "isolation", "seen")),
        }
    ]
    assert "has not sliced the test cube yet" in before[0]["reasons"][0]
    assert (after["usable"], after["version"]) == (True, untested.version())
    assert (after["reasons"], after["notes"]) == ([], [untested.note()])
    assert slicing.get("/engine/").json()["meta"]["count"] == 2


@pytest.mark.engine
def test_doctor_notes_an_untested_version_and_runs_its_self_test(untested):
    with pytest.raises(doctor.Partial, match="is not one of the tested versions"):
        doctor.engines()

    assert untested.version() is not None


def states(*offered: bool) -> list[InstalledEngine]:
    return [
        InstalledEngine(
            f"engine{n}",
            name=f"Engine{n}",
            version="1.0" if works else None,
            reasons=[] if works else ["Reason."],
            notes=[],
        )
        for n, works in enumerate(offered)
    ]


@pytest.mark.parametrize(
    ("offered", "sign", "words"),
    [
        ((True, True), "ok", "Engine0: 1.0, Engine1: 1.0"),
        ((True, False), "note", "Engine0: 1.0. Not offered: Engine1. Reason."),
        ((False, True), "note", "Engine1: 1.0. Not offered: Engine0. Reason."),
        ((False, False), "BROKEN", "Not offered: Engine0, Engine1. Reason. Reason."),
    ],
)
def test_doctor_requires_only_one_engine(monkeypatch, offered, sign, words):
    monkeypatch.setattr(doctor.slicing, "test_engines", lambda: None)
    monkeypatch.setattr(doctor.slicing, "engine_states", lambda: states(*offered))
    monkeypatch.setattr(doctor, "PARTS", ((doctor.engines, True),))

    assert list(doctor.Command()._look()) == [("engines", sign, words)]
