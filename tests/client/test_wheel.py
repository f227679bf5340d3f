"""The wheel of the client, as a platform serves it."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from django.test import Client

from core import VERSION
from project.wheel import NAME, wheel

CLIENT = Path(__file__).resolve().parents[2] / "client"


def test_the_same_sources_make_the_same_bytes(tmp_path):
    copy = shutil.copytree(CLIENT, tmp_path / "client", copy_function=shutil.copyfile)

    assert wheel(copy) == wheel(CLIENT)


def test_its_version_is_the_one_of_the_platform():
    said = tomllib.loads((CLIENT / "pyproject.toml").read_text())["project"]["version"]

    assert said == VERSION


@pytest.mark.slow
def test_pip_installs_what_is_served_into_an_empty_folder(tmp_path):
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
