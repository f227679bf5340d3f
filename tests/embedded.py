"""A pytest plugin: a PostgreSQL of our own in memory, before Django reads its settings.

Its cluster is a copy of one that is kept below .cache, with a migrated database: making and
migrating one takes longer than many a test. It is made anew when a migration changes.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "platform")]

from core.database import EmbeddedPostgres  # noqa: E402  needs the path above

DATABASE = "platform"  # migrated; databases of tests are copies of it
KEPT = ROOT / ".cache" / "tests"

_started: list[tuple[EmbeddedPostgres, Path]] = []


def furnish(folder: Path) -> None:
    """Copy the kept cluster to where a platform with DATA_DIR `folder` looks for its own."""
    (folder / "postgres").mkdir(mode=0o711)
    copy = ["cp", "-a", "--reflink=auto", str(_kept()), str(folder / "postgres" / "cluster")]
    subprocess.run(copy, check=True)


def _kept() -> Path:
    """The kept cluster of today's migrations; made if there is none."""
    digest = hashlib.sha256()
    sources = (ROOT / "platform", ROOT / "apps")
    for path in (
        ROOT / "requirements.txt",
        ROOT / "platform" / "core" / "database.py",
        *sorted(path for source in sources for path in source.glob("**/migrations/*.py")),
    ):
        digest.update(path.read_bytes())
    cluster = KEPT / digest.hexdigest()[:16]
    KEPT.mkdir(parents=True, exist_ok=True)
    with (KEPT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not cluster.exists():
            for older in [path for path in KEPT.iterdir() if path.is_dir()]:
                shutil.rmtree(older)
            _make(cluster)
    return cluster


def _make(cluster: Path) -> None:
    folder = _folder()
    postgres = EmbeddedPostgres(folder, durable=False)
    try:
        postgres.start()
        postgres.create_database(DATABASE)
        environment = {**os.environ, "DATABASE_URL": postgres.url(DATABASE)}
        migrate = [sys.executable, str(ROOT / "manage.py"), "migrate", "--verbosity=0"]
        subprocess.run(migrate, env={**environment, "DATA_DIR": str(folder)}, check=True)
        postgres.stop()
        unfinished = cluster.with_suffix(".new")
        subprocess.run(["cp", "-a", str(postgres.cluster), str(unfinished)], check=True)
        unfinished.rename(cluster)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _folder() -> Path:
    memory = Path("/dev/shm")
    parent = memory if os.access(memory, os.W_OK) else None
    return Path(tempfile.mkdtemp(prefix="platform-tests-", dir=parent))


def _start() -> None:
    """Start the server once; workers of pytest-xdist inherit its address."""
    if "TEST_DATABASE" in os.environ:
        return
    folder = _folder()
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
