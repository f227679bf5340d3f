"""The image's Dockerfile, compose files and health check."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from ops.programs import PARTS
from ops.watchdog import health_file, write_health

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")


LAST_STAGE = DOCKERFILE[DOCKERFILE.rindex("\nFROM ") :]


def instructions(name: str) -> list[str]:
    """The arguments of each instruction of that name, of the last stage alone."""
    return re.findall(rf"^{name} +(.*)", LAST_STAGE, re.MULTILINE)


def compose(*names: str) -> dict[str, dict]:
    services: dict[str, dict] = {}
    for name in names:
        for service, options in yaml.safe_load((ROOT / name).read_text())["services"].items():
            services.setdefault(service, {}).update(options)
    return services


def check(data: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "bin" / "check-health"],
        env={**os.environ, "DATA_DIR": str(data)},
        capture_output=True,
        text=True,
    )


@pytest.fixture
def health(settings, tmp_path) -> Path:
    settings.DATA_DIR = tmp_path
    path = health_file(["web", "sender"])
    path.parent.mkdir(parents=True)
    return path


def test_health_check_fails_before_the_first_watchdog_check(tmp_path):
    done = check(tmp_path)

    assert done.returncode == 1
    assert "not started" in done.stdout


def test_health_check_passes_when_all_programs_are_healthy(health, tmp_path):
    write_health(health, [])

    assert (check(tmp_path).returncode, check(tmp_path).stdout) == (0, "all serve\n")


def test_health_check_lists_unhealthy_programs(health, tmp_path):
    write_health(health, ["web", "meshes-1"])

    done = check(tmp_path)

    assert (done.returncode, done.stdout) == (1, "not serving: web, meshes-1\n")


def test_health_check_fails_when_one_of_two_program_sets_is_unhealthy(health, tmp_path):
    write_health(health, [])
    write_health(health_file(["workers"]), ["renders-1"])

    assert check(tmp_path).returncode == 1


def test_health_check_fails_when_the_watchdog_stopped_writing(health, tmp_path):
    write_health(health, [])
    minute_ago = health.stat().st_mtime - 60
    os.utime(health, (minute_ago, minute_ago))

    done = check(tmp_path)

    assert done.returncode == 1
    assert "watchdog has not written web-sender.health" in done.stdout


def test_watchdog_survives_failed_write_of_health_file(tmp_path, caplog):
    write_health(tmp_path / "missing" / "web.health", [])

    assert "health file not written" in caplog.text


def test_image_runs_as_unprivileged_user_with_uid_of_the_manifests():
    assert instructions("USER") == ["platform"]
    (created,) = (line for line in instructions("RUN") if "useradd" in line)
    assert "--uid 999" in created
    assert "--gid 999" in created
    assert LAST_STAGE.index("useradd") < LAST_STAGE.index("apt-get install")
    for path in (ROOT / "docs" / "kubernetes").glob("*.yaml"):
        assert set(re.findall(r"runAsUser: (\d+)", path.read_text())) <= {"999"}


def test_last_image_stage_has_no_compilers():
    words = " ".join(instructions("RUN"))

    assert "pip" not in words.split()
    assert not re.search(r"\b(gcc|g\+\+|build-essential|binutils|make|\S+-dev)\b", words)
    assert instructions("COPY")[1:] == [
        "--from=stand-ins /stand-ins.deb /tmp/setup/",
        "--from=packages /opt/venv /opt/venv",
        ". .",
    ]


def test_image_contains_no_secrets():
    (compiling,) = (line for line in instructions("RUN") if "bin/import-all" in line)

    assert "DATA_DIR=/tmp/data" in compiling
    assert compiling.rstrip().endswith("rm -rf /tmp/data")


def test_image_has_the_documented_health_check_volume_port_and_command():
    (health_check,) = instructions("HEALTHCHECK")
    assert health_check.endswith('CMD ["/srv/bin/check-health"]')
    assert instructions("VOLUME") == ["/data"]
    assert instructions("EXPOSE") == ["8000"]
    assert instructions("CMD") == ['["python", "manage.py", "up", "--console"]']


def test_files_copied_into_image_are_not_in_dockerignore():
    ignored = (ROOT / ".dockerignore").read_text().split()
    copied = {
        word
        for line in re.findall(r"^COPY +(.*)", DOCKERFILE, re.MULTILINE)
        if "--from" not in line
        for word in line.split()[:-1]
    }

    assert copied - {"."} <= {str(path.relative_to(ROOT)) for path in ROOT.glob("*")} | {
        str(path.relative_to(ROOT)) for path in (ROOT / "bin").iterdir()
    }
    assert not copied & set(ignored)
    for needed in ("apps", "platform", "agent", "templates", "client", "bin", "manage.py"):
        assert needed not in ignored


@pytest.mark.parametrize("files", [["compose.yaml"], ["compose.yaml", "compose.fleet.yaml"]])
def test_compose_runs_every_part_once_after_database_is_healthy(files):
    services = compose(*files)
    postgres = services.pop("postgres")

    parts = [re.search(r"--parts (\S+)", each["command"])[1] for each in services.values()]
    assert sorted(parts) == sorted(set(PARTS) - {"database", "agent"})
    assert postgres["healthcheck"]["test"][1] == "pg_isready"
    for service in services.values():
        assert service["depends_on"]["postgres"] == {"condition": "service_healthy"}
        assert service["image"] == "manufacturing-platform"
        # `up` ends within 45 seconds in any state; Docker kills after ten unless it is given more.
        assert service["stop_grace_period"] == "60s"


def test_image_excludes_only_test_packages():
    done = subprocess.run(
        [sys.executable, ROOT / "bin" / "list-test-packages", ROOT / "requirements.txt"],
        capture_output=True,
        text=True,
        check=True,
    )
    left_out = set(done.stdout.split())

    assert {"pytest", "ruff", "mypy", "playwright", "hypothesis"} <= left_out
    needed = {"django", "numpy", "pyopengl", "psycopg-binary", "psutil", "llvmlite", "asgiref"}
    assert not left_out & needed
