"""Slicers that the owner of an agent names, and an agent that offers them to the platform."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agent.__main__ import main
from agent.engine_kinds import KINDS, JobFolder, kind_of, progress_of
from agent.engine_sandbox import LIMITS, EngineSandbox
from agent.engines import Engine, stored_engines
from agent.platform_client import PlatformClient
from tests.agent.conftest import says
from tests.agent.simulated_engines import GCODE, NAMES, EngineShop, connected_shop
from tests.waiting import wait_for


@pytest.fixture
def shop(tmp_path, host, monkeypatch) -> EngineShop:
    monkeypatch.setattr("agent.__main__.best_sandbox", lambda jobs: EngineSandbox(LIMITS, jobs))
    return connected_shop(tmp_path, host, LIMITS)


def engine(shop: EngineShop, *arguments: str) -> None:
    main(["--folder", str(shop.folder.path), "engine", *arguments])


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("prusaslicer", "PrusaSlicer 2.9.2"),
        ("orcaslicer", "OrcaSlicer 2.3.0"),
        ("bambustudio", "Bambu Studio 02.01.01.52"),
        ("curaengine", "CuraEngine 5.0.0"),
    ],
)
def test_program_is_stored_with_its_kind_and_version(shop, capsys, kind, text):
    program = shop.program("", kind)

    engine(shop, str(program))

    assert capsys.readouterr().out.startswith(f"It is {text}, isolated by limits: ")
    assert stored_engines(shop.folder) == [Engine(kind, str(program), text.split()[-1])]
    assert shop.folder.read()["token"] == "secret"  # noqa: S105


def test_relative_path_is_stored_as_an_absolute_one(shop, monkeypatch):
    program = shop.program("")
    monkeypatch.chdir(program.parent)

    engine(shop, program.name)

    assert stored_engines(shop.folder)[0].program == str(program)


def test_another_program_of_a_kind_replaces_the_first(shop):
    engine(shop, str(shop.program("")))
    other = shop.program("").rename(shop.programs / "slicer")
    engine(shop, str(shop.program("", "curaengine")))

    engine(shop, str(other), "--kind", "prusaslicer")

    programs = [row.program for row in stored_engines(shop.folder)]
    assert programs == [str(shop.programs / NAMES["curaengine"]), str(other)]


def test_program_is_removed(shop):
    program = str(shop.program(""))
    engine(shop, program)

    engine(shop, program, "--remove")

    assert stored_engines(shop.folder) == []
    with pytest.raises(SystemExit, match="This agent has no PrusaSlicer"):
        engine(shop, program, "--remove")


def test_program_of_another_name_needs_its_kind(shop):
    program = shop.program("").rename(shop.programs / "slicer")

    with pytest.raises(SystemExit, match="write --kind with one of prusaslicer, "):
        engine(shop, str(program))


@pytest.mark.parametrize("kind", ["curaengine", "orcaslicer"])
def test_program_that_does_not_state_the_version_of_its_kind_is_rejected(shop, kind):
    with pytest.raises(SystemExit, match=f"does not state a version of {KINDS[kind].title}: Prusa"):
        engine(shop, str(shop.program("")), "--kind", kind)

    assert stored_engines(shop.folder) == []


def test_path_that_is_no_program_is_rejected(shop):
    text = shop.programs / "prusa-slicer.txt"
    text.touch()

    for path in (text, shop.programs, shop.programs / "prusa-slicer"):
        with pytest.raises(SystemExit, match="is no program"):
            engine(shop, str(path))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("prusa-slicer", "prusaslicer"),
        ("PrusaSlicer-2.9.2-x86_64.AppImage", "prusaslicer"),
        ("OrcaSlicer_Linux_AppImage_V2.3.0.AppImage", "orcaslicer"),
        ("bambu-studio", "bambustudio"),
        ("Bambu_Studio_ubuntu-24.04.AppImage", "bambustudio"),
        ("CuraEngine", "curaengine"),
        ("slicer", None),
    ],
)
def test_kind_is_read_from_the_name_of_a_program(name, kind):
    assert kind_of(Path("/opt/prusaslicer", name)) == kind


@pytest.mark.parametrize(
    ("line", "progress"),
    [
        ("45 => Generating perimeters", (0.45, "Generating perimeters")),
        ("100 => " + "x" * 200, (1.0, "x" * 100)),
        ("999 => x", (1.0, "x")),
        ("Progress:inset+skin:1:5 \t12.5%", (1.0, "inset+skin")),
        ("[info] Progress:export:1:5 \t0.85%", (0.85, "export")),
        ("Progress:export:1:5 \t1.2.3%", None),
        ("5 => a\0\x1bb", (0.05, "ab")),
        ("layer 5 => 6", None),
        ("", None),
    ],
)
def test_progress_is_read_from_lines_of_output(line, progress):
    assert progress_of(line) == progress


def test_presets_and_time_limit_are_options_of_bambu_studio(tmp_path):
    job = JobFolder(tmp_path, "/job", "plate.3mf", 900.0)
    for name in KINDS["bambustudio"].configs:
        (tmp_path / name).write_text('{"name": "x"}')

    command = " ".join(KINDS["bambustudio"].arguments(job))

    assert command == (
        "--slice 0 --arrange 0 --orient 0 --mstpp 900 --mtcpp 100000000 "
        "--load-settings machine.json;process.json --load-filaments filament.json "
        "--outputdir /job/out --export-3mf out.3mf plate.3mf"
    )


def test_scripts_of_a_model_are_replaced_by_those_of_the_process(tmp_path):
    for name in KINDS["orcaslicer"].configs:
        (tmp_path / name).write_text('{"name": "x"}')

    KINDS["orcaslicer"].arguments(JobFolder(tmp_path, "/job", "plate.3mf", 900.0))

    process = json.loads((tmp_path / "process.json").read_text())
    assert process == {"name": "x", "post_process": []}
    assert (tmp_path / "machine.json").read_text() == '{"name": "x"}'


def test_settings_are_options_of_curaengine(tmp_path):
    rows = {"layer_height": "0.2", "machine_start_gcode": "G28\n;-j x"}
    (tmp_path / "settings.json").write_text(json.dumps(rows))

    command = KINDS["curaengine"].arguments(JobFolder(tmp_path, "/job", "model.stl", 60.0))

    assert command == [
        *("slice", "-v", "-p", "-s", "layer_height=0.2"),
        *("-s", "machine_start_gcode=G28\n;-j x", "-o", "out.gcode", "-l", "model.stl"),
    ]


def test_agent_without_slicers_sends_no_field_that_old_platforms_lack(shop):
    shop.client.exchange([], [])

    assert "engines" not in shop.platform.exchanges[0]


@pytest.mark.parametrize(
    ("body", "jobs"), [({}, 0), ({"engine_jobs": None}, 0), ({"engine_jobs": 3}, 3)]
)
def test_exchange_returns_the_jobs_that_wait(host, body, jobs):
    answer = json.dumps({"attempts": [], "next_seconds": 2} | body).encode()

    assert PlatformClient(host(says(200, answer)).address).exchange([], []).engine_jobs == jobs


def test_program_that_fails_is_not_offered(shop):
    shop.add("", "curaengine")
    shop.add("")
    shop.program("").write_text("#!/bin/sh\nexit 1\n")

    worker = shop.restarted()

    assert [row["program"] for row in worker.report] == ["curaengine"]


def test_files_of_a_killed_agent_are_deleted(shop):
    (shop.jobs / "job" / "data").mkdir(parents=True)

    shop.worker.prepare()

    assert not (shop.jobs / "job").exists()


def test_running_agent_offers_its_slicer_and_does_the_job(shop):
    shop.add(f"open('out.gcode', 'wb').write({GCODE!r})")
    shop.folder.change(address=shop.platform.address)
    shop.platform.job()
    command = [sys.executable, "-m", "agent", "--folder", str(shop.folder.path), "run"]
    platform = Path(__file__).parents[2] / "platform"

    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(platform)}) as agent:
        try:
            wait_for(lambda: [row["state"] for row in shop.platform.reports][-1:] == ["done"], 60)
        finally:
            agent.kill()

    assert shop.platform.gcode == GCODE
    offered = next(row["engines"] for row in shop.platform.exchanges if "engines" in row)
    assert [(row["program"], row["version"]) for row in offered] == [("prusaslicer", "2.9.2")]
    assert offered[0]["isolation"] in ("bubblewrap", "namespaces", "limits")
