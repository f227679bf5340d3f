"""The drill: load, a backup meanwhile, everything lost, everything back, and what was promised."""

import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import requests
from urllib3.util import Retry

from tests.drill.data_loss import Embedded, External
from tests.live.client import FINAL, Client, ball
from tests.live.processes import ROOT
from tests.waiting import wait_for

RECEIVER = "http://127.0.0.1:8999/"  # nobody: what is told there waits, and is told again
OFFLINE = requests.RequestException
HELD = """
    SELECT count(*), count(backend_xmin) FROM pg_stat_activity
    WHERE application_name = 'pg_basebackup'
"""
SIZE = "SELECT pg_database_size(current_database())"


@dataclass
class Found:
    """Seconds and sizes of one drill.

    before : models that were acknowledged before the backup began
    during : those that were while it was taken, and how many of these came back
    rates  : uploads a second before the backup and while it was taken
    """

    name: str
    backup: float = 0.0
    restore: float = 0.0
    ready: float = 0.0
    database: int = 0
    before: int = 0
    during: tuple[int, int] = (0, 0)
    rates: tuple[float, float] = (0.0, 0.0)
    load: float = 0.0


@dataclass
class Part:
    """A model whose upload was acknowledged, when, and its bytes."""

    uri: str
    at: float
    data: bytes = field(repr=False)


class Uploads:
    """A client that uploads one part after another until `stop`, which raises what failed.

    begun : when each upload was begun
    """

    def __init__(self, client: Client, first: int):
        self.parts: list[Part] = []
        self.begun: list[float] = []
        self._failure: BaseException | None = None
        self._client, self._number = client, first
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                self._number += 1
                data = ball(10, bumps=self._number)
                self.begun.append(time.monotonic())
                uri = self._client.model(data)
                self.parts.append(Part(uri, time.monotonic(), data))
        except BaseException as failure:  # in the thread that stops it
            self._failure = failure

    def stop(self) -> None:
        """Return when nothing more comes. Raises what the uploads failed with."""
        self._stopping.set()
        self._thread.join(60)
        assert not self._thread.is_alive(), "an upload does not end"
        if self._failure is not None:
            raise self._failure

    def count_between(self, first: float, last: float) -> int:
        """How many uploads were begun in this time."""
        return sum(first <= at < last for at in self.begun)


def wait_when_limited(session: requests.Session) -> None:
    """Have a session send a request again that is answered 429, when Retry-After says."""
    again = Retry(
        total=20, status_forcelist=[429], allowed_methods=None, respect_retry_after_header=True
    )
    session.get_adapter("http://").max_retries = again


class Snapshots:
    """Looks, as long as it is open, whether the backup holds one."""

    def __init__(self, platform: Embedded | External):
        self.seen = self.held = 0
        self._platform = platform
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Snapshots":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join(60)

    def _run(self) -> None:
        while not self._stopping.wait(0.02):
            ((seen, held),) = self._platform.ask(HELD)
            self.seen, self.held = self.seen + seen, self.held + held


def drill(platform: Embedded | External, folder: Path, *, seconds: float) -> Found:
    """Lose a platform that has worked for so long, and bring it back from `folder`."""
    found = Found(platform.name)
    platform.start()
    client = Client(platform)
    wait_when_limited(client.session)
    begun = time.monotonic()
    uploads = Uploads(client, 3)
    sliced, pieces = _order(client)
    time.sleep(max(0.0, seconds - (time.monotonic() - begun)))

    at = time.monotonic()
    with Snapshots(platform) as snapshots:
        manage(platform, "backup", str(folder))
        ended = time.monotonic()
    uploads.stop()
    assert uploads.count_between(at, ended), "no upload was tried while the backup was taken"
    assert snapshots.seen and not snapshots.held, (snapshots.seen, snapshots.held)
    (backup,) = folder.glob("2*")
    before = [part for part in uploads.parts if part.at < at]
    during = [part for part in uploads.parts if at <= part.at < ended]
    found.backup, found.before = ended - at, len(before)
    found.rates = len(before) / (at - begun), len(during) / (ended - at)
    found.database = platform.ask(SIZE)[0][0]

    platform.lose()
    at = time.monotonic()
    platform.bring_server_back(backup)
    manage(platform, "restore", str(backup))
    found.restore = time.monotonic() - at
    platform.start()
    found.ready = time.monotonic() - at

    for part in before:
        assert _bytes_of(client, part.uri) == part.data, part.uri
    back = [part for part in during if _is_there(client, part.uri)]
    assert all(_bytes_of(client, part.uri) == part.data for part in back)
    found.during = len(during), len(back)
    # The same token, the same slice, the same pieces; what was under way goes on, and new work too.
    assert client.read(sliced)["status"] == "processed"
    assert client.ask("GET", client.read(sliced)["content"], 200).content
    assert [client.read(piece)["uri"] for piece in pieces] == pieces
    for part in [*before[-5:], *back]:
        wait_for(lambda part=part: client.read(part.uri)["status"] in FINAL)
    assert client.settled(client.model(ball(10, bumps=2)))["status"] == "processed"
    assert "event" in manage(platform, "check_consistency")
    assert "0 damaged" in manage(platform, "storage", "check", "--deep")
    found.load = os.getloadavg()[0]
    return found


def manage(platform: Embedded | External, *words: str) -> str:
    """What a command of the platform says; it must succeed."""
    ran = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *words],
        env=platform.environment,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, f"{words}: {ran.stdout}\n{ran.stderr}"
    return ran.stdout


def _order(client: Client) -> tuple[str, list[str]]:
    """A slice that is done, and an order's three pieces."""
    part = client.model(ball(20, bumps=2))
    assert client.settled(part)["status"] == "processed"
    sliced = client.slice(part, client.config(), RECEIVER)
    pieces = client.pieces(client.make("bureau", name="Shop"), part, 3)
    assert client.settled(sliced)["status"] == "processed"
    return sliced, pieces


def _bytes_of(client: Client, uri: str) -> bytes:
    row = wait_for(lambda: (row := client.read(uri))["status"] in FINAL and row)
    return client.ask("GET", row["content"], 200).content


def _is_there(client: Client, uri: str) -> bool:
    """Whether a model came back with its file."""
    answer = client.session.get(uri, timeout=60)
    assert answer.status_code in (200, 404), answer.text
    return answer.status_code == 200 and bool(answer.json()["content"])
