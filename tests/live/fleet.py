"""Several machines on one: folders of their own, one database over TCP, a pooler, cut lines."""

import os
import shutil
import signal
import socket
import subprocess
from contextlib import suppress
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import psutil
import psycopg

from core.database import EmbeddedPostgres
from core.postgres import ENVIRONMENT, ROLE
from core.secrets_file import load_secrets
from tests.cluster import DATABASE, furnish
from tests.live.lines import Line
from tests.live.running import Platform, free_ports, line, roomy_folder
from tests.waiting import wait_for

HOME = "127.0.0.1"


class Database:
    """The server of PostgreSQL that somebody else runs: reached by TCP alone."""

    def __init__(self, connections: int = 100, *, durable: bool = False):
        self.folder = roomy_folder("database-")
        furnish(self.folder)
        (self.port,) = free_ports(1)
        server = EmbeddedPostgres(self.folder, durable=False)
        account, words = server._prepare()
        hba = server.cluster / "pg_hba.conf"
        hba.write_text(f"host all all {HOME}/32 trust\n")
        settings = {
            "listen_addresses": HOME,
            "port": self.port,
            "unix_socket_directories": "",
            "max_connections": connections,
            "shared_buffers": "128MB",
            "fsync": "on" if durable else "off",
        }
        options = [f"--{name}={value}" for name, value in settings.items()]
        self._words = [
            *(*words, "setpriv", "--pdeathsig=QUIT"),
            *(server._program("postgres"), f"-D{server.cluster}", *options),
        ]
        self.start()

    def start(self) -> None:
        """Return once it answers; also again after it was killed."""
        self._process = subprocess.Popen(
            self._words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=ENVIRONMENT,
            start_new_session=True,
        )
        wait_for(self._answers)

    def url(self, port: int | None = None) -> str:
        """Of its database; through another port where one is given."""
        return f"postgresql://{ROLE}@{HOME}:{port or self.port}/{DATABASE}"

    def ask(self, query: str, *values) -> list[tuple]:
        with psycopg.connect(self.url(), autocommit=True) as connection:
            cursor = connection.execute(query, values or None)
            return cursor.fetchall() if cursor.description else []

    @property
    def process(self) -> psutil.Process:
        return psutil.Process(self._process.pid)

    def stop(self) -> None:
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(60)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _answers(self) -> bool:
        assert self._process.poll() is None
        try:
            self.ask("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True


class Pooler:
    """Debian's PgBouncer, in transaction mode, as it comes."""

    def __init__(self, database: Database, connections: int = 10, mode: str = "transaction"):
        self.folder = roomy_folder("pooler-")
        (self.port,) = free_ports(1)
        config = self.folder / "pgbouncer.ini"
        config.write_text(
            "[databases]\n"
            f"{DATABASE} = host={HOME} port={database.port} dbname={DATABASE} user={ROLE}\n"
            "[pgbouncer]\n"
            f"listen_addr = {HOME}\nlisten_port = {self.port}\nunix_socket_dir =\n"
            f"auth_type = any\npool_mode = {mode}\nmax_client_conn = 1000\n"
            # The server is asked again after a second, where it did not let the pooler in.
            f"default_pool_size = {connections}\nserver_login_retry = 1\n"
        )
        nobody = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        if os.geteuid() == 0:  # it does not run as root
            self.folder.chmod(0o755)
            config.chmod(0o644)
        self._process = subprocess.Popen(
            [*(nobody if os.geteuid() == 0 else []), "pgbouncer", "-q", str(config)],
            stdout=subprocess.DEVNULL,
            stderr=(self.folder / "log").open("wb"),
        )
        wait_for(self._answers)

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _answers(self) -> bool:
        assert self._process.poll() is None, (self.folder / "log").read_text()
        with suppress(OSError), socket.create_connection((HOME, self.port)):
            return True
        return False


class Machine(Platform):
    """One of several: `manage.py up --only PARTS` on a database that is elsewhere.

    home   : the folder of files that all share, unless FILES_URL says where files are
    pooler : which its requests go through, or the line to it
    """

    def __init__(
        self,
        home: Path,
        database: Database,
        parts: str,
        pooler: "Pooler | Line | None" = None,
        **environment: str,
    ):
        self.home, self.database = home, database
        self._shares = "FILES_URL" not in environment
        self.line = Line(database.port)
        direct = database.url(self.line.port)
        super().__init__(
            DATABASE_URL=database.url(pooler.port) if pooler else direct,
            DATABASE_DIRECT_URL=direct,
            SECRETS_FILE=str(home / "secrets.json"),
            **environment,
        )
        self.environment.setdefault("HOST_PORT", str(self.port))
        self.words = ("up", "--only", parts)

    def ask(self, query: str, *values) -> list[tuple]:
        return self.database.ask(query, *values)

    def unplug(self) -> None:
        """The machine is there no more: nothing of it runs, and nobody is told."""
        self.line.hold()
        for process in self.processes():
            process.suspend()

    def plug_in(self) -> None:
        """It is there again, and knows nothing of what was meanwhile."""
        self.line.mend()
        for process in self.processes():
            with suppress(psutil.NoSuchProcess):
                process.resume()

    @property
    def workers(self) -> list[psutil.Process]:
        """The workers of all its slots."""
        return [process for process in self._supervisor.children() if "work" in line(process)]

    def worker_of(self, slot: str) -> str:
        """The identity in the queue of one of its workers."""
        return str(uuid5(NAMESPACE_URL, f"{os.uname().nodename}/{self.folder}/{slot}"))

    def stop(self) -> list[str]:
        """As of a platform; one that was unplugged is pulled out of the rack."""
        with suppress(psutil.NoSuchProcess):
            if self._supervisor.status() == psutil.STATUS_STOPPED:
                for process in self.processes():
                    process.kill()
        left = super().stop()
        self.line.close()
        return left

    def _furnish(self) -> None:
        if self._shares:
            (self.folder / "files").symlink_to(self.home / "files")


def shared_folder() -> Path:
    """The folder of files of a new platform, with its secrets."""
    home = roomy_folder("shared-")
    (home / "files").mkdir()
    load_secrets(home / "secrets.json")
    return home
