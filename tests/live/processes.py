"""The platform's real processes: started as an operator starts them, found, and killed."""

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from weakref import WeakSet

import psutil
import psycopg
import requests
from requests.adapters import HTTPAdapter

from core.postgres.embedded import EmbeddedPostgres
from ops.programs import program_of
from tests.cluster import furnish
from tests.waiting import TIMEOUT, wait_for

ROOT = Path(__file__).resolve().parents[2]
DOMAIN = "platform.localhost"
PORTS = (20_000, 32_000)  # below those that the kernel gives to connections outward
START = 300.0  # seconds for a start: fifteen Python processes at once
LAST_WORDS = 20_000  # characters of a log that are shown where a test fails
ROOM = 4 * 1024**3  # bytes: below 2 GiB of free disk the platform refuses uploads
# Settings that the tests' own plugin makes for Django in this process.
OWN = ("DATABASE_URL", "TEST_DATABASE", "HOST_PORT", "OUTBOUND_ALLOW", "DJANGO_SETTINGS_MODULE")


_given: set[int] = set()
_known: "WeakSet[Platform]" = WeakSet()


def free_ports(count: int) -> list[int]:
    """Ports of this machine that nobody has, and that no connection outward is given either.

    None is given twice: a fleet takes its thirty some seconds after it got them.
    """
    found: list[int] = []
    while len(found) < count:
        port = random.randrange(*PORTS)
        if port in _given:
            continue
        with socket.socket() as one, suppress(OSError):
            one.bind(("", port))
            found.append(port)
            _given.add(port)
    return found


def last_words() -> dict[str, str]:
    """What the web processes of all platforms that are there have written, by their folders."""
    return {str(one.folder): said for one in _known if (said := one.web_said())}


class LocalHosts(HTTPAdapter):
    """Connects to this machine whatever the host's name: not every resolver knows *.localhost."""

    def __init__(self, port: int | None = None):
        self.port = port  # where it connects, whatever the host's port
        super().__init__()

    def send(self, request, **options):
        scheme, _, rest = request.url.partition("://")
        authority, slash, path = rest.partition("/")
        request.headers["Host"] = authority
        request.url = (
            f"{scheme}://127.0.0.1:{self.port or authority.rpartition(':')[2]}{slash}{path}"
        )
        return super().send(request, **options)


def browser(port: int | None = None) -> requests.Session:
    """A session of requests for the platform's hosts; `port` is where they listen, if elsewhere."""
    session = requests.Session()
    session.trust_env = False
    session.mount("http://", LocalHosts(port))
    return session


def spacious_folder(prefix: str) -> Path:
    """A new folder, in memory where there is enough."""
    memory = Path("/dev/shm")
    has_space = memory.is_dir() and shutil.disk_usage(memory).free > ROOM
    return Path(tempfile.mkdtemp(prefix=prefix, dir=memory if has_space else None))


class Platform:
    """One `manage.py up` with a folder and a port of its own."""

    code = ROOT  # whose
    words: tuple[str, ...] = ("up",)

    def __init__(self, **environment: str):
        self.folder = spacious_folder("live-")
        _known.add(self)
        self._furnish()
        self.port, providers = free_ports(2)
        self.environment = {
            **{name: value for name, value in os.environ.items() if name not in OWN},
            "DATA_DIR": str(self.folder),
            "PARENT_HOST": DOMAIN,
            "HOST_SCHEME": "http",
            "PORT": str(self.port),
            "PROVIDERS_URL": f"http://127.0.0.1:{providers}",
            "REGISTRATION_RATE": "0",
            "LIMITS": "requests=,requests_anonymous=",  # tests ask more often than people
            **environment,
        }
        self.first: subprocess.Popen[bytes] | None = None

    def _furnish(self) -> None:
        """Put into its folder what it begins with."""
        furnish(self.folder)

    # ------------------------------------------------------------ its life

    def start(self) -> None:
        """Return once it says that every process is at work."""
        self.begin()
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        wait_for(lambda: self.first.poll() is not None or "\nReady.\n" in self.said(), START)
        assert self.first.poll() is None, self.said()

    def begin(self) -> None:
        """Start it, and wait for nothing."""
        with (self.folder / "up.log").open("wb") as log:
            self.first = subprocess.Popen(
                # What a shell runs in the background ignores Ctrl-C; this does not.
                [
                    *("env", "--default-signal=INT", "setpriv", "--pdeathsig", "TERM"),
                    *(sys.executable, str(self.code / "manage.py"), *self.words),
                ],
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def interrupt(self) -> None:
        """Ctrl-C, as a terminal sends it to all in the foreground."""
        os.killpg(self.first.pid, signal.SIGINT)

    def said(self) -> str:
        """What it has printed."""
        return (self.folder / "up.log").read_text()

    def web_said(self) -> str:
        """The end of what its web process has written to its log; nothing where it has none."""
        log = self.folder / "logs" / "web.log"
        return log.read_text(errors="replace")[-LAST_WORDS:] if log.exists() else ""

    def stop(self) -> list[str]:
        """End it as an operator does; the processes that are left then, which are killed."""
        known = self.processes() if self.first.poll() is None else []
        self.first.terminate()
        try:
            self.first.wait(TIMEOUT)
        finally:
            left = [process for process in known if alive(process)]
            names = [f"{process.pid} {words(process)}" for process in left]
            for process in left:
                with suppress(psutil.NoSuchProcess):
                    process.kill()
            shutil.rmtree(self.folder, ignore_errors=True)
        return names

    def answers(self) -> bool:
        """Whether the web process answers."""
        try:
            return browser().get(self.url("models/model/"), timeout=2).status_code == 401
        except requests.RequestException:
            return False

    # ------------------------------------------------------------ its places

    def url(self, path: str) -> str:
        """`url("models/model/")`: the address of a path on a service's host."""
        host, _, rest = path.partition("/")
        return f"http://{host}.{DOMAIN}:{self.port}/{rest}"

    @property
    def incoming(self) -> list[str]:
        """What lies in the folder of files that are not complete: uploads, and jobs' folders."""
        return [path.name for path in (self.folder / "files" / "incoming").iterdir()]

    @property
    def parts(self) -> list[str]:
        """Uploads that are not complete."""
        return [name for name in self.incoming if name.startswith(".part-")]

    def ask(self, query: str, *values) -> list[tuple]:
        """Rows of the platform's own database."""
        url = EmbeddedPostgres(self.folder).url()
        with psycopg.connect(url, autocommit=True) as connection:
            return connection.execute(query, values).fetchall()

    # ------------------------------------------------------------ its processes

    def processes(self) -> list[psutil.Process]:
        """Every process of the platform, the database's and the engines' too."""
        return [self._supervisor, *self._supervisor.children(recursive=True)]

    def program(self, *said: str) -> list[psutil.Process]:
        """The processes of the program whose command has these words, its first one first."""
        found = wait_for(lambda: [p for p in children(self._supervisor) if {*said} <= {*line(p)}])
        return [found[0], *children(found[0])]

    def slot(self, name: str) -> tuple[psutil.Process, list[psutil.Process]]:
        """Of a worker's slot: the worker, and its children, once it has any."""
        return wait_for(
            lambda: [(p, below) for p in self._workers(name) if (below := children(p))]
        )[0]

    def worker(self, name: str) -> psutil.Process:
        """The worker of a slot."""
        return wait_for(lambda: self._workers(name))[0]

    def _workers(self, name: str) -> list[psutil.Process]:
        return [process for process in self._supervisor.children() if name_of(process) == name]

    def postmaster(self) -> psutil.Process | None:
        """The database's first process; None while there is none."""
        try:
            pid_file = EmbeddedPostgres(self.folder).cluster / "postmaster.pid"
            return psutil.Process(int(pid_file.read_text().split("\n")[0]))
        except (OSError, ValueError, psutil.NoSuchProcess):
            return None

    @property
    def _supervisor(self) -> psutil.Process:
        return psutil.Process(self.first.pid)


def children(process: psutil.Process) -> list[psutil.Process]:
    """Its descendants; none where it has ended."""
    try:
        return process.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def name_of(process: psutil.Process) -> str | None:
    """The name of the program, such as a worker's slot, whose first process this is."""
    try:
        return program_of(process)
    except psutil.Error:
        return None


def line(process: psutil.Process) -> list[str]:
    """Its command and arguments, or its title's words; nothing where it has ended."""
    try:
        return " ".join(process.cmdline()).split()
    except psutil.Error:
        return []


def words(process: psutil.Process) -> str:
    return " ".join(line(process))


def alive(process: psutil.Process) -> bool:
    """Whether it runs: neither gone nor a zombie."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def kill(process: psutil.Process) -> float:
    """Kill -9, and the time at which."""
    at = time.time()
    process.send_signal(signal.SIGKILL)
    return at
