"""CuraEngine's definitions come from Debian's package of the version of the engine."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "bin" / "install-cura-definitions"
FILES = ("fdmprinter.def.json", "fdmextruder.def.json")
TOOLS = ("env", "bash", "sh", "cp", "dpkg-deb", "tar", "rm", "cat")


@pytest.fixture
def programs(tmp_path) -> Path:
    """A folder that is the whole PATH: the usual tools, and CuraEngine 9.1.2."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for tool in TOOLS:
        if path := shutil.which(tool):
            (folder / tool).symlink_to(Path(path).resolve())
    (folder / "python3").symlink_to(Path(sys.executable).resolve())
    add(folder, "CuraEngine", 'echo "Cura_SteamEngine version 9.1.2" >&2')
    return folder


def add(folder: Path, name: str, script: str) -> None:
    """Put a program into a folder."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def package(folder: Path, files: dict[str, str]) -> Path:
    """A Debian package `cura` of these files among others."""
    if shutil.which("dpkg-deb") is None:
        pytest.skip("dpkg-deb is not installed.")
    tree, deb = folder / "tree", folder / "cura.deb"
    definitions = tree / "usr/share/cura/resources/definitions"
    definitions.mkdir(parents=True, exist_ok=True)
    (tree / "DEBIAN").mkdir()
    about = "Package: cura\nVersion: 9.1.2-3\nArchitecture: all\nMaintainer: a <a@b.example>\n"
    (tree / "DEBIAN" / "control").write_text(f"{about}Description: a slicer\n")
    for name, text in {**files, "other.def.json": "{}"}.items():
        (definitions / name).write_text(text)
    subprocess.run(["dpkg-deb", "--build", tree, deb], check=True, capture_output=True)
    return deb


def offer(programs: Path, deb: Path, version: str = "9.1.2-3") -> None:
    """Have apt know a package `cura` of this version."""
    row = f"      cura | {version} | http://deb.example main"
    add(programs, "apt-cache", f'if [ "$2" = cura ]; then echo "{row}"; fi')
    script = f'echo "$@" > {programs}/asked; cp {deb} ./cura_{version}_all.deb'
    add(programs, "apt-get", script)


def install(programs: Path, *arguments: Path | str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [PROGRAM, *arguments],
        capture_output=True,
        text=True,
        env={"PATH": str(programs), "LC_ALL": "C.UTF-8"},
        check=False,
    )


def definitions() -> dict[str, str]:
    return {name: json.dumps({"name": name, "settings": {"a": {}}}) for name in FILES}


def test_cura_definitions_are_installed_from_matching_package(programs, tmp_path):
    offer(programs, package(tmp_path, definitions()))

    ended = install(programs, tmp_path / "cura")

    assert (ended.returncode, ended.stderr) == (0, "")
    found = {path.name: path.read_text() for path in (tmp_path / "cura" / "9.1.2").iterdir()}
    assert found == definitions()
    asked = (programs / "asked").read_text().split()
    assert asked[-1] == "cura=9.1.2-3"
    assert "APT::Get::AllowUnauthenticated=false" in asked
    (programs / "apt-get").unlink()
    assert install(programs, tmp_path / "cura").returncode == 0  # nothing is left to do


def test_definitions_of_machines_are_installed_on_demand(programs, tmp_path):
    offer(programs, package(tmp_path, definitions()))
    assert install(programs, tmp_path / "cura").returncode == 0

    ended = install(programs, "--machines", tmp_path / "cura")

    assert (ended.returncode, ended.stderr) == (0, "")
    machines = tmp_path / "cura" / "9.1.2" / "machines"
    assert [path.name for path in machines.iterdir()] == ["other.def.json"]
    (programs / "apt-get").unlink()
    assert install(programs, "--machines", tmp_path / "cura").returncode == 0


def test_profiles_and_materials_are_installed_beside_the_machines(programs, tmp_path):
    resources = tmp_path / "tree" / "usr/share/cura/resources"
    plugin = tmp_path / "tree" / "usr/lib/cura/plugins/XmlMaterialProfile"
    names = {
        resources / "quality" / "acme" / "fine.inst.cfg",
        resources / "variants" / "nozzle.inst.cfg",
        resources / "intent" / "strong.inst.cfg",
        resources / "materials" / "pla.xml.fdm_material",
        resources / "qualities" / "other.inst.cfg",
        resources / "quality" / "README.md",
        plugin / "product_to_id.json",
        plugin / "plugin.json",
    }
    for path in names:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    deb = package(tmp_path, definitions())
    offer(programs, deb)
    row = "| 9.1.2-1 | http://deb.example main"
    add(programs, "apt-cache", f'echo " $2 {row}"')
    script = f'for each; do :; done; cp {deb} "./${{each%%=*}}_9.1.2-1_all.deb"'
    add(programs, "apt-get", script)

    ended = install(programs, "--machines", tmp_path / "cura")

    assert (ended.returncode, ended.stderr) == (0, "")
    profiles = tmp_path / "cura" / "9.1.2" / "profiles"
    assert {path.name for path in profiles.iterdir()} == {
        "fine.inst.cfg",
        "nozzle.inst.cfg",
        "strong.inst.cfg",
        "pla.xml.fdm_material",
        "product_to_id.json",
    }


@pytest.mark.parametrize("version", ["9.1.20-1", "9.1-2", "19.1.2-1"])
def test_cura_package_of_other_version_is_rejected(programs, tmp_path, version):
    offer(programs, package(tmp_path, definitions()), version)

    ended = install(programs, tmp_path / "cura")

    assert ended.returncode == 1
    assert ended.stderr.startswith("CuraEngine 9.1.2 is not offered: its setting definitions are")
    assert "apt-get update" in ended.stderr
    assert not (tmp_path / "cura").exists()


def test_missing_apt_reports_the_manual_installation_path(programs, tmp_path):
    ended = install(programs, tmp_path / "cura")

    assert ended.returncode == 1
    assert ended.stderr.startswith("CuraEngine 9.1.2 is not offered: apt-cache is not installed")
    assert f"into {tmp_path / 'cura' / '9.1.2'}." in ended.stderr


def test_rejected_apt_download_is_reported(programs, tmp_path):
    offer(programs, tmp_path)
    add(programs, "apt-get", 'echo "E: cannot be authenticated" >&2; exit 100')

    ended = install(programs, tmp_path / "cura")

    assert ended.returncode == 1
    assert "apt-get download failed:\nE: cannot be authenticated" in ended.stderr


@pytest.mark.parametrize("content", ["", "{}", "no json", None])
def test_cura_package_with_damaged_definitions_is_rejected(programs, tmp_path, content):
    files = definitions() | {FILES[1]: content}
    files = {name: text for name, text in files.items() if text is not None}
    offer(programs, package(tmp_path, files))

    ended = install(programs, tmp_path / "cura")

    assert ended.returncode == 1
    assert f"the package cura has no {FILES[1]} that can be read." in ended.stderr
    assert not (tmp_path / "cura").exists()


@pytest.mark.parametrize("engine", [True, False])
def test_setup_continues_without_cura_definitions(programs, tmp_path, engine):
    if not engine:
        (programs / "CuraEngine").unlink()
    script = (ROOT / "bin" / "setup").read_text()
    function = re.search(r"^install_definitions\(\) \{.*?^\}$", script, re.MULTILINE | re.DOTALL)[0]

    ended = subprocess.run(
        [
            "bash",
            "-euo",
            "pipefail",
            "-c",
            f'say() {{ echo "setup: $*"; }}\n{function}\ninstall_definitions; echo went on',
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={"PATH": str(programs), "CURA_DEFINITIONS": str(tmp_path / "cura")},
        check=False,
    )

    assert (ended.returncode, ended.stdout) == (0, "went on\n")
    assert "setup: warning: " in ended.stderr
    assert ("CuraEngine 9.1.2 is not offered" in ended.stderr) == engine
