"""`bin/setup` on systems that lack packages, with stand-ins for the programs that install them."""

import os
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def checkout(tmp_path):
    """A checkout whose Python packages are installed, and whose kernels are compiled."""
    for folder in ("bin", ".venv/bin", "platform/jit/__pycache__"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("geometry", "gcode"):
        (tmp_path / "platform" / name).mkdir()
    shutil.copy(ROOT / "bin" / "setup", tmp_path / "bin" / "setup")
    (tmp_path / "debian-packages.txt").write_text("prusa-slicer\ncura-engine\n")
    (tmp_path / "requirements.lock").write_text("")
    stamp = f"{sha256(b'').hexdigest()}  requirements.lock\n"
    (tmp_path / ".venv" / "requirements.sha256").write_text(stamp)
    (tmp_path / "platform" / "jit" / "__pycache__" / "ready").write_text("")
    for name in ("pip", "python"):
        write_program(tmp_path / ".venv" / "bin" / name, "exit 0")
    return tmp_path


def write_program(path: Path, script: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/bash\n{script}\n")
    path.chmod(0o755)


def set_up(checkout: Path, *options: str, **programs: str) -> subprocess.CompletedProcess[str]:
    """Run bin/setup with programs of these names (`_` for `-`) and scripts in front of others."""
    for name, script in {"dpkg_query": "exit 1", "CuraEngine": "exit 0", **programs}.items():
        write_program(checkout / "programs" / name.replace("_", "-"), script)
    return subprocess.run(
        [checkout / "bin" / "setup", *options],
        env={**os.environ, "PATH": f"{checkout / 'programs'}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )


def test_setup_continues_without_an_unavailable_engine(checkout):
    write_program(checkout / "bin" / "install-cura-definitions", "exit 0")

    ended = set_up(
        checkout,
        id="echo 0",
        apt_get=f'echo "$*" >>{checkout}/calls; case "$*" in *cura-engine*) exit 100;; esac',
    )

    assert ended.returncode == 0, ended.stderr
    assert "this system cannot install cura-engine;" in ended.stderr
    calls = (checkout / "calls").read_text().splitlines()
    assert calls[-2:] == [
        f"-q install --no-install-recommends -y {name}" for name in ("prusa-slicer", "cura-engine")
    ]


@pytest.mark.parametrize(("options", "status"), [((), 1), (("--lenient",), 0)])
def test_setup_prints_the_root_command_when_it_cannot_install(checkout, options, status):
    write_program(checkout / "bin" / "install-cura-definitions", "exit 0")

    ended = set_up(checkout, *options, id="echo 1000", sudo="exit 1", apt_get="exit 100")

    assert ended.returncode == status
    assert (
        "as root: apt-get update && apt-get install --no-install-recommends -y "
        "prusa-slicer cura-engine" in ended.stderr
    )


def test_setup_rejects_unsupported_python_version(checkout, monkeypatch):
    shutil.rmtree(checkout / ".venv")
    monkeypatch.setenv("PYTHON", "python3")
    too_new = 'case "$*" in *version_info*) exit 1;; --version) echo Python 3.15.0;; esac'

    ended = set_up(checkout, python3=too_new, apt_get="exit 1")

    assert ended.returncode == 1
    assert "Python 3.15.0 is not supported: 3.11 to 3.14 are" in ended.stderr
