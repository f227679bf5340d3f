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

from core.postgres.embedded import EmbeddedPostgres
from core.postgres.server_config import ENVIRONMENT, ROLE
from core.secrets_file import load_secrets
from tests.cluster import DATABASE, furnish
from tests.live.network_links import Line
from tests.live.processes import Platform, alive, free_ports, line, spacious_folder
from tests.waiting import wait_for

HOME = "127.0.0.1"


class Database:
    """The server of PostgreSQL that somebody else runs: reached by TCP alone."""

    def __init__(self, connections: int = 100, *, durable: bool = False):
        self.folder = spacious_folder("database-")
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

    def anew(self) -> None:
        """With nothing in it, and no tables."""
        server = f"postgresql://postgres@{HOME}:{self.port}"
        with psycopg.connect(f"{server}/postgres", autocommit=True) as other:
            other.execute(f"DROP DATABASE {DATABASE} WITH (FORCE)")
            other.execute(f"CREATE DATABASE {DATABASE} OWNER {ROLE}")
        with psycopg.connect(f"{server}/{DATABASE}", autocommit=True) as own:
            own.execute("CREATE EXTENSION IF NOT EXISTS vector")

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
        self.folder = spacious_folder("pooler-")
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

    @property
    def process(self) -> psutil.Process:
        return psutil.Process(self._process.pid)

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _answers(self) -> bool:
        assert self._process.poll() is None, (self.folder / "log").read_text()
        with suppress(OSError), socket.create_connection((HOME, self.port)):
            return True
        return False


class Balancer:
    """nginx in front of several web machines; all pieces of an upload go to the same one."""

    def __init__(self, port: int = 0):
        self.folder = spacious_folder("balancer-")
        self.port = port or free_ports(1)[0]
        self._process: subprocess.Popen[bytes] | None = None

    def lead(self, *ports: int) -> None:
        """Lead what comes from now on to these; what is under way goes on where it is."""
        servers = "".join(f"server {HOME}:{port} max_conns=2000;\n" for port in ports)
        config = self.folder / "nginx.conf"
        config.write_text(
            f"daemon off;\nworker_processes 1;\npid {self.folder}/pid;\n"
            f"error_log {self.folder}/log warn;\nevents {{ worker_connections 4096; }}\n"
            f"http {{\naccess_log off;\nclient_max_body_size 0;\nkeepalive_timeout 0;\n"
            f"client_body_temp_path {self.folder}/body;\nproxy_temp_path {self.folder}/proxy;\n"
            "proxy_request_buffering off;\nproxy_buffering off;\nproxy_http_version 1.1;\n"
            "proxy_read_timeout 300s;\nproxy_set_header Host $http_host;\n"
            "proxy_set_header X-Forwarded-For $remote_addr;\n"
            f"upstream web {{\n{servers}}}\n"
            f"upstream uploads {{\nhash $uri consistent;\n{servers}}}\n"
            f"server {{\nlisten {HOME}:{self.port} backlog=1024;\n"
            "location / { proxy_pass http://web; }\n"
            "location /upload/ { proxy_pass http://uploads; }\n}\n}\n"
        )
        if self._process is None:
            words = ["nginx", "-p", str(self.folder), "-c", str(config), "-e", f"{self.folder}/log"]
            self._process = subprocess.Popen(words, start_new_session=True)
            wait_for(self._answers)
        else:
            before = psutil.Process(self._process.pid).children()
            self._process.send_signal(signal.SIGHUP)
            wait_for(lambda: not any(alive(worker) for worker in before))

    @property
    def process(self) -> psutil.Process:
        assert self._process is not None
        return psutil.Process(self._process.pid)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _answers(self) -> bool:
        assert self._process is not None and self._process.poll() is None, (
            self.folder / "log"
        ).read_text()
        with suppress(OSError), socket.create_connection((HOME, self.port)):
            return True
        return False


class Machine(Platform):
    """One of several: `manage.py up --parts PARTS` on a database that is elsewhere.

    home   : the folder of files that all share, unless FILES_URL says where files are
    pooler : which its requests go through, or the line to it
    front  : which its web process stands behind
    """

    def __init__(
        self,
        home: Path,
        database: Database,
        parts: str,
        pooler: "Pooler | Line | None" = None,
        front: "Balancer | None" = None,
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
        self.listens = self.port
        if front is not None:
            self.port = front.port
        self.environment.setdefault("HOST_PORT", str(self.port))
        self.words = ("up", "--parts", parts)

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
        return [process for process in self._supervisor.children() if "worker" in line(process)]

    def worker_of(self, slot: str) -> str:
        """The identity in the queue of one of its workers."""
        return str(uuid5(NAMESPACE_URL, f"{os.uname().nodename}/{self.folder}/{slot}"))

    def stop(self) -> list[str]:
        """As of a platform; one that was unplugged is pulled out of the rack."""
        with suppress(psutil.NoSuchProcess):
            if self._supervisor.status() == psutil.STATUS_STOPPED:
                pulled = self.processes()
                for process in pulled:
                    process.kill()
                wait_for(lambda: not any(map(alive, pulled)))
        left = super().stop()
        self.line.close()
        return left

    def _furnish(self) -> None:
        if self._shares:
            (self.folder / "files").symlink_to(self.home / "files")


def shared_folder() -> Path:
    """The folder of files of a new platform, with its secrets."""
    home = spacious_folder("shared-")
    (home / "files").mkdir()
    load_secrets(home / "secrets.json")
    return home
