"""The wheel of the client, as a platform serves it."""

import shutil
import subprocess
import sys
import tomllib
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from django.test import Client

import manufacturing
from core import VERSION
from ops.client_wheel import NAME, wheel

CLIENT = Path(__file__).resolve().parents[2] / "client"


def test_wheel_is_reproducible(tmp_path):
    copy = shutil.copytree(CLIENT, tmp_path / "client", copy_function=shutil.copyfile)

    assert wheel(copy) == wheel(CLIENT)


def test_client_version_equals_the_platform_version():
    said = tomllib.loads((CLIENT / "pyproject.toml").read_text())["project"]["version"]

    assert said == VERSION == manufacturing.__version__


def test_wheel_contains_every_file_and_declares_its_extras():
    project = tomllib.loads((CLIENT / "pyproject.toml").read_text())["project"]
    files = {
        path.relative_to(CLIENT).as_posix()
        for path in (CLIENT / "manufacturing").rglob("*")
        if path.suffix in (".py", ".typed")
    }

    held = zipfile.ZipFile(BytesIO(wheel(CLIENT)))

    about = f"manufacturing-{VERSION}.dist-info"
    assert {name for name in held.namelist() if not name.startswith(about)} == files
    assert {"manufacturing/generated/erp.py", "manufacturing/cli/commands.py"} <= files
    assert "mp = manufacturing.cli:main" in held.read(f"{about}/entry_points.txt").decode()
    told = held.read(f"{about}/METADATA").decode().splitlines()
    for extra, packages in project["optional-dependencies"].items():
        assert f"Provides-Extra: {extra}" in told
        assert all(f'Requires-Dist: {each}; extra == "{extra}"' in told for each in packages)


def test_pyproject_lists_every_package():
    said = tomllib.loads((CLIENT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]

    found = {path.parent for path in (CLIENT / "manufacturing").rglob("__init__.py")}
    assert set(said) == {str(path.relative_to(CLIENT)).replace("/", ".") for path in found}


@pytest.mark.slow
def test_pip_installs_the_served_wheel_without_dependencies(tmp_path):
    path, site = tmp_path / NAME, tmp_path / "site"
    answer = Client(SERVER_NAME="platform.test").get(f"/client/{NAME}")
    path.write_bytes(answer.content)

    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--target", site, path]
    subprocess.run(pip, check=True)
    program = f"import sys; sys.path[:0] = [{str(site)!r}]; import manufacturing as m; m.Client()"
    subprocess.run([sys.executable, "-I", "-S", "-c", program], check=True)

    assert answer.status_code == 200
    assert (site / f"manufacturing-{VERSION}.dist-info" / "METADATA").exists()
    assert (site / "manufacturing" / "py.typed").exists()
