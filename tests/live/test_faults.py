"""Faults of a fleet, made for real while clients work: nothing is lost, doubled outside, or stuck.

NEMESIS_ROUNDS asks for more of each than two; -rP shows the seconds back to health.
"""

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import psutil
import psycopg
import pytest

from core.postgres.server_config import packages, server_in
from core.secrets_file import load_secrets
from tests.callbacks.conftest import receive
from tests.live.client import Client
from tests.live.fault_trials import ROUNDS, Fleet, Trial, broken_fleet, lump, told
from tests.live.history import History
from tests.live.processes import ROOT, alive
from tests.waiting import TIMEOUT, wait_for

pytestmark = [
    pytest.mark.live,
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.skipif(not shutil.which("pgbouncer"), reason="PgBouncer is not installed"),
]

HELD = 4.0  # seconds of a fault
AT_WORK = "SELECT message_id FROM dramatiq.queue WHERE worker_id = %s AND state = 'consumed'"
# A model that was deleted so long ago that its files are let go, and nobody has brought since.
AGED = "UPDATE warehouse_model SET deleted = now() - interval '31 days' WHERE uuid = %s"
TOUCHED = """
    UPDATE core_blob SET touched = now() - interval '2 days'
    WHERE sha256 IN (SELECT content_id FROM warehouse_model WHERE uuid = %s)
"""
KEEP_HOUSE = """
from apps.warehouse.actors.retention import empty_deleted_models
from core.files.storage.garbage_collection import remove_unused
empty_deleted_models.fn()
remove_unused()
"""
GIVEN_BACK = 14.0  # seconds; what is aimed at is 8. Without leases it would be 15 to 22.
# Who holds the lock of the sender that is active.
ACTIVE = """
    SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE l.locktype = 'advisory' AND l.classid = 0 AND l.objid = %s AND l.granted
"""
SENDER_LOCK = 0x63616C6C
# The pooler's sessions outlive those of its clients.
END_ALL = """
    SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
"""
OTHERS = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND application_name <> 'idle'
"""


@pytest.fixture(scope="module")
def fleet(tmp_path_factory) -> Iterator[Fleet]:
    with broken_fleet(tmp_path_factory.mktemp("s3")) as fleet:
        yield fleet
        fleet.manage("storage", "check", "--deep")


@pytest.fixture
def trial(fleet: Fleet, tmp_path: Path, request) -> Iterator[Trial]:
    history = History(tmp_path / "history")
    label = request.node.name.removeprefix("test_")
    with receive() as heard:
        yield Trial(fleet, history, heard, label)
    history.close()


# ---------------------------------------------------------------- without a fault


def test_pooled_connections_have_a_statement_timeout(fleet: Fleet):
    ((pooled,),) = fleet.database.ask(
        "SELECT setconfig FROM pg_db_role_setting"
        " WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = 'platform')"
    )

    assert "statement_timeout=5s" in pooled


def test_machine_with_other_secrets_cannot_join(fleet: Fleet, tmp_path: Path):
    def join(**environment: str) -> str:
        own = {**fleet.two.environment, "WORKER_SLOT": "extras-1", **environment}
        words = [sys.executable, str(ROOT / "manage.py"), "worker", "extras"]
        ran = subprocess.run(words, env=own, capture_output=True, text=True)
        assert ran.returncode
        return ran.stderr

    load_secrets(tmp_path / "others.json")
    missing = tmp_path / "none.json"

    others = join(SECRETS_FILE=str(tmp_path / "others.json"))
    assert "not the secrets of the platform on this database: secret_key" in others
    assert "A platform is on this database already" in join(SECRETS_FILE=str(missing))
    assert not missing.exists()


# ---------------------------------------------------------------- lines and storage

KINDS = ("hold", "cut", "tear", "slow")


@pytest.mark.parametrize(("first", "link"), enumerate(("to_pooler", "to_database", "to_files")))
def test_connection_faults_lose_nothing(trial: Trial, first: int, link: str):
    fleet = trial.fleet
    line = fleet.two.line if link == "to_database" else getattr(fleet, link)

    @contextmanager
    def broken(number: int) -> Iterator[None]:
        getattr(line, KINDS[(first + number) % len(KINDS)])()
        time.sleep(HELD if link != "to_database" else 2 * HELD)
        yield
        line.mend()

    trial.run(broken)


def test_storage_faults_lose_nothing(trial: Trial):
    @contextmanager
    def bad(number: int) -> Iterator[None]:
        trial.fleet.storage.set(("lying", "failing", "refusing", "slow")[number % 4])
        time.sleep(HELD)
        yield
        trial.fleet.storage.set("")

    trial.run(bad)


# ---------------------------------------------------------------- the database


def test_exhausted_database_connections_lose_nothing(trial: Trial):
    fleet = trial.fleet

    @contextmanager
    def hoarded(number: int) -> Iterator[None]:
        before = workers()
        refused = sum(call.status == 503 for call in trial.history.calls())
        idle = []
        try:
            hoard(idle)
            end = time.monotonic() + HELD
            while time.monotonic() < end or not is_refused(refused):
                idle[0].execute(OTHERS)  # so that all must come back, and find no place
                hoard(idle)
                time.sleep(0.25)
                assert time.monotonic() < end + TIMEOUT
        finally:
            for connection in idle:
                connection.close()
        yield
        assert workers() == before

    def is_refused(before: int) -> bool:
        return sum(call.status == 503 for call in trial.history.calls()) > before

    def workers() -> set[psutil.Process]:
        return {one for machine in (fleet.one, fleet.two) for one in machine.workers}

    def hoard(idle: list[psycopg.Connection]) -> None:
        with suppress(psycopg.OperationalError):
            while True:
                url = fleet.database.url()
                idle.append(psycopg.connect(url, autocommit=True, application_name="idle"))

    trial.run(hoarded)


# ---------------------------------------------------------------- machines and senders


def test_job_of_an_unplugged_machine_is_requeued_on_another_in_time(trial: Trial):
    fleet, away = trial.fleet, []
    worker = fleet.two.worker_of("meshes-1")

    @contextmanager
    def pulled(number: int) -> Iterator[None]:
        for process in fleet.two.slot("meshes-1")[1]:
            process.suspend()  # so that the job goes on until its machine is gone
        ((message,),) = wait_for(lambda: fleet.database.ask(AT_WORK, worker))
        gone = time.monotonic()
        fleet.two.unplug()
        wait_for(lambda: (message,) not in fleet.database.ask(AT_WORK, worker))
        away.append(time.monotonic() - gone)
        yield
        fleet.two.plug_in()

    trial.run(pulled)
    print(f"{trial.label}: begun elsewhere after {' '.join(f'{one:.1f}' for one in away)} s")
    assert max(away) < GIVEN_BACK


def test_sender_with_a_held_connection_stops_before_the_other_sends(trial: Trial):
    fleet = trial.fleet
    names = {f"send_callbacks {m.worker_of('sender')}": m for m in (fleet.one, fleet.two)}

    def active() -> str:
        return next((name for (name,) in fleet.database.ask(ACTIVE, SENDER_LOCK)), "")

    @contextmanager
    def held(number: int) -> Iterator[None]:
        name = wait_for(active)
        first = names[name]
        process = first.program("send_callbacks")[0]
        too_early: list[bytes] = []

        def answer(request) -> int:
            with suppress(psutil.NoSuchProcess):
                own = {one.laddr.port for one in process.net_connections() if one.laddr}
                if request.port not in own and alive(process):
                    too_early.append(request.body)
            return 200

        trial.heard.answer = answer
        first.line.hold()
        wait_for(lambda: active() not in ("", name))
        count = len(trial.heard.requests)
        wait_for(lambda: len(trial.heard.requests) > count)
        assert too_early == []
        assert not alive(process)
        yield
        first.line.mend()

    trial.run(held)


# ---------------------------------------------------------------- an older dump


def test_older_dump_is_restored_onto_newer_files(fleet: Fleet, tmp_path: Path):
    """Nobody else works meanwhile: what was done since the dump is undone, as it must be."""
    took = []
    for number in range(ROUNDS):
        owned = replace(fleet, owner=Client(fleet.one))
        with receive() as heard:
            history = History(tmp_path / f"history-{number}")
            trial = Trial(owned, history, heard, f"older {number}")
            took.append(undo(trial, tmp_path / "dump"))
            trial.settle()
            history.close()
    fleet.manage("storage", "check")
    print(f"an older dump: whole again after {' '.join(f'{one:.1f}' for one in took)} s")


def undo(trial: Trial, path: Path) -> float:
    """Work, a dump, more work and a removal, and back to the dump; seconds until all is whole."""
    fleet, owner = trial.fleet, trial.fleet.owner
    kept = [trial.order() for _ in range(4)]
    wait_for(lambda: told(trial.heard).keys() >= {*kept})
    age(fleet, owner, lump())
    dump(fleet, path)
    later = owner.model(lump())
    owner.settled(later)
    owner.ask("DELETE", kept[0], 204)
    fleet.manage("shell", "-c", KEEP_HOUSE)

    lines = (fleet.to_pooler, fleet.one.line, fleet.two.line)
    for line in lines:
        line.cut()
    wait_for(lambda: fleet.database.ask(END_ALL) == [(0,)])
    begun = time.monotonic()
    program("pg_restore", "--clean", "--if-exists", f"--dbname={fleet.database.url()}", str(path))
    for line in lines:
        line.mend()
    passed = time.monotonic() - begun + trial.until_whole()

    assert owner.session.get(later, timeout=60).status_code == 404
    return passed


def age(fleet: Fleet, owner: Client, data: bytes) -> None:
    """A model that was deleted a month ago, so that its file is let go at the next housekeeping."""
    uri = owner.model(data)
    owner.settled(uri)
    owner.ask("DELETE", uri, 204)
    for query in (AGED, TOUCHED):
        fleet.database.ask(query, uri.split("/")[-2])


def dump(fleet: Fleet, path: Path) -> None:
    """As docs/operations.md says it."""
    path.unlink(missing_ok=True)
    program("pg_dump", "--format=custom", f"--file={path}", fleet.database.url())


def program(name: str, *words: str) -> None:
    """One of PostgreSQL's own."""
    run = subprocess.run(
        [str(server_in(packages()) / "bin" / name), *words], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
