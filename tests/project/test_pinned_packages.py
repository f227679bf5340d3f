"""What is installed is pinned by hash: the same files on every machine of a fleet."""

import re
import subprocess
import sys
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==(\S+)", re.MULTILINE)


def pins(name: str) -> dict[str, str]:
    found = PIN.findall((ROOT / name).read_text())
    return {re.sub(r"[-_.]+", "-", package).lower(): version for package, version in found}


def test_lock_file_matches_the_requirements():
    assert pins("requirements.lock") == pins("requirements.txt"), "run bin/lock-requirements"


def test_every_pin_has_hashes_for_both_architectures():
    lock = (ROOT / "requirements.lock").read_text()
    parts = re.split(r"^(?=[A-Za-z0-9])", lock, flags=re.MULTILINE)[1:]

    assert [part.split()[0] for part in parts if "--hash=sha256:" not in part] == []
    assert len(parts) > 100
    # What is compiled has a wheel for each; orjson, for one, has dozens.
    (compiled,) = [part for part in parts if part.startswith("orjson==")]
    assert compiled.count("--hash=sha256:") > 20


def test_setup_and_image_install_only_hashed_packages():
    for name in ("bin/setup", "Dockerfile"):
        assert "--require-hashes -r" in (ROOT / name).read_text().replace("\\\n", "")
        assert "pip install -r requirements.txt" not in (ROOT / name).read_text()


@pytest.mark.parametrize("tampered", [False, True])
def test_tampered_wheel_stops_installation(tmp_path, tampered):
    wheel = tmp_path / "part-1.0-py3-none-any.whl"
    about = {
        "METADATA": "Metadata-Version: 2.1\nName: part\nVersion: 1.0\n",
        "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "RECORD": "",
    }
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("part.py", "harmless = True\n")
        for name, text in about.items():
            file.writestr(f"part-1.0.dist-info/{name}", text)
    digest = sha256(wheel.read_bytes()).hexdigest()
    (tmp_path / "lock").write_text(f"part==1.0 --hash=sha256:{digest}\n")
    if tampered:
        with zipfile.ZipFile(wheel, "a") as file:
            file.writestr("evil.py", "print('here')\n")

    ended = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-cache-dir"]
        + ["--disable-pip-version-check", "--find-links", tmp_path, "--target", tmp_path / "into"]
        + ["--require-hashes", "-r", tmp_path / "lock"],
        capture_output=True,
        text=True,
    )

    assert (ended.returncode != 0) is tampered, ended.stderr
    assert ("DO NOT MATCH THE HASHES" in ended.stderr) is tampered
    assert (tmp_path / "into" / "part.py").exists() is not tampered
