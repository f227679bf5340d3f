"""An upgrade of a fleet from the last release while clients work: the database, web, workers."""

import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from importlib import metadata
from pathlib import Path

import pytest

from tests.live.client import Client, ball
from tests.live.fault_trials import LEFT, PENDING, lump
from tests.live.fleet import Balancer, Database, Machine, shared_folder
from tests.live.history import Customer, History, faults
from tests.live.processes import ROOT, browser
from tests.waiting import wait_for

pytestmark = [
    pytest.mark.live,
    pytest.mark.long,
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("nginx"), reason="nginx is not installed"),
]

RELEASE = "0.9.0"
# Where the tag was not brought along.
COMMIT = "a30a687d912f933dc4237f8cf37bdb7f9764816f"

LISTS = ("models/model/", "slicing/config/", "slicing/slice/", "erp/bureau/")
CUSTOMERS = 2


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
    subprocess.run(["tar", "-xf", folder / "code.tar", "-C", folder], check=True)
    install_missing(folder)
    return folder


def install_missing(folder: Path) -> None:
    """Put among a release's code, where its walled jobs may read, what today's does without."""
    pinned = re.findall(r"^[\w-]+==\S+$", (folder / "requirements.txt").read_text(), re.MULTILINE)
    for line in pinned:
        if not is_installed(line.partition("==")[0]):
            words = ["install", "--quiet", "--no-deps", "--target", str(folder / "platform"), line]
            subprocess.run([sys.executable, "-m", "pip", *words], check=True)


def is_installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


class Earlier(Machine):
    """A machine with the last release's code, which knows nothing of SECRETS_FILE and SLOTS."""

    worker_process: subprocess.Popen[bytes] | None = None

    def begin(self) -> None:
        shutil.copy(self.home / "secrets.json", self.folder)
        self.words = tuple("--only" if word == "--parts" else word for word in self.words)
        super().begin()

    def begin_worker(self) -> None:
        """One of meshes, beside its web."""
        words = [sys.executable, str(self.code / "manage.py"), "work", "meshes"]
        environment = {**self.environment, "WORKER_SLOT": "meshes-1"}
        with (self.folder / "meshes.log").open("wb") as log:
            # In its own folder: a child of its jobs would import the apps of another.
            self.worker_process = subprocess.Popen(
                words, env=environment, stderr=log, cwd=self.code
            )

    def end_worker(self) -> None:
        """As its supervisor does it."""
        if self.worker_process is not None:
            self.worker_process.terminate()
            self.worker_process.wait()

    def stop(self) -> list[str]:
        self.end_worker()
        return super().stop()


class Upgrade:
    """The machines of both versions, and the balancer in front of their web."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self.home = shared_folder()
        stack.callback(shutil.rmtree, self.home, ignore_errors=True)
        self.database = Database()
        stack.callback(self.database.stop)
        self.balancer = Balancer()
        stack.callback(self.balancer.stop)
        self.left: list[str] = []

    def machine(self, kind: type[Machine], parts: str, **environment: str) -> Machine:
        """A new one, which has begun."""
        own = {"CALLBACK_INTERVAL": "1", **environment}
        machine = kind(self.home, self.database, parts, front=self.balancer, **own)
        self._stack.callback(lambda: self.end(machine))
        machine.begin()
        return machine

    def end(self, machine: Machine) -> None:
        """End one in good order, unless that was done before."""
        if machine.folder.exists():
            self.left += machine.stop()


@pytest.fixture
def upgrade() -> Iterator[Upgrade]:
    with ExitStack() as stack:
        upgrade = Upgrade(stack)
        yield upgrade
    assert upgrade.left == []


def test_rolling_upgrade_from_the_last_release_loses_no_request(
    upgrade: Upgrade, last_release: Path, monkeypatch, received_callbacks, tmp_path: Path
):
    monkeypatch.setattr(Earlier, "code", last_release)
    upgrade.database.anew()
    web = [upgrade.machine(Earlier, "web,sender")]
    web[0].wait_until_ready()  # it has made the tables, as its version has them
    web.append(upgrade.machine(Earlier, "web"))
    web[1].wait_until_ready()
    web[0].begin_worker()
    upgrade.balancer.lead(*(machine.listens for machine in web))
    client = Client(web[0])
    model = client.model(data := ball(20, bumps=3))
    assert client.settled(model)["status"] == "processed"
    client.ask("PUT", model, 204, json={"name": "renamed"})
    waiting = client.slice(model, client.config(), received_callbacks.url)
    bureau = client.ask("POST", "erp/bureau/", 201, json={"name": "Shop"}).headers["Location"]
    pages = [client.ask("GET", path, 200) for path in LISTS]
    assert all(page.json()["meta"]["count"] for page in pages)
    history = History(tmp_path / "history")

    with working(history, client, received_callbacks.url):
        today = replace_all(upgrade, web)

    calls = history.calls()
    refused = [call for call in calls if call.status >= 500]
    print(
        f"{len(calls)} calls, {len(refused)} refused, {len(received_callbacks.requests)} callbacks"
    )
    assert refused == []
    client.platform = today
    assert client.read(model)["name"] == "renamed"
    assert client.read(model)["analyses"]["manifold"] is True
    assert client.ask("GET", client.read(model)["content"], 200).content == data
    assert client.read(bureau)["name"] == "Shop"
    assert client.settled(waiting)["status"] in ("processed", "error")
    made = [call.location for call in calls if call.verb == "POST" and call.is_done]
    wait_for(lambda: upgrade.database.ask(LEFT) == [])
    wait_for(lambda: upgrade.database.ask(PENDING, made) == [])
    assert list(faults(history, client, "rolling")) == []
    manage(today, "check_consistency")
    history.close()


def replace_all(upgrade: Upgrade, web: list[Machine]) -> Machine:
    """The database, each web, the workers and the sender; a machine of today's."""
    new: list[Machine] = []
    tables = upgrade.machine(Machine, "sender")  # whoever is first migrates
    tables.wait_until_ready()
    for number, old in enumerate(web):
        others = [*new, *web[number + 1 :]]
        upgrade.balancer.lead(*(machine.listens for machine in others))
        if number:
            upgrade.end(old)
        new.append(upgrade.machine(Machine, "web"))
        new[-1].wait_until_ready()
        upgrade.balancer.lead(*(machine.listens for machine in [*others, new[-1]]))
    workers = upgrade.machine(Machine, "workers", SLOTS="meshes=1,slices=1")
    workers.wait_until_ready()
    upgrade.end(web[0])  # with its worker and its sender
    return new[0]


@contextmanager
def working(history: History, client: Client, hook: str) -> Iterator[None]:
    """Meanwhile customers order, look, read and delete."""
    over = threading.Event()
    with ThreadPoolExecutor(CUSTOMERS) as threads:
        customers = [Customer(history, client, hook, lump, "rolling") for _ in range(CUSTOMERS)]
        work = [threads.submit(customer.press_on, over, browser()) for customer in customers]
        try:
            yield
        finally:
            over.set()
    for one in work:
        one.result()


def manage(machine: Machine, *words: str) -> None:
    """A command, which must succeed."""
    command = [sys.executable, str(ROOT / "manage.py"), *words]
    ran = subprocess.run(command, env=machine.environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
