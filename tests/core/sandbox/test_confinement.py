"""A child that a stranger's file has taken over reaches nothing but its job's files."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.checks import run_checks

from core.postgres.unprivileged import Account, way_in
from core.sandbox.confinement import landlock, seccomp, support, uid_switch
from core.sandbox.sandbox import SOURCE_ROOT, ResourceLimits, Sandbox

HOSTILE = "tests.core.hostile_jobs"
LIMITS = ResourceLimits(seconds=30, memory=1 << 30, file_size=1 << 20)
ORDINARY = Account(60999, 60999)

needs_sandboxing = pytest.mark.skipif(
    bool(support.missing_mechanisms()), reason=" ".join(support.missing_mechanisms())
)
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")

ATTACKS = [
    "open('/etc/shadow')",
    "open('/etc/passwd')",
    "open(secret)",
    "open(secret, 'w')",
    "open(other)",
    "import os; os.listdir(os.path.dirname(other))",
    "import os; os.listdir('/root')",
    "open('/proc/self/environ')",
    "open('/proc/1/environ')",
    "open('/tmp/taken-over', 'w')",
    "open(other, 'a')",
    "open(path, 'a')",
    "import os; os.unlink(path)",
    "import os; os.truncate(path, 0)",
    "import os; os.symlink('/etc/passwd', out)",
    "import os; os.link(path, out)",
    "import os; os.mkfifo(out)",
    "import _socket; _socket.socket()",
    "import _socket; _socket.socket(_socket.AF_UNIX)",
    "import _socket; _socket.socketpair()",
    "import os; os.fork()",
    "import os; os.posix_spawn('/bin/true', ['true'], {})",
    "import os; os.execv('/bin/true', ['true'])",
    "import os; os.memfd_create('program')",
    "import os; os.kill(parent, 0)",
]


@pytest.fixture(scope="module", params=[False, True], ids=["forked", "resident"])
def sandbox(request):
    sandbox = Sandbox(HOSTILE, limits=LIMITS, resident=request.param)
    yield sandbox
    sandbox.close()


@pytest.fixture
def job(tmp_path):
    """The arguments of a job beside which lies another's file."""
    for folder in ("store", "work"):
        (tmp_path / folder).mkdir(mode=0o700)
    for name in ("path", "other"):
        (tmp_path / "store" / name).write_text(name)
        (tmp_path / "store" / name).chmod(0o600)
    return {
        "path": tmp_path / "store/path",
        "out": tmp_path / "work/out",
        "folder": tmp_path / "work",
    }


def test_sandboxed_job_reads_its_input_and_writes_output_owned_by_worker(sandbox, job):
    for _ in range(2):
        sandbox.run(f"{HOSTILE}:read_and_write", **job)

    written = job["out"].lstat()
    assert job["out"].read_text() == "path"
    assert (written.st_uid, stat.S_IMODE(written.st_mode) & 0o022) == (os.geteuid(), 0)
    assert job["folder"].stat().st_uid == os.geteuid()


def test_persistent_child_sees_only_the_files_of_its_current_job(job):
    sandbox = Sandbox(HOSTILE, resident=True)

    seen = [sandbox.run(f"{HOSTILE}:beside", path=job["path"]) for _ in range(2)]

    assert seen == [["0"], ["0"]]
    sandbox.close()


@needs_sandboxing
@pytest.mark.parametrize("code", ATTACKS)
def test_confinement_denies_access_beyond_the_job_files(sandbox, job, code):
    secrets = settings.DATA_DIR / "secrets.json"
    others = {"secret": str(secrets), "other": str(job["path"].with_name("other"))}

    said = sandbox.run(f"{HOSTILE}:attempt", code=code, parent=os.getpid(), **others, **job)

    assert said in ("refused 1", "refused 13", "refused 18")
    assert list(job["folder"].iterdir()) == []
    assert job["path"].read_text() == "path"
    assert not Path("/tmp/taken-over").exists()


@as_root
def test_sandbox_child_of_root_runs_as_unprivileged_user(sandbox):
    *ids, process = sandbox.run(f"{HOSTILE}:who")
    user = [uid_switch.user_of(process)] * 3

    assert ids == [user, user, []]
    assert sandbox.run(f"{HOSTILE}:attempt", code="import os; os.setuid(0)") == "refused 1"


def test_processes_at_work_together_are_different_unprivileged_users():
    users = {uid_switch.user_of(process) for process in range(4_000_000, 4_000_184)}

    assert (len(users), min(users), max(users)) == (184, 61000, 61183)


@as_root
@needs_sandboxing
def test_sandbox_child_of_ordinary_user_has_the_same_confinement(job):
    words = way_in(ORDINARY, Path(sys.executable), settings.BASE_DIR, job["folder"])
    if words is None:
        pytest.skip("Another user can neither run this Python nor be lent the right to.")
    for path in (job["path"], job["path"].with_name("other"), job["folder"], job["path"].parent):
        os.chown(path, *ORDINARY)
    others = {
        "secret": str(settings.DATA_DIR / "secrets.json"),
        "other": str(job["path"].with_name("other")),
    }
    program = (
        "import json, os, sys\n"
        "from pathlib import Path\n"
        "from core.sandbox.sandbox import Sandbox\n"
        "attacks, job, others = json.loads(sys.argv[1])\n"
        "job = {name: Path(path) for name, path in job.items()}\n"
        f"sandbox = Sandbox('{HOSTILE}')\n"
        f"said = [sandbox.run('{HOSTILE}:attempt', code=code, parent=os.getpid(), **others, **job)"
        " for code in attacks]\n"
        f"sandbox.run('{HOSTILE}:read_and_write', **job)\n"
        f"print(json.dumps([said, sandbox.run('{HOSTILE}:who')]))\n"
    )
    told = json.dumps([ATTACKS, {name: str(path) for name, path in job.items()}, others])

    done = subprocess.run(
        [*words, sys.executable, "-c", program, told],
        env={"PYTHONPATH": f"{SOURCE_ROOT.parent}:{SOURCE_ROOT}"},
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr
    said, (user, group, _, _) = json.loads(done.stdout)
    assert set(said) <= {"refused 1", "refused 13", "refused 18"}
    assert (user, group) == ([ORDINARY.uid] * 3, [ORDINARY.gid] * 3)
    assert job["out"].read_text() == "path"


@as_root
def test_sandbox_works_when_root_lacks_capabilities(job):
    """As in a container that takes most capabilities from its root."""
    program = (
        "import json, sys\n"
        "from pathlib import Path\n"
        "from core.sandbox.sandbox import Sandbox\n"
        f"sandbox = Sandbox('{HOSTILE}')\n"
        "job = {name: Path(path) for name, path in json.loads(sys.argv[1]).items()}\n"
        f"sandbox.run('{HOSTILE}:read_and_write', **job)\n"
        f"print(json.dumps(sandbox.run('{HOSTILE}:who')[0]))\n"
    )
    told = json.dumps({name: str(path) for name, path in job.items()})
    less = ["setpriv", "--bounding-set=-dac_read_search", "--inh-caps=-dac_read_search"]

    done = subprocess.run(
        [*less, sys.executable, "-c", program, told],
        env={"PYTHONPATH": f"{SOURCE_ROOT.parent}:{SOURCE_ROOT}"},
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [0, 0, 0]
    assert job["out"].read_text() == "path"


def test_confinement_is_refused_when_threads_already_run():
    program = (
        "import threading, time\n"
        "from core.sandbox.confinement.confine import confine\n"
        "threading.Thread(target=time.sleep, args=(0.5,)).start()\n"
        "confine({}, folder=None, reading=False, running=False)\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(SOURCE_ROOT)},
        capture_output=True,
        text=True,
    )

    assert "Threads were started before the walls" in done.stderr


def test_unknown_cpu_architecture_has_no_seccomp_filter():
    assert seccomp.program("riscv64", running=True) == b""
    assert len(seccomp.program("aarch64", running=True)) % 8 == 0


def test_missing_kernel_mechanism_is_reported_by_system_check(monkeypatch):
    monkeypatch.setattr(landlock, "version", lambda: 0)

    (gap,) = support.missing_mechanisms()
    (warning,) = [found for found in run_checks() if found.id == "core.W001"]

    assert gap.startswith("Landlock is missing: an engine, or a child that reads a stranger's file")
    assert warning.msg == gap


def test_confinement_imports_only_the_standard_library():
    program = (
        "import sys\n"
        f"sys.path.insert(0, {str(SOURCE_ROOT)!r})\n"
        "import core.sandbox.confinement.confine\n"
        "print(*{name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names)\n"
    )

    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True
    )

    assert set(done.stdout.split()) == {"core", "__main__"} - sys.stdlib_module_names
