"""A cluster of PostgreSQL with a migrated database, kept below .cache, and copies of it.

Making and migrating one takes longer than many a test. It is made anew when a migration changes.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from core.postgres.embedded import EmbeddedPostgres
from core.postgres.server_config import PostgresFailed, cluster_account

ROOT = Path(__file__).resolve().parents[1]
DATABASE = "platform"  # migrated; databases of tests are copies of it
KEPT = ROOT / ".cache" / "tests"


def furnish(folder: Path) -> None:
    """Copy the kept cluster to where a platform with DATA_DIR `folder` looks for its own."""
    (folder / "postgres").mkdir(mode=0o711)
    cluster = _kept()
    require_own(cluster)
    copy = ["cp", "-a", "--reflink=auto", str(cluster), str(folder / "postgres" / "cluster")]
    subprocess.run(copy, check=True)


def require_own(cluster: Path) -> None:
    """Raise PostgresFailed where another user has made or copied the kept cluster."""
    try:
        cluster_account(cluster)
    except PostgresFailed as error:
        raise PostgresFailed(
            f"The kept cluster of the tests, {cluster}, cannot be used: another user has made or "
            f"copied it. Remove it, and the next run makes it anew: rm -r {cluster}"
        ) from error


def _kept() -> Path:
    """The kept cluster of today's migrations; made if there is none."""
    digest = hashlib.sha256()
    sources = (ROOT / "platform", ROOT / "apps")
    for path in (
        ROOT / "requirements.txt",
        ROOT / "platform" / "core" / "postgres" / "embedded.py",
        ROOT / "platform" / "ops" / "schema.sql",
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
    folder = memory_folder()
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


def memory_folder() -> Path:
    """A new folder, in memory where there is some."""
    memory = Path("/dev/shm")
    parent = memory if os.access(memory, os.W_OK) else None
    return Path(tempfile.mkdtemp(prefix="platform-tests-", dir=parent))
