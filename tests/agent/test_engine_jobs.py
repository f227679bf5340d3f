"""Engine jobs of the platform: fetched, run, reported, and their G-code sent."""

import io
import os
import zipfile
from pathlib import Path

import pytest

from agent.engine_orders import engine_job
from agent.engine_run import EngineRun
from agent.engine_sandbox import LIMITS
from agent.engines import Engine
from tests.agent.simulated_engines import (
    GCODE,
    JOB_ID,
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


def test_job_is_sliced_uploaded_and_reported_as_done(shop, platform):
    shop.add(WRITES + "print(os.listdir('.'), *sys.argv[1:])")
    platform.job()

    report = shop.slice()

    assert platform.gcode == GCODE
    assert platform.headers["Content-Type"] == "application/octet-stream"
    assert {key: report[key] for key in ("state", "progress", "stage", "version")} == {
        "state": "done",
        "progress": 1.0,
        "stage": "",
        "version": "2.9.2",
    }
    assert "reason" not in report
    assert report["seconds"] > 0
    assert "--config-compatibility disable --load config.ini" in report["log"]
    assert not shop.worker.turn()


def test_folder_of_a_job_is_deleted_afterwards(shop, platform):
    shop.add(WRITES + "os.makedirs('a/b'); os.chmod('a', 0)")
    platform.job()

    shop.slice()

    assert list(shop.jobs.iterdir()) == []


def test_progress_is_reported_while_the_slicer_runs(shop, platform, tmp_path):
    shop.add(f"""
        print("45 => Generating perimeters")
        while not os.path.exists({str(tmp_path / "go")!r}):
            time.sleep(0.01)
        open("out.gcode", "wb").write({GCODE!r})
    """)
    platform.job()
    report = shop.platform.reports.append

    def note(row: dict[str, object]) -> None:
        report(row)
        if row["progress"] == 0.45:
            (tmp_path / "go").touch()

    platform.reports = _Listening(note)

    shop.slice()

    running = next(row for row in platform.reports if row["progress"] == 0.45)
    assert (running["state"], running["stage"]) == ("running", "Generating perimeters")
    assert platform.last["state"] == "done"


class _Listening(list):
    """A list that tells of what is appended."""

    def __init__(self, listener):
        super().__init__()
        self._listener = listener

    def append(self, row):
        super().append(row)
        self._listener(row)


@pytest.mark.parametrize("response", [200, 404, 409])
def test_job_that_is_not_wanted_is_stopped_and_reported_no_more(shop, platform, tmp_path, response):
    process = tmp_path / "process"
    shop.add(f"open({str(process)!r}, 'w').write(str(os.getpid())); time.sleep(600)")
    platform.job()
    platform.is_wanted = False
    platform.responses[f"/agent/engine-job/{JOB_ID}/"] = [] if response == 200 else [response]

    assert shop.worker.turn()

    assert len(platform.reports) == (response == 200)
    assert platform.gcode is None
    if process.exists():
        assert not Path("/proc", process.read_text()).exists()


class _StoppedTransfers:
    """A platform whose job is not wanted any more while a file of it is on its way."""

    def __init__(self, *, at: str):
        self.at, self.pieces = at, 0
        self.run: EngineRun | None = None

    def download(self, url, into, limit, timeout):
        for piece in (b"solid ", b"cube"):
            into.write(piece)
            self.pieces += 1
            if self.at == "download":
                self.run.stop.set()

    def upload(self, url, content, size, timeout):
        for _ in content:
            self.pieces += 1
            self.run.stop.set()


@pytest.mark.parametrize(("at", "pieces"), [("download", 1), ("upload", 5)])
def test_transfer_ends_once_the_job_is_not_wanted(shop, platform, at, pieces):
    program = shop.program("open('out.gcode', 'wb').write(bytes(200_000))")
    row = platform.job(files=dict.fromkeys(("cube.stl", "config.ini"), b"solid cube"))
    job = engine_job(row, ["prusaslicer"])
    transfers = _StoppedTransfers(at=at)
    engine = Engine("prusaslicer", str(program), "2.9.2")
    run = transfers.run = EngineRun(job, engine, shop.sandbox, transfers, pause=0.01)

    run.run()

    assert (run.result, transfers.pieces) == (None, pieces)


def test_failed_slicer_is_reported_with_its_output(shop, platform):
    shop.add("print('There are no extrusions.'); sys.exit(1)")
    platform.job()

    report = shop.slice()

    assert (report["state"], report["reason"]) == ("failed", "engine-failed")
    assert report["log"] == "There are no extrusions."


def test_slicer_that_writes_nothing_has_failed(shop, platform):
    shop.add("pass")
    platform.job()

    report = shop.slice()

    assert (report["reason"], report["log"]) == (
        "engine-failed",
        "\nThe slicer has written no G-code.",
    )


@pytest.mark.parametrize(
    "result",
    [
        "os.symlink({secret!r}, 'out.gcode')",
        "os.mkfifo('out.gcode')",
        "os.mkdir('out.gcode')",
        "open('out.gcode', 'w')",
    ],
)
def test_result_that_is_no_file_of_the_slicer_is_not_sent(shop, platform, result):
    secret = shop.folder.path / "agent.json"
    shop.add(result.format(secret=str(secret)))
    platform.job()

    report = shop.slice()

    assert (report["reason"], platform.gcode) == ("engine-failed", None)


def test_gcode_beyond_the_limit_is_not_sent(shop, platform):
    shop.add("open('out.gcode', 'w').truncate(2000)")
    platform.job(output_limit=1999)

    report = shop.slice()

    assert (report["reason"], platform.gcode) == ("output-limit", None)


def test_upload_is_tried_again_while_the_server_fails(shop, platform):
    shop.add(WRITES)
    platform.job()
    platform.responses["/upload/1"] = [503, 500]

    report = shop.slice()

    assert (report["state"], platform.gcode) == ("done", GCODE)


@pytest.mark.parametrize(("path", "statuses"), [("/upload/1", [403]), ("/files/cube.stl", [404])])
def test_rejected_transfer_fails_the_job(shop, platform, path, statuses):
    shop.add(WRITES)
    platform.job()
    platform.responses[path] = statuses

    report = shop.slice()

    assert (report["state"], report["reason"]) == ("failed", "file-transfer")
    assert platform.responses[path] == []


def test_transfer_that_always_fails_is_tried_five_times(shop, platform):
    shop.add(WRITES)
    platform.job()
    platform.responses["/upload/1"] = [500] * 9

    report = shop.slice()

    assert (report["reason"], len(platform.responses["/upload/1"])) == ("file-transfer", 4)


def test_end_is_reported_again_until_the_platform_has_it(shop, platform):
    shop.add("sys.exit(1)")
    platform.job(program="curaengine")
    platform.responses[f"/agent/engine-job/{JOB_ID}/"] = [503, 502, 500]

    report = shop.slice()

    assert (report["state"], len(platform.reports)) == ("failed", 1)


def package(name: str = "Metadata/plate_1.gcode", size: int = 0) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, GCODE + bytes(size))
    return content.getvalue()


def bambu(shop: EngineShop, content: bytes) -> None:
    shop.add(f"open('out/out.3mf', 'wb').write(bytes.fromhex({content.hex()!r}))", "bambustudio")


def test_gcode_of_bambu_studio_is_read_from_its_package(shop, platform):
    bambu(shop, package())
    platform.job("bambustudio", PRESET_FILES)

    report = shop.slice()

    assert (report["state"], platform.gcode) == ("done", GCODE)


@pytest.mark.parametrize(
    ("content", "reason", "text"),
    [
        (package(size=20 << 20), "output-limit", "has more than"),
        (package("plate_1.gcode"), "engine-failed", "has no Metadata/plate_1.gcode"),
        (package()[:-30], "engine-failed", "is no ZIP file"),
        (b"PK\x05\x06" + b"\xff" * 18, "engine-failed", "lists too many files"),
        (b"x" * 100, "engine-failed", "is no ZIP file"),
    ],
)
def test_package_of_bambu_studio_is_read_within_bounds(shop, platform, content, reason, text):
    bambu(shop, content)
    platform.job("bambustudio", PRESET_FILES)

    report = shop.slice()

    assert (report["reason"], text in report["log"]) == (reason, True)
    assert platform.gcode is None


def test_gcode_of_orcaslicer_is_in_its_output_folder(shop, platform):
    shop.add(
        f"""
        print(sys.argv[1:])
        folder = sys.argv[sys.argv.index("--outputdir") + 1]
        open(f"{{folder}}/plate_1.gcode", "wb").write({GCODE!r})
        """,
        "orcaslicer",
    )
    platform.job("orcaslicer", PRESET_FILES)

    report = shop.slice()

    assert (report["state"], report["version"], platform.gcode) == ("done", "2.3.0", GCODE)
    assert "'--load-settings', 'machine.json;process.json'" in report["log"]


def test_slicer_has_no_variables_of_the_agent(shop, platform, monkeypatch):
    monkeypatch.setenv("AGENT_KEY", "secret")
    shop.add(WRITES + "print(sorted(os.environ))")
    platform.job()

    log = str(shop.slice()["log"])

    assert "AGENT_KEY" not in log
    assert str(os.environ["PATH"]) not in log
