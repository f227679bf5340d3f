"""Platforms that can be lost with everything they had: database, files, secrets."""

import os
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg

from core.postgres.base_backup import FILES, LOG
from core.postgres.embedded import EmbeddedPostgres
from core.postgres.unprivileged import server_account
from tests.cluster import memory_folder
from tests.live import s3
from tests.live.fleet import HOME, Database, Machine, shared_folder
from tests.live.processes import Platform

# A worker of each kind that the drill has work for: a start takes the processor.
SLOTS = "meshes=1,renders=1,slices=1,default=1,extras=1"


class Embedded(Platform):
    """A platform by itself: the embedded database, files in its folder."""

    name = "embedded PostgreSQL, files in a folder"

    def __init__(self) -> None:
        super().__init__(SLOTS=SLOTS)

    def lose(self) -> None:
        """Kill all of it at once, and wipe what it wrote."""
        for process in self.processes():
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self.first.wait()
        shutil.rmtree(self.folder)
        self.folder.mkdir()

    def bring_server_back(self, backup: Path) -> None:
        """Nothing: the restore does it."""


class External(Machine):
    """One on a PostgreSQL of somebody's, reached over TCP, with files in a bucket of SeaweedFS."""

    name = "PostgreSQL over TCP, files in SeaweedFS"

    def __init__(self) -> None:
        self.bucket = s3.Server(memory_folder())
        self.bucket.start()
        database = Database(durable=True)
        self.cluster = EmbeddedPostgres(database.folder).cluster
        self._let_copy(database)
        url = s3.url(self.bucket.port)
        parts = "web,workers,sender,providers"
        super().__init__(shared_folder(), database, parts, SLOTS=SLOTS, FILES_URL=url, **s3.KEYS)

    def _let_copy(self, database: Database) -> None:
        """What docs/disaster.md asks for: a role that may replicate, and a line that lets it."""
        with (self.cluster / "pg_hba.conf").open("a") as hba:
            hba.write(f"host replication platform {HOME}/32 trust\n")
        url = f"postgresql://postgres@{HOME}:{database.port}/postgres"
        with psycopg.connect(url, autocommit=True) as line:
            line.execute("ALTER ROLE platform REPLICATION")
            line.execute("SELECT pg_reload_conf()")

    def lose(self) -> None:
        """Kill all of it at once, the servers too, and wipe what they wrote."""
        for process in self.processes():
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self.first.wait()
        os.killpg(self.database._process.pid, signal.SIGKILL)
        self.database._process.wait()
        self.bucket.kill()
        for folder in (self.folder, self.home, self.cluster, self.bucket._folder / "data"):
            shutil.rmtree(folder)
        for folder in (self.folder, self.home, self.home / "files", self.bucket._folder / "data"):
            folder.mkdir()
        self._furnish()

    def bring_server_back(self, backup: Path) -> None:
        """As docs/disaster.md says: unpack both, and start the server."""
        wal = self.cluster / "pg_wal"
        for name, place in ((FILES, self.cluster), (LOG, wal)):
            place.mkdir(mode=0o700, exist_ok=True)
            subprocess.run(["tar", "-xzf", str(backup / name), "-C", str(place)], check=True)
        for path in (self.cluster, *self.cluster.rglob("*")):
            os.chown(path, *server_account())
        self.database.start()
        self.bucket.start()

    def stop(self) -> list[str]:
        """Also the servers."""
        left = super().stop()
        self.database.stop()
        self.bucket.kill()
        shutil.rmtree(self.bucket._folder, ignore_errors=True)
        shutil.rmtree(self.home, ignore_errors=True)
        return left
