"""An engine runs within limits, and never outlives what started it."""

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from apps.slicing.engines.base import EngineLimits, SliceFailed
from apps.slicing.engines.engine_process import run
from tests.waiting import wait_for

# one that lies where engines may read
PYTHON = shutil.which("python3", path="/usr/local/bin:/usr/bin")
LIMITS = EngineLimits(wall_seconds=20, cpu_seconds=10)


def python(code):
    return [PYTHON, "-I", "-S", "-c", code]


@pytest.fixture
def go(tmp_path):
    def go(code, *, limits=LIMITS, on_line=lambda line: None, progress=None):
        return run(python(code), tmp_path, limits=limits, on_line=on_line, progress=progress)

    return go


@pytest.fixture
def refused(go):
    def refused(code, limits):
        with pytest.raises(SliceFailed) as failure:
            go(code, limits=limits)
        return failure.value.code

    return refused


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_engine_process_returns_lines_exit_status_and_log(go):
    lines = []

    outcome = go("print('one'); print('two'); raise SystemExit(3)", on_line=lines.append)

    assert (lines, outcome.status, outcome.log) == (["one", "two"], 3, "one\ntwo\n")


def test_engine_process_does_not_inherit_the_environment(go, monkeypatch):
    monkeypatch.setenv("SECRET", "of the platform")

    outcome = go("import os; print(sorted(os.environ))")

    assert outcome.log == "['LC_ALL', 'MALLOC_ARENA_MAX']\n"


def test_engine_log_keeps_the_end_of_a_long_output(go):
    outcome = go("print('x' * 1_000_000); print('the end')")

    assert outcome.log.endswith("x\nthe end\n")
    assert len(outcome.log) == 16 << 10


@pytest.mark.parametrize(
    ("code", "limits", "expected"),
    [
        ("import time; time.sleep(60)", {"wall_seconds": 0.5}, "time-limit"),
        (
            "import os, time; os.close(1); os.close(2); time.sleep(60)",
            {"wall_seconds": 0.5},
            "time-limit",
        ),
        ("while True: pass", {"cpu_seconds": 1}, "time-limit"),
        (
            "x = bytearray(200 << 20)\nimport time; time.sleep(60)",
            {"memory_bytes": 100 << 20},
            "memory-limit",
        ),
        ("open('big', 'wb').truncate(2 << 20)", {"output_bytes": 1 << 20}, "output-limit"),
        ("import signal; signal.raise_signal(signal.SIGSEGV)", {}, "engine-crashed"),
        ("import signal; signal.raise_signal(signal.SIGKILL)", {}, "engine-killed"),
    ],
)
def test_exceeded_limit_or_crash_has_its_error_code(refused, code, limits, expected):
    assert refused(code, replace(LIMITS, **limits)) == expected


def test_address_space_of_an_engine_is_limited(go):
    outcome = go("x = bytearray(900 << 20)", limits=replace(LIMITS, address_space_bytes=800 << 20))

    assert outcome.status == 1
    assert "MemoryError" in outcome.log


def test_engine_progress_is_derived_from_its_output_lines(go):
    told = []

    go(
        "import time; print('half', flush=True); time.sleep(3)",
        on_line=lambda line: (0.5, line),
        progress=lambda *at: told.append(at),
    )

    assert told[-1] == (0.5, "half")


def test_exception_in_progress_callback_kills_the_engine(go):
    pids = []

    def cancel(done, stage):
        if pids:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        go(
            "import os, time; print(os.getpid(), flush=True); time.sleep(60)",
            on_line=lambda line: pids.append(int(line)),
            progress=cancel,
        )

    assert not is_running(pids[0])


def test_engine_dies_with_its_parent_process(tmp_path):
    child = "import os, time; open('pid', 'w').write(str(os.getpid())); time.sleep(60)"
    parent = (
        "from pathlib import Path\n"
        "from apps.slicing.engines.base import EngineLimits\n"
        "from apps.slicing.engines.engine_process import run\n"
        f"run({python(child)!r}, Path({str(tmp_path)!r}), limits=EngineLimits(), on_line=print)\n"
    )
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    worker = subprocess.Popen([sys.executable, "-c", parent], env={**os.environ, **paths})
    pid_file = tmp_path / "pid"
    wait_for(lambda: pid_file.exists() and pid_file.read_text())

    worker.send_signal(signal.SIGKILL)
    worker.wait()

    wait_for(lambda: not is_running(int(pid_file.read_text())))
