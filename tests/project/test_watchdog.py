"""The watchdog: who is silent for long is killed, who starts or cannot be blamed is not."""

import os
import subprocess
import sys
import time

import psutil
import pytest

from core.actors import answer_probe, send_queue_probes
from core.queue import probes
from ops import watchdog
from ops.programs import Program
from ops.watchdog import Facts, ProgramHealth, kill_tree, read_facts
from project import request_liveness
from tests.waiting import wait_for

WORKER = Program("meshes-1", [], queue="meshes")
LOOKS = [watchdog.LOOK] * 200


def killed_after(watched: ProgramHealth, process: psutil.Process) -> int | None:
    """The number of the look at which it is killed."""
    return next((n for n, passed in enumerate(LOOKS) if watched.look(process, passed)), None)


@pytest.fixture
def process() -> psutil.Process:
    return psutil.Process()


def test_who_served_and_is_silent_for_long_is_killed(process):
    answer = [True]
    watched = ProgramHealth(WORKER, lambda: answer[0])

    assert killed_after(watched, process) is None
    answer[0] = False

    assert killed_after(watched, process) == watchdog.LONGEST // watchdog.LOOK


def test_who_starts_is_given_time_and_who_ended_is_forgotten(process):
    watched = ProgramHealth(WORKER, lambda: False)

    assert killed_after(watched, process) == watchdog.START // watchdog.LOOK
    assert not watched.look(None, 3.0)
    assert not watched.look(process, 3.0)


def test_nobody_is_blamed_where_nobody_can_say(process):
    assert killed_after(ProgramHealth(WORKER, lambda: None), process) is None


def test_health_lists_who_does_not_serve_yet_and_who_fell_silent(process, tmp_path):
    answers = {"meshes-1": True, "renders-1": False, "extras-1": None}
    watch = watchdog.Watch([], tmp_path / "workers.health")
    watch._watched = [
        ProgramHealth(Program(name, []), lambda name=name: answers[name]) for name in answers
    ]

    def not_serving() -> list[str]:
        for watched in watch._watched:
            watched.look(process, watchdog.LOOK)
        return watch.not_serving()

    assert not_serving() == ["renders-1", "extras-1"]
    answers.update({"renders-1": True, "extras-1": True})
    assert not_serving() == []
    answers.update({"renders-1": False, "extras-1": None})
    assert not_serving() == ["renders-1"]


def test_health_lists_an_embedded_database_that_does_not_answer(tmp_path):
    watch = watchdog.Watch([Program("database", [])], tmp_path / "database.health")
    watch._facts = Facts(None)

    assert watch.not_serving() == ["database"]
    watch._facts = Facts(time.monotonic())
    assert watch.not_serving() == []


def test_a_worker_serves_that_is_alive_and_at_work_or_has_heard_its_canary(settings):
    me = str(watchdog.slot_id("meshes-1"))

    assert Facts(0.0, alive={me: False}).serves(WORKER)
    assert Facts(0.0, alive={me: True}, late={"meshes"}).serves(WORKER)
    assert not Facts(0.0, alive={me: False}, late={"meshes"}).serves(WORKER)
    assert not Facts(0.0, alive={}).serves(WORKER)


def test_the_database_tells_who_is_alive(db):
    facts = read_facts()

    assert facts.at is not None
    assert (facts.alive, facts.late, facts.sends) == ({}, set(), False)


def test_what_does_not_return_is_no_answer(monkeypatch):
    monkeypatch.setattr(watchdog, "LOOK", 0.05)
    asker = watchdog.AsyncCheck(lambda: time.sleep(600) or True)

    wait_for(lambda: asker.answer() is False)


def test_all_that_a_program_has_started_is_killed_also_when_it_is_stopped():
    code = "import os, time; os.fork(); os.setsid() if os.getppid() != 1 else 0; time.sleep(600)"
    first = psutil.Process(subprocess.Popen([sys.executable, "-c", code]).pid)
    (child,) = wait_for(first.children)
    child.suspend()
    first.suspend()

    kill_tree(first)

    os.waitpid(first.pid, 0)
    wait_for(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)


def test_each_queue_has_one_canary_at_a_time(db, queued, run_jobs):
    send_queue_probes()
    send_queue_probes()

    waiting = [name for name, _ in queued() if name == "sing"]
    assert len(waiting) == len(answer_probe.broker.queues)
    assert probes.late_queues(seconds=-1) == set(answer_probe.broker.queues)
    run_jobs()
    assert probes.late_queues(seconds=-1) == set()
    assert set(probes.probe_ages()) == set(answer_probe.broker.queues)


def test_a_web_process_in_which_requests_wait_and_none_ends_has_no_pulse(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(request_liveness.time, "monotonic", lambda: now[0])
    watched = request_liveness.RequestLiveness()

    assert watched.beats()
    with watched.waiting():
        now[0] += request_liveness.LONGEST - 1
        with watched.waiting():
            pass
        now[0] += request_liveness.LONGEST - 1
        assert watched.beats()
        now[0] += 1
        assert not watched.beats()
    assert watched.beats()
