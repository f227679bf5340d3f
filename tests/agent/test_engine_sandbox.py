"""Isolation of slicers in the shop: what a hostile program can read, reach, write and use up."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from textwrap import dedent
from threading import Event

import pytest

from agent.engine_sandbox import (
    BUBBLEWRAP,
    LIMITS,
    NAMESPACES,
    EngineLimits,
    EngineOutcome,
    EngineSandbox,
    best_sandbox,
    folder_of,
    memory_limit,
)
from tests.agent.simulated_engines import BUBBLEWRAPPED, PYTHON
from tests.waiting import wait_for

PLENTY = EngineLimits(60.0, 64 << 20, memory_limit())


class IsolatedJob:
    """A sandbox, the folder of a job, and a file of the agent that nothing may read."""

    def __init__(self, isolation: str, path: Path):
        self.state, self.programs = path / "agent", path / "programs"
        self.secret = self.state / "agent.json"
        for folder in (self.state, self.programs):
            folder.mkdir()
        self.secret.write_text("token")
        self.sandbox = EngineSandbox(isolation, self.state / "engine-jobs")
        self.folder = self.sandbox.jobs() / "job"
        self.folder.mkdir()

    def run(self, text: str, limits: EngineLimits = PLENTY, **more) -> EngineOutcome:
        """Run these lines of Python."""
        program = self.programs / "slicer"
        lines = "import os, socket, subprocess, sys, time"
        program.write_text(f"#!{PYTHON}\n{lines}\n{dedent(text)}")
        program.chmod(0o755)
        return self.sandbox.run(program, (), self.folder, limits, **more)


def isolated_job(isolation: str, path: Path) -> IsolatedJob:
    job = IsolatedJob(isolation, path)
    if not job.sandbox.works():
        pytest.skip(f"{isolation} does not work on this machine")
    return job


@pytest.fixture(params=[BUBBLEWRAPPED, NAMESPACES, LIMITS])
def job(request, tmp_path) -> IsolatedJob:
    """Each isolation."""
    return isolated_job(request.param, tmp_path)


@pytest.fixture(params=[BUBBLEWRAPPED, NAMESPACES])
def confined(request, tmp_path) -> IsolatedJob:
    """The isolations that hide files and the network."""
    return isolated_job(request.param, tmp_path)


def test_program_works_in_the_folder_of_its_job(job):
    (job.folder / "model.stl").write_text("cube")

    outcome = job.run("""
        open("out.gcode", "w").write(open("model.stl").read())
        open(os.environ["TMPDIR"] + "/x", "w").close()
        os.mkdir(os.environ["HOME"] + "/data")
        print(os.getcwd() == os.path.realpath(os.environ["HOME"]), os.nice(0), end="")
    """)

    assert (outcome.reason, outcome.log) == ("", "True 10")
    assert (job.folder / "out.gcode").read_text() == "cube"


def test_program_has_no_capabilities(confined):
    outcome = confined.run("""
        print([row.split()[1] for row in open("/proc/self/status") if row.startswith("CapEff")])
    """)

    assert outcome.log == "['0000000000000000']"


def test_state_of_the_agent_and_homes_cannot_be_read(confined):
    outcome = confined.run(f"""
        for path in ({str(confined.secret)!r}, {str(confined.state)!r}, "/proc/1/root/root",
                     "/home", "/root", "/etc/shadow", {str(Path.home())!r}, "../agent.json"):
            try:
                print(os.listdir(path) if os.path.isdir(path) else open(path).read())
            except FileNotFoundError:
                pass
            except OSError as error:
                assert error.errno in (1, 13), error
    """)

    assert (outcome.reason, outcome.log) == ("", "")


def test_links_to_files_of_the_agent_lead_nowhere(confined):
    outcome = confined.run(f"""
        os.symlink({str(confined.secret)!r}, "link")
        print(os.path.exists("link"))
    """)

    assert outcome.log == "False"


def test_nothing_but_the_folder_of_the_job_can_be_written(confined):
    outcome = confined.run("""
        for path in ("/x", "/usr/x", "/etc/x", "/dev/x", "/dev/shm/x", "/engine/x", sys.argv[0],
                     "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger",
                     "/sys/devices/system/cpu/x"):
            try:
                open(path, "a").close()
                print(path)
            except OSError:
                pass
    """)

    assert (outcome.reason, outcome.log) == ("", "")


def test_network_cannot_be_reached(confined):
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        outcome = confined.run(f"""
            try:
                socket.create_connection(("127.0.0.1", {server.getsockname()[1]}), 5)
                print("connected")
            except OSError as error:
                print("not reached")
        """)

        assert outcome.log == "not reached"


def test_other_processes_are_not_seen(confined):
    outcome = confined.run(f"""
        print({os.getpid()} in [int(name) for name in os.listdir("/proc") if name.isdigit()])
        print(max(int(name) for name in os.listdir("/proc") if name.isdigit()) < 100)
    """)

    assert outcome.log.split() == ["False", "True"]


def test_output_of_a_program_is_its_end_of_64_kib(job):
    lines = []

    outcome = job.run(
        """
        sys.stdout.write("x" * 1_000_000 + "\\n")
        for number in range(9000):
            print("line", number)
        """,
        on_line=lines.append,
    )

    assert outcome.reason == ""
    assert len(outcome.log) <= 64 << 10
    assert outcome.log.endswith("line 8999")
    assert (max(map(len, lines)), lines[-1]) == (8 << 10, "line 8999")


def test_output_has_no_control_characters(job):
    outcome = job.run("print('\\033[31ma\\0b\\tc'); print('d')")

    assert outcome.log == "[31mab\tc\nd"


def test_lines_are_passed_on_while_the_program_runs(job):
    stop = Event()

    outcome = job.run(
        "print('50 => Infilling'); time.sleep(600)", on_line=lambda line: stop.set(), stop=stop
    )

    assert (outcome.reason, outcome.log) == ("", "50 => Infilling")


def test_endless_output_ends_the_program(job, monkeypatch):
    monkeypatch.setattr("agent.engine_sandbox.MAX_PRINTED_BYTES", 1 << 20)

    outcome = job.run("while True: print('x' * 1000)")

    assert outcome.reason == "output-limit"
    assert "Printed more than" in outcome.log


def test_program_that_runs_too_long_is_ended(job):
    outcome = job.run("print('busy', flush=True); time.sleep(600)", PLENTY._replace(seconds=1))

    assert outcome.reason == "time-limit"
    assert "Ran longer than 1 s." in outcome.log


@pytest.mark.parametrize(
    "text",
    [
        "open('out.gcode', 'wb').write(bytes(4 << 20))",
        "\nfor n in range(600): open(f'{n}', 'wb').write(bytes(100_000))\ntime.sleep(600)",
        "\nfor n in range(99): os.mkdir('d'); os.chdir('d')\ntime.sleep(600)",
    ],
    ids=["file", "files", "depth"],
)
def test_program_that_writes_too_much_is_ended(job, text):
    outcome = job.run(text, PLENTY._replace(output_bytes=2 << 20))

    assert outcome.reason == "output-limit"


def test_program_that_needs_too_much_memory_is_ended(job):
    text = "data = b'x' * (300 << 20); time.sleep(600)"

    outcome = job.run(text, PLENTY._replace(memory_bytes=200 << 20))

    assert outcome.reason == "memory-limit"


def test_failed_allocation_is_the_memory_limit(job, monkeypatch):
    monkeypatch.setattr("agent.engine_sandbox.MIN_ADDRESS_SPACE", 0)
    text = """
        try:
            bytes(1 << 30)
        except MemoryError:
            sys.exit("std::bad_alloc")
    """

    outcome = job.run(text, PLENTY._replace(memory_bytes=512 << 20))

    assert outcome.reason == "memory-limit"


LEAVES = """
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            if os.fork():
                os._exit(0)
            os.close(1), os.close(2)
            open("sleeper", "a").close()
            os.execvp("sleep", ["sleep", "{seconds}"])
    while not os.path.exists("sleeper"):
        time.sleep(0.01)
"""


def sleepers(seconds: str) -> list[str]:
    """The processes on this machine that sleep for so long."""
    command = b"sleep\0" + seconds.encode() + b"\0"
    paths = Path("/proc").glob("[0-9]*/cmdline")
    return [str(path) for path in paths if _content(path) == command]


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


@pytest.mark.parametrize(
    "ending", ["", "\nprint('ready'); time.sleep(600)"], ids=["ended", "stopped"]
)
def test_processes_that_leave_their_session_end_with_the_program(job, ending):
    seconds = f"{os.getpid()}{time.monotonic_ns() % 10_000}"

    stop = Event()
    text = dedent(LEAVES.format(seconds=seconds)) + ending

    outcome = job.run(text, on_line=lambda line: stop.set(), stop=stop)

    assert outcome.reason == ""
    assert sleepers(seconds) == []


def test_slicer_ends_when_the_agent_is_killed(job):
    seconds = f"{os.getpid()}{time.monotonic_ns() % 10_000}"
    program = job.programs / "slicer"
    program.write_text(
        f"#!{PYTHON}\nimport os, time\n{dedent(LEAVES.format(seconds=seconds))}\ntime.sleep(600)"
    )
    program.chmod(0o755)
    code = f"""
        import sys
        sys.path.insert(0, {str(Path(__file__).parents[2] / "platform")!r})
        from pathlib import Path
        from agent.engine_sandbox import *
        sandbox = EngineSandbox({job.sandbox.isolation!r}, Path({str(job.sandbox.jobs())!r}))
        limits = EngineLimits(600.0, 1 << 20, memory_limit())
        sandbox.run(Path({str(program)!r}), (), Path({str(job.folder)!r}), limits)
    """
    agent = subprocess.Popen([sys.executable, "-c", dedent(code)])
    wait_for(lambda: len(sleepers(seconds)) == 3)

    agent.send_signal(signal.SIGKILL)
    agent.wait()

    wait_for(lambda: not sleepers(seconds))


@pytest.mark.parametrize(
    ("status", "reason"), [(0, ""), (1, "engine-failed"), (127, "not-started")]
)
def test_exit_status_of_the_program_decides(job, status, reason):
    assert job.run(f"sys.exit({status})").reason == reason


def test_crash_of_the_program_is_a_failure(job):
    assert job.run("os.kill(os.getpid(), 11)").reason == "engine-failed"


def test_file_that_is_no_program_is_not_started(job):
    program = job.programs / "slicer"
    program.write_bytes(b"\x7fELF")
    program.chmod(0o755)

    outcome = job.sandbox.run(program, (), job.folder, PLENTY)

    assert outcome.reason == "not-started"


def test_strongest_isolation_that_works_is_taken(tmp_path, monkeypatch):
    works = {BUBBLEWRAP: False, NAMESPACES: True}
    monkeypatch.setattr(EngineSandbox, "works", lambda self: works[self.isolation])

    assert best_sandbox(tmp_path).isolation == NAMESPACES
    works[NAMESPACES] = False
    assert best_sandbox(tmp_path).isolation == LIMITS


def test_isolation_without_its_program_does_not_work(tmp_path, monkeypatch):
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "bwrap" else which(name))

    assert not EngineSandbox(BUBBLEWRAP, tmp_path).works()


def test_unpacked_program_reads_its_own_folder_and_no_shared_one(tmp_path, monkeypatch):
    home = tmp_path / "home"
    unpacked = home / "PrusaSlicer" / "bin" / "prusa-slicer"
    (home / "PrusaSlicer" / "resources").mkdir(parents=True)
    (home / "resources").mkdir()
    (home / "bin").mkdir()
    monkeypatch.setenv("HOME", str(home))
    jobs = home / ".manufacturing-agent" / "engine-jobs"

    assert folder_of(unpacked, jobs) == home / "PrusaSlicer"
    for name in ("prusa-slicer", "bin/prusa-slicer", "PrusaSlicer/x.AppImage"):
        assert folder_of(home / name, jobs) == home / name
    assert folder_of(unpacked, home / "PrusaSlicer" / "jobs") == unpacked


def test_unpacked_program_finds_its_resources(job):
    unpacked = job.programs / "Slicer"
    (unpacked / "resources").mkdir(parents=True)
    (unpacked / "resources" / "profile").write_text("found")
    (unpacked / "bin").mkdir()
    program = unpacked / "bin" / "slicer"
    folder = "os.path.dirname(os.path.dirname(__file__))"
    program.write_text(
        f"#!{PYTHON}\nimport os\nprint(open({folder} + '/resources/profile').read())"
    )
    program.chmod(0o755)

    outcome = job.sandbox.run(program, (), job.folder, PLENTY)

    assert outcome.log == "found"
