"""What is forked of the process that has loaded the platform, beside what is started anew."""

import json
import os
import pickle
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from ops.programs import Program, program_of, supervisor_config
from tests.live.processes import OWN, ROOT, alive
from tests.waiting import wait_for

pytestmark = pytest.mark.live

# As `up` goes on: a process that has loaded all, and that was asked to be.
SUPERVISE = """
import pickle, sys
sys.path[:0] = [{root!r}, {root!r} + "/platform"]
import django
django.setup()
from pathlib import Path
from ops.prefork import supervise
config, programs = sys.argv[1:]
supervise(Path(config), pickle.loads(bytes.fromhex(programs)))
"""
# A fork during which Ctrl-C is pressed; it prints how the child has ended.
INTERRUPTED = """
import os, signal, sys
sys.path[:0] = [{root!r}, {root!r} + "/platform"]
from ops.prefork import Forking
fork = os.fork
def interrupted():
    child = fork()
    if child == 0:
        os.kill(os.getpid(), signal.SIGINT)
    return child
os.fork = interrupted
print(os.waitstatus_to_exitcode(os.waitpid(Forking([]).fork(), 0)[1]))
"""
# A program that writes down what it finds itself in.
TELL = """
import json, os, random, signal, sys, threading, time
from django.conf import settings
from django.db import connections
path = os.environ["TOLD"] + ".new"
with open(path, "w") as told:
    json.dump({
        "environment": {n: v for n, v in os.environ.items() if n not in ("TOLD", "_")},
        "bounds": settings.DATABASES["default"]["OPTIONS"]["options"],
        "connection": connections["default"].settings_dict["OPTIONS"]["options"],
        "signals": {n.name: str(signal.getsignal(n)) for n in signal.valid_signals()
                    if isinstance(n, signal.Signals)},
        "blocked": [n.name for n in signal.pthread_sigmask(signal.SIG_BLOCK, ())],
        "open": sorted(set(map(int, os.listdir("/proc/self/fd"))) - {told.fileno()})[:-1],
        "nice": os.nice(0),
        "mask": os.umask(0o77),
        "folder": os.getcwd(),
        "group": os.getpgrp() == os.getpid(),
        "threads": threading.active_count(),
        "words": sys.argv,
    }, told)
os.rename(path, os.environ["TOLD"])
time.sleep(600)
"""


@pytest.fixture
def supervise(tmp_path):
    """Supervise programs; the process that does."""
    started = []

    def start(*programs: Program) -> subprocess.Popen:
        config = tmp_path / "supervisord.conf"
        pid_file = tmp_path / "pid"
        folders = {"directory": ROOT, "logs": tmp_path, "pid_file": pid_file, "console": False}
        config.write_text(supervisor_config(programs, **folders))
        code = SUPERVISE.format(root=str(ROOT))
        given = {name: value for name, value in os.environ.items() if name not in OWN}
        # Beside what manage.py sets by itself.
        given |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        own = {"DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "project.settings"}
        started.append(
            subprocess.Popen(
                [sys.executable, "-c", code, str(config), pickle.dumps(programs).hex()],
                env={**given, **own, "STATEMENT_TIMEOUT": "0", "PYTHONPATH": ""},
                preexec_fn=lambda: os.umask(0o077),
                start_new_session=True,
            )
        )
        return started[0]

    yield start
    for process in started:
        process.kill()
        process.wait()


def telling(name: str, folder: Path, **options) -> Program:
    script = folder / "tell.py"
    script.write_text(TELL)
    words = ("shell", "--verbosity=0", "--no-imports", "-c", f"exec(open({str(script)!r}).read())")
    command = [sys.executable, str(ROOT / "manage.py"), *words]
    environment = {"TOLD": str(folder / f"{name}.json"), "LOCK_TIMEOUT": "30s"}
    return Program(name, command, environment, manage=words, **options)


def told(folder: Path, name: str) -> dict:
    path = folder / f"{name}.json"
    wait_for(path.exists)
    found = json.loads(path.read_text())
    found["words"][0] = Path(found["words"][0]).name
    for own in ("PLATFORM_PROGRAM", "SUPERVISOR_PROCESS_NAME"):
        assert found["environment"].pop(own) == name
    return found


def test_forked_program_has_the_same_state_as_a_started_one(supervise, tmp_path):
    forked = telling("forked", tmp_path, nice=3)
    supervise(forked, replace(telling("started", tmp_path, nice=3), manage=()))

    found = told(tmp_path, "forked")

    assert found == told(tmp_path, "started")
    assert "lock_timeout=30s" in found["connection"]
    assert "statement_timeout=0" in found["connection"]
    assert (found["nice"], found["threads"], found["blocked"]) == (os.nice(0) + 3, 1, [])


def test_killed_program_is_forked_again_and_all_die_with_the_supervisor(supervise, tmp_path):
    first = supervise(telling("meshes-1", tmp_path), telling("sender", tmp_path))
    told(tmp_path, "meshes-1"), told(tmp_path, "sender")
    programs = {program_of(p): p for p in psutil.Process(first.pid).children()}
    (tmp_path / "meshes-1.json").unlink()

    programs["meshes-1"].send_signal(signal.SIGKILL)
    told(tmp_path, "meshes-1")
    again = {program_of(p): p for p in psutil.Process(first.pid).children()}
    first.kill()

    assert again["meshes-1"] != programs["meshes-1"]
    assert again["sender"] == programs["sender"]
    wait_for(lambda: not any(alive(process) for process in again.values()))


def test_interrupt_during_a_fork_ends_the_child_without_a_traceback():
    ran = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.format(root=str(ROOT))], capture_output=True, text=True
    )

    assert (ran.stdout, ran.stderr) == (f"{-signal.SIGINT}\n", "")
