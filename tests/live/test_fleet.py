"""Two machines, one database that is elsewhere, PgBouncer: lines are held, a machine vanishes."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from core.secrets_file import load_secrets
from tests.live.client import Client, ball
from tests.live.fleet import Database, Machine, Pooler, shared_folder
from tests.live.running import ROOT, alive
from tests.waiting import wait_for

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(not shutil.which("pgbouncer"), reason="PgBouncer is not installed"),
]

# Who holds the lock of the sender that is active.
ACTIVE = """
    SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE l.locktype = 'advisory' AND l.classid = 0 AND l.objid = %s AND l.granted
"""
SENDER_LOCK = 0x63616C6C
AT_WORK = """
    SELECT message_id FROM dramatiq.queue
    WHERE worker_id = %s AND message->>'actor_name' = 'analyse_model'
"""
LEASES = """
    SELECT count(*) FROM dramatiq.worker JOIN pg_locks
        ON lease = classid::bigint << 32 | objid::bigint AND locktype = 'advisory'
"""
STILL_AT_WORK = "SELECT 1 FROM dramatiq.queue WHERE message_id = %s AND worker_id = %s"
# Seconds; the bar is 8, which `make scale` measures. Without leases it would be 15 to 22.
GIVEN_BACK = 14.0


@pytest.fixture(scope="module")
def fleet() -> Iterator[SimpleNamespace]:
    """`one` serves requests through the pooler; both have workers of meshes, and a sender."""
    database, home, machines = Database(), shared_folder(), []
    pooler = Pooler(database)
    own = {"CALLBACK_INTERVAL": "1"}
    try:
        one = Machine(
            home, database, "web,workers,sender", pooler, SLOTS="meshes=1,default=1", **own
        )
        own["HOST_PORT"] = str(one.port)
        two = Machine(home, database, "workers,sender", SLOTS="meshes=1", **own)
        machines = [one, two]
        for machine in machines:
            machine.begin()
        for machine in machines:
            machine.wait_until_ready()
        yield SimpleNamespace(one=one, two=two, database=database, client=Client(one), home=home)
    finally:
        left = [name for machine in machines if machine.first for name in machine.stop()]
        pooler.stop()
        database.stop()
        shutil.rmtree(home, ignore_errors=True)
    assert left == []


def test_requests_through_a_pooler_are_answered_and_told(fleet, heard):
    model = fleet.client.model(ball(20, bumps=3), heard.url)

    assert fleet.client.settled(model)["status"] == "processed"
    assert heard.wait_for(1) == 1
    pooled = fleet.database.ask(
        "SELECT setconfig FROM pg_db_role_setting"
        " WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = 'platform')"
    )
    assert "statement_timeout=5s" in pooled[0][0]


def test_a_machine_with_other_secrets_is_not_let_in(fleet, tmp_path):
    def join(**environment: str) -> str:
        own = {**fleet.two.environment, "WORKER_SLOT": "extras-1", **environment}
        words = [sys.executable, str(ROOT / "manage.py"), "work", "extras"]
        ran = subprocess.run(words, env=own, capture_output=True, text=True)
        assert ran.returncode
        return ran.stderr

    load_secrets(tmp_path / "others.json")
    missing = tmp_path / "none.json"

    others = join(SECRETS_FILE=str(tmp_path / "others.json"))
    assert "not the secrets of the platform on this database: secret_key" in others
    assert "A platform is on this database already" in join(SECRETS_FILE=str(missing))
    assert not missing.exists()


def test_a_sender_whose_line_is_held_stops_before_the_other_sends(fleet):
    def active() -> str:
        return next((name for (name,) in fleet.database.ask(ACTIVE, SENDER_LOCK)), "")

    names = {m: f"send_callbacks {m.worker_of('sender')}" for m in (fleet.one, fleet.two)}
    first = next(machine for machine, name in names.items() if name == wait_for(active))
    second = next(machine for machine in names if machine is not first)
    process = first.program("send_callbacks")[0]

    first.line.hold()

    wait_for(lambda: active() == names[second])
    assert not alive(process)
    first.line.mend()
    wait_for(lambda: fleet.database.ask(LEASES) == [(3,)])


def test_what_a_machine_that_vanished_was_at_is_begun_elsewhere(fleet, heard):
    worker = fleet.two.worker_of("meshes-1")
    for process in fleet.two.slot("meshes-1")[1]:
        process.suspend()  # so that the job goes on until its machine is gone
    models = []

    def at_work() -> list[tuple]:
        models.append(fleet.client.model(ball(20, bumps=3 + len(models)), heard.url))
        return fleet.database.ask(AT_WORK, worker)

    ((message,),) = wait_for(at_work)
    gone = time.time()
    fleet.two.unplug()

    wait_for(lambda: not fleet.database.ask(STILL_AT_WORK, message, worker))
    passed = time.time() - gone
    print(f"given back after {passed:.1f} s, at load {os.getloadavg()[0]:.0f}")
    assert passed < GIVEN_BACK
    for model in models:
        assert fleet.client.settled(model)["status"] == "processed"
    assert heard.wait_for(len(models)) == len(models)
    assert fleet.database.ask(
        "SELECT count(*) FROM callbacks_event WHERE uri = ANY(%s)", models
    ) == [(len(models),)]
