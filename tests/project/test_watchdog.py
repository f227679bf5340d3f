"""The watchdog: who is silent for long is killed, who starts or cannot be blamed is not."""

import os
import subprocess
import sys
import time

import psutil
import pytest

from core.actors import answer_probe, send_queue_probes
from core.process import pulse
from core.queue import probes
from ops import watchdog
from ops.programs import Program
from ops.watchdog import Facts, ProgramHealth, kill_tree, read_facts
from project import request_liveness
from tests.waiting import wait_for

WORKER = Program("meshes-1", [], queue="meshes")
LOOKS = [watchdog.POLL_INTERVAL] * 200


def killed_after(watched: ProgramHealth, process: psutil.Process) -> int | None:
    """The number of the look at which it is killed."""
    return next((n for n, passed in enumerate(LOOKS) if watched.look(process, passed)), None)


@pytest.fixture
def process() -> psutil.Process:
    return psutil.Process()


def test_watchdog_kills_program_that_stays_unresponsive(process):
    answer = [True]
    watched = ProgramHealth(WORKER, lambda: answer[0])

    assert killed_after(watched, process) is None
    answer[0] = False

    assert killed_after(watched, process) == watchdog.HANG_TIMEOUT // watchdog.POLL_INTERVAL


def test_watchdog_allows_startup_time_and_resets_when_program_ends(process):
    watched = ProgramHealth(WORKER, lambda: False)

    assert killed_after(watched, process) == watchdog.START // watchdog.POLL_INTERVAL
    assert not watched.look(None, 3.0)
    assert not watched.look(process, 3.0)


def test_watchdog_kills_nothing_when_health_is_unknown(process):
    assert killed_after(ProgramHealth(WORKER, lambda: None), process) is None


def test_health_lists_starting_and_unresponsive_programs(process, tmp_path):
    answers = {"meshes-1": True, "renders-1": False, "extras-1": None}
    watch = watchdog.Watch([], tmp_path / "workers.health")
    watch._watched = [
        ProgramHealth(Program(name, []), lambda name=name: answers[name]) for name in answers
    ]

    def not_serving() -> list[str]:
        for watched in watch._watched:
            watched.look(process, watchdog.POLL_INTERVAL)
        return watch.not_serving()

    assert not_serving() == ["renders-1", "extras-1"]
    answers.update({"renders-1": True, "extras-1": True})
    assert not_serving() == []
    answers.update({"renders-1": False, "extras-1": None})
    assert not_serving() == ["renders-1"]


def test_health_lists_unresponsive_embedded_database(tmp_path):
    watch = watchdog.Watch([Program("database", [])], tmp_path / "database.health")
    watch._facts = Facts(None)

    assert watch.not_serving() == ["database"]
    watch._facts = Facts(time.monotonic())
    assert watch.not_serving() == []


def test_worker_is_healthy_when_alive_and_busy_or_probe_is_recent(settings):
    me = str(watchdog.slot_id("meshes-1"))

    assert Facts(0.0, alive={me: False}).serves(WORKER)
    assert Facts(0.0, alive={me: True}, late={"meshes"}).serves(WORKER)
    assert not Facts(0.0, alive={me: False}, late={"meshes"}).serves(WORKER)
    assert not Facts(0.0, alive={}).serves(WORKER)


def test_watchdog_reads_worker_state_from_the_database(db):
    facts = read_facts()

    assert facts.at is not None
    assert (facts.alive, facts.late, facts.sends) == ({}, set(), False)


def test_web_without_a_free_place_is_not_killed_while_its_requests_make_progress(
    settings, tmp_path
):
    settings.DATA_DIR, settings.LISTEN, settings.PORT = tmp_path, "127.0.0.1", 1  # nothing listens
    assert watchdog.web_serves("platform.test") is False

    pulse.touch()
    assert watchdog.web_serves("platform.test") is None

    late = time.time() - 4 * pulse.INTERVAL
    os.utime(pulse.pulse_file(), (late, late))
    assert watchdog.web_serves("platform.test") is False


def test_async_check_is_negative_when_it_hangs(monkeypatch):
    monkeypatch.setattr(watchdog, "POLL_INTERVAL", 0.05)
    asker = watchdog.AsyncCheck(lambda: time.sleep(600) or True)

    wait_for(lambda: asker.answer() is False)


def test_kill_tree_kills_stopped_processes_and_children():
    code = "import os, time; os.fork(); os.setsid() if os.getppid() != 1 else 0; time.sleep(600)"
    first = psutil.Process(subprocess.Popen([sys.executable, "-c", code]).pid)
    (child,) = wait_for(first.children)
    child.suspend()
    first.suspend()

    kill_tree(first)

    os.waitpid(first.pid, 0)
    wait_for(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)


def test_each_queue_has_one_probe_at_a_time(db, queued, run_jobs):
    send_queue_probes()
    send_queue_probes()

    waiting = [name for name, _ in queued() if name == "sing"]
    assert len(waiting) == len(answer_probe.broker.queues)
    assert probes.late_queues(seconds=-1) == set(answer_probe.broker.queues)
    run_jobs()
    assert probes.late_queues(seconds=-1) == set()
    assert set(probes.probe_ages()) == set(answer_probe.broker.queues)


def test_web_process_is_not_live_when_no_waiting_request_completes(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(request_liveness.time, "monotonic", lambda: now[0])
    watched = request_liveness.RequestLiveness()

    assert watched.beats()
    with watched.waiting():
        now[0] += request_liveness.HANG_TIMEOUT - 1
        with watched.waiting():
            pass
        now[0] += request_liveness.HANG_TIMEOUT - 1
        assert watched.beats()
        now[0] += 1
        assert not watched.beats()
    assert watched.beats()
