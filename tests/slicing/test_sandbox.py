"""An engine that was taken over reaches nothing, whatever the config told it."""

import os
import platform
import shutil
from dataclasses import replace

import pytest
from django.conf import settings

from apps.slicing.engines import engines
from apps.slicing.engines.base import EngineLimits, SliceFailed
from apps.slicing.engines.engine_process import run
from core.sandbox.confinement import seccomp, support
from core.sandbox.confinement.uid_switch import user_of

# one that lies where engines may read
PYTHON = shutil.which("python3", path="/usr/local/bin:/usr/bin")
LIMITS = EngineLimits(wall_seconds=20, cpu_seconds=10)

needs_sandboxing = pytest.mark.skipif(
    bool(support.missing_mechanisms()), reason=" ".join(support.missing_mechanisms())
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "work").mkdir(mode=0o700)
    return tmp_path / "work"


@pytest.fixture
def attack(folder):
    """`attack(code)`: what a Python program prints in an engine's place."""

    def attack(code, limits=LIMITS):
        words = [PYTHON, "-I", "-S", "-c", code]
        return run(words, folder, limits=limits, on_line=lambda line: None).log

    return attack


def test_engine_writes_only_its_folder_and_files_change_owner(attack, folder):
    attack(
        "import os\n"
        "os.mkdir('data')\n"
        "open('data/part', 'w').write('G1')\n"
        "os.rename('data/part', 'data/whole')\n"
        "open('out', 'w').write('G28')\n"
    )

    assert (folder / "data/whole").read_text() == "G1"
    owners = {path.stat().st_uid for path in [folder, *folder.rglob("*")]}
    assert owners == {os.geteuid()}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_engine_started_by_root_runs_unprivileged_without_capabilities(attack):
    said = attack(
        "import os; print(os.getresuid(), os.getresgid(), os.getgroups())\n"
        "print(os.getpid())\n"
        "try: os.setuid(0)\n"
        "except PermissionError: print('no way back')"
    )

    ids, process, end = said.splitlines()
    user = (user_of(int(process)),) * 3
    assert (ids, end) == (f"{user} {user} []", "no way back")


@needs_sandboxing
@pytest.mark.parametrize(
    "code",
    [
        "open('{outside}/file', 'w')",
        "open('{outside}/secret')",
        "open('../outside/secret')",
        "import os; os.listdir('{outside}')",
        "import os; os.listdir('/root')",
        "open('/etc/passwd')",
        "open(f'/proc/{parent}/environ')",
        "import os; os.symlink('/etc/passwd', 'out.gcode')",
        "import os; os.link('{outside}/secret', 'out.gcode')",
        "import os; os.mkfifo('out.gcode')",
        "import os; os.rename('here', '{outside}/there')",
        "import os; os.truncate('{outside}/secret', 0)",
        "import os; os.unlink('{outside}/secret')",
        "import _socket; _socket.socket()",
        "import _socket; _socket.socket(_socket.AF_UNIX)",
        "import _socket; _socket.socketpair()",
        "import os; os.fork()",
        "import os; os.posix_spawn('/bin/true', ['true'], {})",
        "import os; os.execv('/bin/sh', ['sh', '-c', 'echo got through'])",
        "import os; os.execv('{outside}/program', ['program'])",
        "import os; os.memfd_create('program')",
        "import os; os.kill({parent}, 0)",
    ],
)
def test_engine_cannot_access_files_network_or_processes_outside(attack, tmp_path, folder, code):
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o777)
    outside.chmod(0o777)
    tmp_path.chmod(0o755)
    (outside / "secret").write_text("secret")
    (outside / "secret").chmod(0o666)
    shutil.copy("/bin/true", outside / "program")
    (folder / "here").write_text("")
    code = code.replace("{outside}", str(outside)).replace("{parent}", str(os.getpid()))

    said = attack(
        f"try:\n    exec({code!r})\nexcept OSError as error: print('refused', error.errno)\n"
        "else: print('got through')"
    )

    assert said in ("refused 1\n", "refused 13\n", "refused 18\n")
    assert sorted(path.name for path in outside.iterdir()) == ["program", "secret"]
    assert (outside / "secret").read_text() == "secret"


@needs_sandboxing
def test_unneeded_system_calls_are_denied(attack):
    names = ("ptrace", "bpf", "keyctl", "io_uring_setup", "unshare", "mount", "userfaultfd")
    column = {"x86_64": 1, "aarch64": 2}[platform.machine()]
    numbers = {call[0]: call[column] for call in seccomp.REFUSED}

    said = attack(
        "import ctypes\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        f"for number in {[numbers[name] for name in names]}:\n"
        "    print(libc.syscall(number, 0, 0, 0, 0, 0), ctypes.get_errno())"
    )

    assert said.splitlines() == ["-1 1"] * len(names)


def test_engine_can_create_threads(attack):
    said = attack(
        "import threading\n"
        "thread = threading.Thread(target=print, args=('from a thread',))\n"
        "thread.start(), thread.join()"
    )

    assert said == "from a thread\n"


def test_total_size_of_many_files_is_limited(attack):
    hoard = (
        "import time\nfor n in range(40): open(f'{n}', 'wb').write(bytes(1 << 20))\ntime.sleep(10)"
    )

    with pytest.raises(SliceFailed) as failure:
        attack(hoard, limits=replace(LIMITS, output_bytes=8 << 20))

    assert failure.value.code == "output-limit"


@pytest.mark.engine
@needs_sandboxing
def test_post_processing_command_does_not_run_in_the_sandbox(tmp_path, folder, cube):
    engine = engines(settings.CURA_DEFINITIONS)["slic3r"]
    if engine.version() is None:
        pytest.skip(engine.missing())
    tmp_path.chmod(0o777)
    (tmp_path / "part.stl").write_bytes(cube)
    marker = tmp_path / "canary"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {marker}\n")
    script.chmod(0o755)

    for command in (f"/usr/bin/touch {marker}", str(script)):
        sent = {**engine.settings({}), "post_process": command}
        with pytest.raises(SliceFailed):
            engine.slice(tmp_path / "part.stl", sent, folder, limits=LIMITS)

    assert not marker.exists()
