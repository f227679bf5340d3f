"""The supervisor with small programs: restarts, the order of the end, and no orphans."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ops.programs import Program, platform_programs, supervisor_config
from tests.waiting import TIMEOUT, wait_for

# Says when it is born and when it is asked to end; ends when so many have been asked.
STEADY = """
import os, signal, sys, time
def say(word):
    with open(sys.argv[1], "a") as log:
        log.write(f"{word} {sys.argv[2]} {os.getpid()}\\n")
def end(*_):
    say("asked")
    while open(sys.argv[1]).read().count("asked ") < int(sys.argv[3]):
        time.sleep(0.01)
    say("ended")
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
say("born")
while True:
    time.sleep(0.1)
"""
# Will not hear of ending, and neither will its child.
STUBBORN = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.fork()
with open(sys.argv[1], "a") as log:
    log.write(f"born {sys.argv[2]} {os.getpid()}\\n")
time.sleep(60)
"""


@pytest.fixture
def story(tmp_path):
    """The file in which the programs write what happens to them."""
    path = tmp_path / "story"
    path.touch()
    return path


@pytest.fixture
def supervise(tmp_path, story):
    """Run programs under a supervisord of their own; what is left of them is killed at the end."""
    started = []

    def start(*programs: Program) -> subprocess.Popen:
        text = supervisor_config(
            programs,
            directory=tmp_path,
            logs=tmp_path,
            pid_file=tmp_path / "supervisord.pid",
            console=False,
        )
        config = tmp_path / "supervisord.conf"
        config.write_text(text)
        command = [sys.executable, "-m", "supervisor.supervisord", "-n", "-c", str(config)]
        supervisord = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
        )
        started.append(supervisord)
        return supervisord

    yield start
    for supervisord in started:
        if supervisord.poll() is None:
            supervisord.kill()
        supervisord.communicate()
    for pid in {pid for _, _, pid in told(story)}:
        if alive(pid):
            os.kill(pid, signal.SIGKILL)


def program(code: str, name: str, story: Path, *words: str, **options) -> Program:
    script = story.with_name(f"{name}.py")
    script.write_text(code)
    return Program(name, [sys.executable, str(script), str(story), name, *words], **options)


def steady(name: str, story: Path, *, together: int = 1, **options) -> Program:
    return program(STEADY, name, story, str(together), **options)


def told(story: Path) -> list[tuple[str, str, int]]:
    return [
        (word, name, int(pid))
        for word, name, pid in (line.split() for line in story.read_text().splitlines())
    ]


def births(story: Path, name: str) -> list[int]:
    return [pid for word, who, pid in told(story) if (word, who) == ("born", name)]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_killed_program_is_restarted_immediately(supervise, story):
    supervise(steady("web", story))
    log = story.with_name("supervisord.log")
    wait_for(lambda: log.exists() and "web entered RUNNING" in log.read_text())
    wait_for(lambda: births(story, "web"))

    os.kill(births(story, "web")[0], signal.SIGKILL)

    wait_for(lambda: len(births(story, "web")) == 2)
    assert "BACKOFF" not in log.read_text() and "gave up" not in log.read_text()


def test_program_that_dies_during_startup_is_restarted(supervise, story):
    supervise(steady("web", story))
    wait_for(lambda: births(story, "web"))

    os.kill(births(story, "web")[0], signal.SIGKILL)

    wait_for(lambda: len(births(story, "web")) == 2)


@pytest.mark.parametrize("request_to_end", [signal.SIGTERM, signal.SIGINT])
def test_shutdown_stops_programs_together_and_the_database_last(supervise, story, request_to_end):
    names = ("web", "meshes-1", "sender")
    programs = [steady(name, story, together=3, stop_timeout=100) for name in names]
    supervisord = supervise(*programs, steady("database", story, last=True))
    wait_for(lambda: len(told(story)) == 4)

    supervisord.send_signal(request_to_end)

    assert supervisord.wait(timeout=TIMEOUT) == 0
    ended = [(word, name) for word, name, _ in told(story)[4:]]
    # None of the three ends before all have been asked to; the database is asked after them.
    assert sorted(ended[:3]) == [("asked", name) for name in sorted(names)]
    assert sorted(ended[3:6]) == [("ended", name) for name in sorted(names)]
    assert ended[6:] == [("asked", "database"), ("ended", "database")]


def test_killed_supervisor_leaves_no_orphans(supervise, story):
    supervisord = supervise(steady("web", story), steady("database", story, last=True))
    wait_for(lambda: len(told(story)) == 2)

    supervisord.kill()

    wait_for(lambda: not any(alive(pid) for _, _, pid in told(story)))


def test_program_that_ignores_shutdown_is_killed_with_its_children(supervise, story):
    supervisord = supervise(program(STUBBORN, "slices-1", story, stop_timeout=1))
    wait_for(lambda: len(told(story)) == 2)

    supervisord.terminate()

    assert supervisord.wait(timeout=TIMEOUT) == 0
    assert not any(alive(pid) for _, _, pid in told(story))


def test_special_characters_in_arguments_and_environment_are_preserved(supervise, tmp_path, story):
    said = "50% of 'it' \"$HOME\" %(here)s"
    code = "import os, sys, time; print(sys.argv[1], os.environ['SLOT']); time.sleep(60)"

    supervise(Program("web", [sys.executable, "-uc", code, said], environment={"SLOT": "a %s b"}))

    log = tmp_path / "web.log"
    wait_for(lambda: log.exists() and log.read_text().endswith("\n"))
    assert log.read_text() == f"{said} a %s b\n"


def test_every_queue_has_its_own_worker_slot(settings, monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0, 1, 2})

    queues = {
        program.name: program.command[program.command.index("worker") + 1]
        for program in platform_programs(["workers"])
    }

    assert queues == {
        "meshes-1": "meshes",
        "meshes-slow-1": "meshes_slow",
        "slices-1": "slices",
        "slices-2": "slices",
        "slices-3": "slices",
        "slices-slow-1": "slices_slow",
        "slices-slow-2": "slices_slow",
        "slices-slow-3": "slices_slow",
        "renders-1": "renders",
        "renders-slow-1": "renders_slow",
        "extras-1": "extras",
        "packing-1": "packing",
        "packing-slow-1": "packing_slow",
        "providers-1": "providers",
        "mail-1": "mail",
        "housekeeping-1": "default",
    }


def test_slow_and_background_workers_run_at_lower_priority():
    polite = {
        program.name.rpartition("-")[0]: program.nice
        for program in platform_programs(["workers"])
        if program.nice
    }

    slow = {"meshes-slow": 10, "slices-slow": 10, "renders-slow": 10, "packing-slow": 10}
    assert polite == {**slow, "renders": 5, "extras": 5}


def test_external_database_is_not_supervised(settings):
    settings.DATABASE_EMBEDDED = False

    assert [program.name for program in platform_programs(["sender", "database"])] == ["sender"]


def test_supervisor_has_no_control_interface():
    text = supervisor_config(
        [Program("web", ["true"])],
        directory=Path("/srv"),
        logs=Path("/srv/logs"),
        pid_file=Path("/srv/pid"),
        console=True,
    )

    assert re.findall(r"^\[(\S+)\]", text, re.M) == ["supervisord", "program:web", "group:first"]


def test_paired_local_agent_is_supervised(settings, tmp_path, monkeypatch):
    settings.DATA_DIR = tmp_path
    monkeypatch.delenv("AGENT_DIR", raising=False)
    assert platform_programs(["agent"]) == []

    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "agent.json").write_text("{}")

    (program,) = platform_programs(["agent"])
    assert program.command[-2:] == ["agent", "run"]
