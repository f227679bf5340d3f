"""Connections to a database that is away for a while."""

import os
import threading
import time
from pathlib import Path

import pytest
from dramatiq_postgres.django.apps import connection_kwargs
from psycopg_pool import PoolTimeout

from core.postgres import pool as pools
from core.postgres.pool import RETRY_DELAY, ReconnectingPool
from tests.waiting import wait_for


@pytest.fixture
def away(tmp_path):
    """A pool, and the folder that its database's socket is looked for in, which is empty."""
    own = {"connect_timeout": 3, "application_name": "away"}
    with ReconnectingPool(**{**connection_kwargs(), **own, "host": str(tmp_path)}) as pool:
        yield pool, tmp_path


def come_back(folder: Path) -> float:
    """The database is there again; when."""
    for socket in Path(connection_kwargs()["host"]).iterdir():
        os.symlink(socket, folder / socket.name)
    return time.monotonic()


@pytest.mark.slow
def test_pool_reconnects_soon_after_database_returns(db, away):
    pool, folder = away
    found: list[float] = []

    def wait() -> None:
        with pool.connection() as connection:
            connection.execute("SELECT 1")
            found.append(time.monotonic())

    waiting = [threading.Thread(target=wait) for _ in range(3)]
    for thread in waiting:
        thread.start()
    time.sleep(7.7)  # the package's pool would look after 1, 3, 7 and 15 s

    back = come_back(folder)

    wait_for(lambda: len(found) == 3)
    assert max(found) - back < 5 * RETRY_DELAY
    for thread in waiting:
        thread.join()


def test_pool_raises_timeout_when_database_stays_unavailable(db, away):
    pool, _ = away
    with pytest.raises(PoolTimeout):
        pool.getconn(timeout=0.1)


def test_pool_closes_connections_that_nothing_uses(db, monkeypatch):
    monkeypatch.setattr(pools, "IDLE", 0.05, raising=False)
    with ReconnectingPool(**connection_kwargs()) as pool:
        used = [pool.getconn() for _ in range(4)]
        for connection in used:
            pool.putconn(connection)

        wait_for(lambda: pool.get_stats()["pool_size"] == 0, 20)
