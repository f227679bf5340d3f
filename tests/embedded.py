"""A pytest plugin: a PostgreSQL of our own in memory, before Django reads its settings.

Importing it starts the server, so nothing but pytest does.
"""

import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "platform")]

from core.postgres.embedded import EmbeddedPostgres  # noqa: E402  needs the path above
from tests.cluster import DATABASE, furnish, memory_folder  # noqa: E402

_started: list[tuple[EmbeddedPostgres, Path]] = []


def _start() -> None:
    """Start the server once; workers of pytest-xdist inherit its address."""
    if "TEST_DATABASE" in os.environ:
        return
    folder = memory_folder()
    furnish(folder)
    postgres = EmbeddedPostgres(folder, durable=False)
    postgres.start(tied=True)
    _started.append((postgres, folder))
    (folder / "static").mkdir()
    os.environ["TEST_DATABASE"] = os.environ["DATABASE_URL"] = postgres.url(DATABASE)
    os.environ["DATA_DIR"] = str(folder)
    os.environ["PARENT_HOST"] = "platform.test"
    os.environ["HOST_PORT"] = ""
    os.environ["OUTBOUND_ALLOW"] = "127.0.0.0/8"
    os.environ["CALLBACK_INTERVAL"] = "0.3"


_start()


def pytest_unconfigure() -> None:
    while _started:
        postgres, folder = _started.pop()
        postgres.stop()
        shutil.rmtree(folder, ignore_errors=True)
