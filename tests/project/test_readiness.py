"""What is said of processes that do not come up, and how a running platform is found."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from ops import instances, readiness
from ops.pending_migrations import missing_migrations
from tests.live.processes import free_ports

ROOT = Path(settings.BASE_DIR)


@pytest.fixture
def start():
    """Start a process whose output is read; it is killed at the end."""
    started = []

    def start_process(*command: str, **options) -> subprocess.Popen:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options)
        started.append(process)
        return process

    yield start_process
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def here(tmp_path):
    """The module that finds platforms, as one of another folder, where nobody else starts any."""
    copy = tmp_path / "platform" / "project" / "running.py"
    copy.parent.mkdir(parents=True)
    shutil.copy(instances.__file__, copy)
    spec = importlib.util.spec_from_file_location("running_elsewhere", copy)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture
def start_supervisor(start, here, tmp_path):
    """`start_supervisor(DATA_DIR=...)`: what looks like a platform in the list of processes."""

    script = here.ROOT / "manage.py"
    script.write_text("import time; print('up', flush=True); time.sleep(600)")

    def begin(*words: str, **environment: str) -> subprocess.Popen:
        words = (sys.executable, "-u", str(script), "up", *words)
        process = start(*words, env=environment, cwd=tmp_path)
        assert process.stdout.readline() == "up\n"
        return process

    return begin


def test_announce_lists_unready_programs_with_their_logs(transactional_db, start):
    url = "postgresql:///{dbname}?host={host}&port={port}&user={user}".format(
        **connection.get_connection_params()
    )
    web, providers = free_ports(2)
    nobody = {"PORT": str(web), "PROVIDERS_URL": f"http://127.0.0.1:{providers}"}
    command = [sys.executable, str(ROOT / "manage.py"), "announce_ready", "web,sender,providers"]

    process = start(*command, "--timeout", "0", env={**os.environ, **nobody, "DATABASE_URL": url})
    said = [process.stdout.readline() for _ in range(5)]

    assert said[0].endswith(" and are waited for further:\n")
    logs = f"{settings.DATA_DIR}/logs"
    assert [line.split() for line in said[1:4]] == [
        [name, "see", f"{logs}/{name}.log"] for name in ("web", "sender", "providers")
    ]
    assert "manage.py doctor" in said[4]
    assert process.poll() is None


def test_join_running_finds_the_only_running_platform(start_supervisor, here, tmp_path):
    process = start_supervisor(DATA_DIR="data of mine", PORT="8123")
    shell = {"HOME": "/home/ada"}

    here.join_running(shell)

    assert (shell["DATA_DIR"], shell["PORT"]) == (str(tmp_path / "data of mine"), "8123")
    assert shell["HOME"] == "/home/ada"
    assert [one.process for one in here.running_platforms()] == [process.pid]


def test_join_running_uses_the_default_data_dir_of_the_platform(start_supervisor, here, tmp_path):
    start_supervisor()
    shell = {}

    here.join_running(shell)

    assert shell["DATA_DIR"] == str(tmp_path / "data")


def test_join_running_prefers_the_environment_of_the_web_process(start_supervisor, here):
    start_supervisor("--parts", "workers", DATA_DIR="a", PORT="1")
    start_supervisor("--only=sender,web", DATA_DIR="a", PORT="2")
    shell = {}

    here.join_running(shell)

    assert shell["PORT"] == "2"


def test_join_running_requires_data_dir_when_two_platforms_run(start_supervisor, here, tmp_path):
    for name in "ab":
        start_supervisor(DATA_DIR=name, PORT=f"800{name}")
    shell = {"DATA_DIR": str(tmp_path / "b")}

    with pytest.raises(here.Ambiguous) as refused:
        here.join_running({})
    here.join_running(shell)

    words = f"by one of\n  DATA_DIR={tmp_path}/a\n  DATA_DIR={tmp_path}/b"
    assert str(refused.value).endswith(words)
    assert shell["PORT"] == "800b"


def test_join_running_keeps_the_environment_when_no_platform_runs(here):
    shell = {"PORT": "8000"}

    here.join_running(shell)

    assert shell == {"PORT": "8000"}


# ---------------------------------------------------------------- /ready/


def ask_ready(client_of) -> tuple[int, dict]:
    answer = client_of("users").get("/ready", SERVER_NAME=settings.PARENT_HOST)
    return answer.status_code, answer.json()


def test_ready_endpoint_returns_200_or_503_with_the_missing_dependency(client_of, db, monkeypatch):
    assert ask_ready(client_of) == (200, {"status": "ready", "missing": {}, "impaired": {}})

    monkeypatch.setattr(settings, "DISK_RESERVE", 1 << 60)
    missing = {"storage": "the disk is full"}
    told = {"status": "unready", "missing": missing, "impaired": {}}
    assert ask_ready(client_of) == (503, told)


def test_ready_endpoint_returns_503_when_migrations_are_missing(client_of, db, monkeypatch):
    monkeypatch.setattr(readiness, "_seen", [])
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'core'")

    code, told = ask_ready(client_of)

    assert (code, list(told["missing"])) == (503, ["schema"])


def test_missing_migrations_counts_unapplied_migrations(db):
    assert missing_migrations() == 0

    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM django_migrations WHERE app = 'erp' AND name ="
            " (SELECT max(name) FROM django_migrations WHERE app = 'erp')"
        )

    assert missing_migrations() == 1
