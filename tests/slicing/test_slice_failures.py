"""However an engine fails, the slice ends in `error` with a reason, and the next one works."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from apps.slicing.domain.installed_engines import installed_engines
from core.files.blobs import incoming_folder
from tests.conftest import CORNERS, SIDES, binary_stl

pytestmark = [pytest.mark.django_db, pytest.mark.engine]

ENGINES = {"slic3r": "prusa-slicer", "cura": "CuraEngine"}


def box(x: float, y: float, z: float) -> bytes:
    return binary_stl(CORNERS[SIDES] * [x, y, z])


@pytest.fixture(params=ENGINES)
def engine(request) -> str:
    return request.param


@pytest.fixture
def outcome(slicing, order, config_of, run_jobs) -> Callable[..., dict]:
    """`outcome(engine, model)`: the slice when all is done."""

    def run(engine: str, model: dict, **parameters) -> dict:
        made = order(model, config_of(engine, **parameters))
        run_jobs()
        return slicing.get(made["uri"]).json()

    return run


@contextmanager
def sent_to_engines(number: int) -> Iterator[list[int]]:
    """Send a signal to every engine that starts to work on a slice of this test; their ids."""
    found: list[int] = []
    over = threading.Event()
    folder = str(incoming_folder())

    def watch() -> None:
        while not over.is_set():
            for pid in (int(path.name) for path in Path("/proc").glob("[0-9]*")):
                if pid not in found and is_engine(pid, folder):
                    found.append(pid)
                    os.kill(pid, number)
            time.sleep(0.002)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield found
    finally:
        over.set()
        watcher.join()


def is_engine(pid: int, folder: str) -> bool:
    try:
        works_here = os.readlink(f"/proc/{pid}/cwd").startswith(folder)
        return works_here and Path(f"/proc/{pid}/comm").read_text().strip() in ENGINES.values()
    except OSError:
        return False


def test_killed_engine_is_restarted_once_then_the_slice_fails(engine, outcome, part):
    with sent_to_engines(signal.SIGKILL) as killed:
        failed = outcome(engine, part)

    assert len(killed) == 2
    assert (failed["status"], failed["content"]) == ("error", None)
    (error,) = failed["errors"]
    assert error["code"] == "engine-killed"
    assert "lack of memory" in error["title"]
    assert outcome(engine, part)["status"] == "processed"


def test_hanging_engine_is_killed_at_the_time_limit(engine, outcome, part, settings):
    settings.SLICE_TIME = 2
    with sent_to_engines(signal.SIGSTOP) as stopped:
        failed = outcome(engine, part)

    (error,) = failed["errors"]
    assert (failed["status"], error["code"]) == ("error", "time-limit")
    assert "longer than 2 s" in error["title"]
    assert not any(Path(f"/proc/{pid}").exists() for pid in stopped)
    settings.SLICE_TIME = 60
    assert outcome(engine, part)["status"] == "processed"


@pytest.fixture
def disk(tmp_path, settings) -> Iterator[Path]:
    """A disk of 64 MiB that holds all files of this test."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=64m", "none", str(tmp_path)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this takes the right to mount a disk")
    settings.DISK_RESERVE = 0  # or the slice would not begin
    yield tmp_path
    subprocess.run(["umount", str(tmp_path)], check=True)


@pytest.mark.parametrize("free_kib", [0, 40, 200])
def test_slice_on_a_full_disk_fails_with_storage_full(
    engine, disk, slicing, order, config_of, run_jobs, uploaded, free_kib
):
    part = uploaded(box(20, 20, 20))
    made = order(part, config_of(engine, print_quality="fine", infill_density=80))
    filler = disk / "filler"
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, room(disk) - free_kib * 1024)
    run_jobs()

    failed = slicing.get(made["uri"]).json()
    assert failed["status"] == "error"
    (error,) = failed["errors"]
    assert error["code"] == "storage-full", error
    assert "ask the operator to make room" in error["title"]
    assert list(incoming_folder().iterdir()) == []
    filler.unlink()
    made = order(part, config_of(engine, print_quality="fine", infill_density=80))
    run_jobs()
    assert slicing.get(made["uri"]).json()["status"] == "processed"


def room(folder: Path) -> int:
    """Bytes that are free there."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def test_part_larger_than_the_bed_fails_with_its_size(engine, outcome, uploaded, part):
    failed = outcome(engine, uploaded(box(300, 20, 20)))

    (error,) = failed["errors"]
    assert (failed["status"], error["code"]) == ("error", "model-too-large")
    assert "300 x 20 x 20 mm" in error["title"]
    assert outcome(engine, part)["status"] == "processed"


@pytest.fixture
def narrow_bed(settings) -> Iterator[None]:
    """A build volume of 60 x 200 x 100 mm."""
    settings.DEFAULT_BED_SIZE = (60.0, 200.0, 100.0)
    installed_engines.cache_clear()
    yield
    installed_engines.cache_clear()


def test_part_that_fits_only_turned_is_turned_when_its_owner_allows_it(
    engine, narrow_bed, outcome, uploaded
):
    long = box(150, 20, 4)

    failed = outcome(engine, uploaded(long))
    turned = outcome(engine, uploaded(long, allowed_transformations={"rotation": True}))

    assert failed["errors"][0]["code"] == "model-too-large"
    assert "allowed_transformations.rotation" in failed["errors"][0]["title"]
    assert (turned["status"], turned["errors"]) == ("processed", None)
    assert [warning["code"] for warning in turned["warnings"]] == ["model-turned"]
    (x0, y0, _), (x1, y1, _) = turned["figures"]["bounds"]
    assert x1 - x0 < 60
    assert 145 < y1 - y0 < 180


def test_part_that_fits_is_never_turned(engine, narrow_bed, outcome, uploaded):
    made = outcome(engine, uploaded(box(20, 150, 4), allowed_transformations={"rotation": True}))

    assert (made["status"], made["warnings"]) == ("processed", [])


def test_macro_that_crashes_the_engine_is_named_instead_of_the_model(
    slicing, part, order, run_jobs
):
    if installed_engines()["slic3r"].version() is None:
        pytest.skip("PrusaSlicer is not installed.")
    deep = f"start_gcode = {{{'-' * 60_000}1}}\nend_gcode = M104 S[temperature]"
    config = slicing.post("/config/raw/", {"engine": "slic3r", "content": deep}).json()

    made = order(part, config)
    run_jobs()

    made = slicing.get(made["uri"]).json()
    (error,) = made["errors"]
    assert (made["status"], error["code"]) == ("error", "macro-crashed")
    assert error["title"].startswith("PrusaSlicer crashed on a macro of the config, whatever")
    assert "in end_gcode, start_gcode, and slice again." in error["title"]
    assert "Repair" not in error["title"]
