"""Files in a real S3 server: probes, faults by name, and both ways while the platform runs.

At full size: STORAGE_FILES=10000 STORAGE_KILLS=5 STORAGE_OUTAGE=600, and -s shows the figures.
"""

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from core.files import blobs
from core.files.storage import cache
from core.files.storage.errors import FileCorrupt, FileMissing, StorageOutage
from core.files.storage.s3 import S3Backend
from core.files.storage.s3_conformance import Probe
from core.models import DamagedFile
from tests.cluster import memory_folder
from tests.live import s3
from tests.live.client import OCTETS, Client, ball
from tests.live.processes import ROOT, Platform, browser
from tests.waiting import wait_for

pytestmark = [pytest.mark.live, pytest.mark.slow]

FILES = int(os.environ.get("STORAGE_FILES", "150"))
OUTAGE = float(os.environ.get("STORAGE_OUTAGE", "10"))  # seconds
KILLS = int(os.environ.get("STORAGE_KILLS", "1"))  # of a copy, each way
LUMP = ball(12, bumps=5)
DRAINED = 300.0  # seconds after an outage
MEGABYTE = 1_000_000
# Jobs that storage kept from their work, and what failed.
WAITING = """
    SELECT count(*) FROM dramatiq.queue WHERE state IN ('queued', 'consumed')
        AND message->'options'->'without_storage_since' IS NOT NULL
"""
FAILED = """
    SELECT (SELECT count(*) FROM warehouse_model WHERE status = 'error')
        + (SELECT count(*) FROM warehouse_snapshot WHERE status = 'error')
        + (SELECT count(*) FROM dramatiq.queue WHERE state = 'rejected')
"""


@pytest.fixture(scope="module")
def server() -> Iterator[s3.Server]:
    """The S3 server, started once."""
    folder = memory_folder()
    server = s3.Server(folder)
    try:
        server.start()
        yield server
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def line(server: s3.Server) -> Iterator[s3.Line]:
    """The line to it, through which the platform and these tests go."""
    line = s3.Line(server.port)
    yield line
    line.close()


@pytest.fixture(autouse=True)
def _sound(line: s3.Line) -> Iterator[None]:
    yield
    line.set("")


# ---------------------------------------------------------------- one bucket


@pytest.fixture
def bucket(line: s3.Line, settings, tmp_path) -> S3Backend:
    """The bucket behind the line, with a cache of this test's own."""
    settings.DATA_DIR = tmp_path
    return S3Backend.at(s3.address(line.port))


@pytest.fixture
def put(bucket: S3Backend, tmp_path: Path):
    """`put(data)`: store a file; its hash."""

    def store(data: bytes) -> str:
        path = tmp_path / "file"
        path.write_bytes(data)
        sha256 = hashlib.sha256(data).hexdigest()
        bucket.put(path, sha256, len(data))
        return sha256

    return store


def test_s3_server_passes_the_conformance_test(server: s3.Server):
    found = list(Probe(s3.address(server.port)).findings())

    assert len(found) == 10
    assert [probe for probe in found if not probe.works] == []


def test_wrong_key_or_missing_bucket_is_an_outage_not_a_missing_file(
    server: s3.Server, line: s3.Line
):
    own = s3.address(server.port)

    for wrong in (replace(own, secret="x"), replace(own, bucket="none")):
        bucket = S3Backend.at(wrong)
        assert "does not serve" in bucket.check()
        with pytest.raises(StorageOutage):
            bucket.open("0" * 64)


def test_s3_file_is_cached_locally_after_the_first_read(bucket: S3Backend, put, line: s3.Line):
    data = os.urandom(3 * MEGABYTE)
    sha256 = put(data)

    for mode in ("", "down"):
        line.set(mode)
        with bucket.local(sha256) as path:
            assert path.read_bytes() == data


def test_each_storage_fault_raises_its_own_error(bucket: S3Backend, put, line: s3.Line):
    sha256 = put(os.urandom(MEGABYTE))
    named = {"down": StorageOutage, "lying": FileCorrupt, "losing": FileMissing}

    for mode, fault in named.items():
        line.set(mode)
        with pytest.raises(fault), bucket.local(sha256):
            pass
        assert [path.name for path in cache.folder().iterdir()] == []
    line.set("slow")
    with bucket.local(sha256) as path:
        assert hashlib.sha256(path.read_bytes()).hexdigest() == sha256


def test_corrupt_file_is_replaced_when_stored_again(
    bucket: S3Backend, put, db, monkeypatch, tmp_path, line: s3.Line
):
    monkeypatch.setattr("core.files.storage.current", lambda: bucket)
    path = tmp_path / "brought"
    path.write_bytes(data := os.urandom(MEGABYTE))
    sha256, _ = blobs.store_file(path)
    other = tmp_path / "other"
    other.write_bytes(bytes(MEGABYTE))
    bucket.put(other, sha256, MEGABYTE, anew=True)  # it rotted there

    with pytest.raises(FileCorrupt), blobs.local_copy(sha256):
        pass
    assert DamagedFile.objects.get().what == "corrupt"
    path.write_bytes(data)
    blobs.store_file(path)

    with blobs.local_copy(sha256) as found:
        assert found.read_bytes() == data
    assert not DamagedFile.objects.exists()


# ---------------------------------------------------------------- the platform


@pytest.fixture(scope="module")
def platform(line: s3.Line) -> Iterator[Platform]:
    """A platform whose files move from its folder to the bucket."""
    running = Platform(FILES_URL=s3.url(line.port), FILES_FALLBACK_URL="local", **s3.KEYS)
    try:
        running.start()
        yield running
    finally:
        left = running.stop()
    assert left == []


@pytest.fixture(scope="module")
def client(platform: Platform) -> Client:
    return Client(platform)


def lump() -> bytes:
    """A file that nobody has: by its first 80 bytes, which say nothing of its shape."""
    return os.urandom(20).hex().ljust(80).encode() + LUMP[80:]


def test_large_download_redirects_to_the_bucket_and_small_one_does_not(
    platform: Platform, client: Client, line: s3.Line
):
    stranger, large = browser(), ball(90, bumps=7)
    small = client.settled(client.model(DATA := lump()))
    part = client.settled(client.model(large))["content"]
    assert len(DATA) < 1024**2 < len(large)

    led = stranger.get(part, allow_redirects=False, headers={"Range": "bytes=0-99"})
    ranged = stranger.get(led.headers["Location"], headers={"Range": "bytes=10-19"})
    whole = stranger.get(part)
    itself = stranger.get(part, allow_redirects=False, headers={"Origin": "http://a.example"})

    assert (led.status_code, led.headers["Cache-Control"]) == (307, "no-store")
    assert s3.port_of(led.headers["Location"]) == line.port
    assert (ranged.status_code, ranged.content) == (206, large[10:20])
    assert whole.content == itself.content == large
    for name in ("Content-Disposition", "Content-Type"):
        assert whole.headers[name] == itself.headers[name]
    assert stranger.get(small["content"], allow_redirects=False).content == DATA


def test_download_of_corrupt_content_is_aborted(platform: Platform, client: Client, line: s3.Line):
    content = client.settled(client.model(ball(90, bumps=9)))["content"]
    small = client.settled(client.model(lump()))["content"]
    headers = {"Prefer": "return=representation"}
    line.set("lying")

    begun = time.monotonic()
    with pytest.raises(requests.RequestException):
        browser().get(content, headers=headers)
    print(f"broke off after {time.monotonic() - begun:.1f} s")
    refused = browser().get(small)

    assert refused.status_code == 503
    assert refused.json()["errors"][0]["code"] == "storage-corrupt"
    line.set("")
    assert manage(platform, "storage", "check", "--deep").returncode == 0


def test_storage_outage_fails_no_job_and_recovers(
    platform: Platform, client: Client, line: s3.Line
):
    before = [client.model(lump()) for _ in range(4)]
    locations = [client.create_model() for _ in range(2)]
    kept = client.settled(client.model(lump()))["content"]
    line.set("down")
    over, codes = threading.Event(), set()

    def press_on() -> None:
        while not over.wait(0.2):
            codes.add(client.try_upload(client.create_model()[1], lump()))

    press = threading.Thread(target=press_on)
    begun = time.monotonic()
    wait_for(lambda: impaired(platform))
    press.start()
    assert unread(locations[0][1]) == (503, "storage-unavailable", "10")
    assert browser().get(kept).status_code == 503
    assert client.session.get(platform.url("models/model/")).status_code == 200
    time.sleep(max(0, OUTAGE - (time.monotonic() - begun)))
    over.set()
    press.join()
    waited = platform.ask(WAITING)[0][0]
    line.set("")

    healed = time.monotonic()
    wait_for(lambda: not impaired(platform))
    for uri, location in locations:
        wait_for(lambda where=location: client.try_upload(where, lump()) == 204)
        before.append(uri)
    states = {client.settled(uri)["status"] for uri in before}
    wait_for(lambda: platform.ask(WAITING) == [(0,)], DRAINED)
    drained = time.monotonic() - healed
    print(f"{OUTAGE:g} s without storage: {waited} jobs waited, drained {drained:.1f} s after it")
    assert codes == {503}
    assert waited > 0
    assert (states, platform.ask(FAILED)) == ({"processed"}, [(0,)])
    assert drained < DRAINED


def impaired(platform: Platform) -> bool:
    """Whether the web process says that it serves without files."""
    place = platform.url("models/ready/").replace("//models.", "//")
    answer = browser().get(place, timeout=30)
    assert answer.status_code == 200
    return "files" in answer.json()["impaired"]


def unread(location: str) -> tuple[int, str, str]:
    """Status, code and Retry-After of the answer to an upload whose body is never sent."""

    parts = urlsplit(location)
    connection = HTTPConnection("127.0.0.1", parts.port, timeout=60)
    connection.putrequest("PUT", f"{parts.path}?{parts.query}", skip_host=True)
    for name, value in {"Host": parts.netloc, "Content-Length": MEGABYTE, **OCTETS}.items():
        connection.putheader(name, value)
    connection.endheaders()
    with closing(connection):
        answer = connection.getresponse()
        (error,) = json.loads(answer.read())["errors"]
        return answer.status, error["code"], answer.headers["Retry-After"]


# ---------------------------------------------------------------- moving


def test_storage_migration_copies_all_files_both_ways_under_load(
    platform: Platform, client: Client, line: s3.Line
):
    seed(platform, FILES)
    with Load(client) as made:
        there = moved(platform, "--from", "local", "--to", s3.url(line.port))
        check = manage(platform, "storage", "check", "--deep", "--at", s3.url(line.port))
        assert check.returncode == 0, check.stdout + check.stderr
    print(f"there: {there}; {check.stdout.strip()}; {len(made)} uploads meanwhile")
    assert made

    restart(platform, FILES_URL="local", FILES_FALLBACK_URL=s3.url(line.port))
    shutil.rmtree(platform.folder / "files" / "blobs")  # only the bucket has them now
    with Load(client) as made:
        back = moved(platform, "--from", s3.url(line.port), "--to", "local")
        check = manage(platform, "storage", "check", "--deep", "--at", "local")
        assert check.returncode == 0, check.stdout + check.stderr
    print(f"back: {back}; {check.stdout.strip()}; {len(made)} uploads meanwhile")
    assert made
    assert platform.ask("SELECT count(*) FROM core_blob")[0][0] >= FILES + len(made)


def seed(platform: Platform, count: int) -> None:
    """So many stored files of the folder, as if there had been uploads."""
    rows = []
    for _ in range(count):
        data = os.urandom(random.randrange(100, 40_000))
        sha256 = hashlib.sha256(data).hexdigest()
        path = platform.folder / "files" / "blobs" / sha256[:2] / sha256
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        rows.append((sha256, len(data)))
    platform.ask(
        # Nothing refers to them: what was touched today is not tidied away.
        "INSERT INTO core_blob (sha256, size, created, touched)"
        " SELECT *, now(), now() FROM unnest(%s::text[], %s::bigint[]) RETURNING 1",
        [sha256 for sha256, _ in rows],
        [size for _, size in rows],
    )


class Load:
    """Somebody uploads and reads meanwhile; the URIs of what was uploaded."""

    def __init__(self, client: Client):
        self._client, self._over, self._made = client, threading.Event(), []
        self._threads = ThreadPoolExecutor(1)

    def __enter__(self) -> list[str]:
        self._work = self._threads.submit(self._press_on)
        return self._made

    def _press_on(self) -> None:
        while not self._over.wait(0.5):
            data = lump()
            uri = self._client.model(data)
            content = self._client.settled(uri)["content"]
            assert browser().get(content).content == data
            self._made.append(uri)

    def __exit__(self, *error) -> None:
        self._over.set()
        self._threads.shutdown()
        if error[0] is None:
            self._work.result()


def moved(platform: Platform, *options: str) -> str:
    """Copy, killed again and again, then to its end; what it said then."""
    command = [sys.executable, str(ROOT / "manage.py"), "storage", "copy", *options]
    for kill in range(KILLS):
        slow = ["--rate", "20000000"] if FILES < 1000 else []
        with subprocess.Popen(
            [*command, *slow], env=platform.environment, stdout=subprocess.PIPE, text=True
        ) as process:
            for _ in range(3 + kill * max(1, FILES // 1000)):
                process.stdout.readline()
            process.kill()
    ended = manage(platform, "storage", "copy", *options)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout.strip().splitlines()[-1]


def manage(platform: Platform, *words: str) -> subprocess.CompletedProcess:
    command = [sys.executable, str(ROOT / "manage.py"), *words]
    return subprocess.run(command, env=platform.environment, capture_output=True, text=True)


def restart(platform: Platform, **environment: str) -> None:
    """Start it anew with other settings, on the same data."""
    platform.first.terminate()
    platform.first.wait(120)
    platform.environment |= environment
    platform.start()
