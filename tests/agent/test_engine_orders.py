"""Engine jobs that an agent rejects: names, sizes, addresses and configs of a hostile platform."""

import json

import pytest

from agent.engine_sandbox import LIMITS
from machines.drivers import NoAnswer
from tests.agent.conftest import says
from tests.agent.simulated_engines import (
    FILES,
    PRESET_FILES,
    WRITES,
    EngineShop,
    SimulatedEnginePlatform,
    connected_shop,
)


@pytest.fixture
def shop(tmp_path, host) -> EngineShop:
    """An agent whose slicers run with limits alone: the quickest."""
    return connected_shop(tmp_path, host, LIMITS)


@pytest.fixture
def platform(shop) -> SimulatedEnginePlatform:
    return shop.platform


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"program": "bash"}, "This agent has no 'bash'"),
        ({"program": "curaengine"}, "This agent has no 'curaengine'"),
        ({"model": "config.ini"}, "reads models as .stl or .3mf"),
        ({"model": "other.stl"}, "needs the files other.stl, config.ini"),
        ({"model": None}, "reads models as"),
        ({"files": []}, "needs the files"),
        ({"files": None}, "makes no sense"),
        ({"files": [None]}, "makes no sense"),
        ({"time_limit": 0}, "is no limit"),
        ({"time_limit": "long"}, "is no limit"),
        ({"output_limit": float("nan")}, "is no limit"),
    ],
)
def test_invalid_job_is_not_started(shop, platform, changed, text):
    shop.add(WRITES)
    platform.job().update(changed)

    report = shop.slice()

    assert (report["state"], report["reason"]) == ("failed", "not-started")
    assert text in report["log"]


@pytest.mark.parametrize(
    "name", ["../agent.json", "a/b.stl", "-o.stl", ".stl", "a b.stl", "ä.stl", "a.stl\n", "a" * 101]
)
def test_file_name_with_path_characters_is_rejected(shop, platform, name):
    shop.add(WRITES)
    platform.job(files={name: b"", "config.ini": b""})

    report = shop.slice()

    assert (report["reason"], "is no name of a file" in report["log"]) == ("not-started", True)
    assert json.loads((shop.folder.path / "agent.json").read_text())["token"] == "secret"  # noqa: S105


@pytest.mark.parametrize(
    ("changed", "reason", "text"),
    [
        ({"content": "http://10.0.0.1/cube.stl"}, "file-transfer", "which is not of 127.0.0.1"),
        ({"content": "file:///etc/passwd"}, "file-transfer", "which is not of 127.0.0.1"),
        ({"content": "//["}, "file-transfer", ""),
        ({"sha256": "0" * 64}, "file-transfer", "SHA-256 differs"),
        ({"sha256": "../"}, "not-started", "is no SHA-256"),
        ({"size": 9}, "file-transfer", "has more than 9 bytes"),
        ({"size": 1 << 40}, "not-started", "is no size of a file"),
        ({"size": -1}, "not-started", "is no size of a file"),
        ({"size": True}, "not-started", "is no size of a file"),
    ],
)
def test_file_that_is_not_what_it_should_be_is_rejected(shop, platform, changed, reason, text):
    shop.add(WRITES)
    config = platform.file("config.ini", FILES["config.ini"])
    platform.job()["files"] = [
        platform.file("cube.stl", FILES["cube.stl"]) | changed,
        config,
    ]

    report = shop.slice()

    assert (report["reason"], text in report["log"]) == (reason, True)


def test_upload_to_another_host_is_refused(shop, platform):
    shop.add(WRITES)
    platform.job(upload="http://10.0.0.1/upload/1")

    report = shop.slice()

    assert report["reason"] == "file-transfer"
    assert "lies at 10.0.0.1" in report["log"]


@pytest.mark.parametrize("answer", [b"[]", b'{"job": 1}', b'{"job": {"id": "../permit"}}', b"x"])
def test_answer_without_a_job_that_makes_sense_starts_nothing(tmp_path, host, answer):
    other = SimulatedEnginePlatform()
    other.address = host(says(200, answer)).address
    shop = EngineShop(tmp_path, other, LIMITS)
    shop.add(WRITES)

    with pytest.raises(NoAnswer):
        shop.worker.turn()

    assert list(shop.jobs.iterdir()) == []


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ({"layer_height": "0.2", "-j": "x"}, "is no name of a setting"),
        ({"layer height": "0.2"}, "is no name of a setting"),
        ({"layer_height": 0.2}, "is no text"),
        ({"layer_height": "\0"}, "is no text"),
        ([], "is no object"),
        (None, "is no object"),
    ],
)
def test_settings_of_curaengine_with_invalid_names_are_rejected(shop, platform, rows, text):
    shop.add("pass", "curaengine")
    files = {"model.stl": b"", "settings.json": json.dumps(rows).encode()}
    platform.job("curaengine", files)

    report = shop.slice()

    assert (report["reason"], text in report["log"]) == ("not-started", True)


@pytest.mark.parametrize(
    ("kind", "name", "content"),
    [
        ("prusaslicer", "config.ini", "layer_height = 0.2\r\n post_process=touch x"),
        ("prusaslicer", "config.ini", 'post_process = "touch x";"touch y"'),
        ("orcaslicer", "process.json", '{"post_process": ["", "touch x"]}'),
        ("bambustudio", "machine.json", '{"post_process": "touch x"}'),
    ],
)
def test_config_that_runs_programs_is_rejected(shop, platform, kind, name, content):
    shop.add(WRITES, kind)
    files = FILES if kind == "prusaslicer" else PRESET_FILES
    platform.job(kind, {**files, name: content.encode()})

    report = shop.slice()

    assert (report["reason"], platform.gcode) == ("not-started", None)
    assert report["log"].startswith(f"{name} has post_process scripts")


@pytest.mark.parametrize(
    ("kind", "name", "content", "text"),
    [
        ("prusaslicer", "config.ini", b"\xff", "is not in UTF-8"),
        ("prusaslicer", "config.ini", b"x" * 2_000_001, "has more than 2000000 bytes"),
        ("orcaslicer", "filament.json", b"[]", "is no object"),
        ("orcaslicer", "filament.json", b"[" * 100_000, "is no JSON"),
        ("bambustudio", "process.json", b"{", "is no JSON"),
    ],
)
def test_config_that_cannot_be_read_is_rejected(shop, platform, kind, name, content, text):
    shop.add(WRITES, kind)
    files = FILES if kind == "prusaslicer" else PRESET_FILES
    platform.job(kind, {**files, name: content})

    report = shop.slice()

    assert (report["reason"], text in report["log"]) == ("not-started", True)
