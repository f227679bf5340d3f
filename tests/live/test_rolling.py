"""Web and workers of the last release on today's database, and then today's in their place."""

import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.client import Client, ball
from tests.live.fleet import Database, Machine, shared_folder
from tests.live.running import ROOT

pytestmark = pytest.mark.live

RELEASE = "0.9.0"
# Where the tag was not brought along.
COMMIT = "a30a687d912f933dc4237f8cf37bdb7f9764816f"

LISTS = ("models/model/", "slicing/config/", "slicing/slice/", "erp/bureau/")


@pytest.fixture(scope="module")
def last_release(tmp_path_factory) -> Path:
    """The code of the last release."""
    folder = tmp_path_factory.mktemp("release")
    for name in (f"refs/tags/{RELEASE}", COMMIT):
        words = ["git", "archive", "--format=tar", f"--output={folder}/code.tar", name]
        if subprocess.run(words, cwd=ROOT, capture_output=True).returncode == 0:
            break
    else:
        pytest.skip(f"this checkout's history has no {RELEASE}")
    with tarfile.open(folder / "code.tar") as code:
        code.extractall(folder, filter="data")
    return folder


class Earlier(Machine):
    """A machine with the last release's code, which knows nothing of SLOTS and SECRETS_FILE."""

    def begin(self) -> None:
        shutil.copy(self.home / "secrets.json", self.folder)
        super().begin()
        words = [sys.executable, str(self.code / "manage.py"), "work", "meshes"]
        environment = {**self.environment, "WORKER_SLOT": "meshes-1"}
        with (self.folder / "meshes.log").open("wb") as log:
            self.worker_process = subprocess.Popen(words, env=environment, stderr=log)

    def stop(self) -> list[str]:
        self.worker_process.kill()
        self.worker_process.wait()
        return super().stop()


@pytest.fixture(scope="module")
def database() -> Iterator[Database]:
    database = Database()
    yield database
    database.stop()


def test_the_last_release_works_on_todays_database_and_today_goes_on(
    database, last_release, monkeypatch
):
    home = shared_folder()
    monkeypatch.setattr(Earlier, "code", last_release)
    earlier = Earlier(home, database, "web")
    machines: list[Machine] = [earlier]
    try:
        earlier.start()
        client = Client(earlier)
        model = client.model(data := ball(20, bumps=3))
        assert client.settled(model)["status"] == "processed"
        config = client.config()
        client.ask("PUT", model, 204, json={"name": "renamed"})
        waiting = client.slice(model, config, "http://127.0.0.1:8999/")
        bureau = client.ask("POST", "erp/bureau/", 201, json={"name": "Shop"}).headers["Location"]
        pages = [client.ask("GET", path, 200) for path in LISTS]
        assert all(page.json()["meta"]["count"] for page in pages)
        client.ask("DELETE", client.model(ball(10)), 204)
        assert earlier.stop() == []
        machines.clear()

        port = str(earlier.port)
        slots = "meshes=1,slices=1"
        today = Machine(home, database, "web,workers", PORT=port, HOST_PORT=port, SLOTS=slots)
        today.port = earlier.port
        machines.append(today)
        today.start()
        client.platform = today
        assert client.read(model)["name"] == "renamed"
        assert client.read(model)["analyses"]["manifold"] is True
        assert client.ask("GET", client.read(model)["content"], 200).content == data
        assert client.read(bureau)["name"] == "Shop"
        assert client.settled(waiting)["status"] in ("processed", "error")
        assert client.settled(client.model(ball(20, bumps=5)))["status"] == "processed"
    finally:
        for machine in machines:
            machine.stop()
        shutil.rmtree(home, ignore_errors=True)
