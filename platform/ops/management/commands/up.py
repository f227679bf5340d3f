"""manage.py up: prepares and supervises every process of the platform.

It becomes supervisord (`ops.prefork`), in the same process: who started this one can signal it
and wait for it.
"""

import fcntl
import os
import secrets
import socket
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, transaction

from apps.integrations import interface as integrations
from apps.slicing import interface as slicing
from apps.users import interface as users
from core import installation
from core.postgres import connections
from core.postgres.embedded import EmbeddedPostgres, PostgresFailed
from core.process.private_dirs import make_private
from ops import prefork
from ops.pending_migrations import migration_lock, missing_migrations
from ops.programs import PARTS, QUEUES, announcer, platform_programs, supervisor_config, watchdog


class Command(BaseCommand):
    help = "Starts the database, web, workers and sender, and keeps them running. Ctrl-C ends all."
    requires_system_checks = ()

    def add_arguments(self, parser):
        parser.add_argument(
            "--parts",
            default=",".join(PARTS),
            help=f"The parts to run, comma-separated, of {', '.join(PARTS)} (default: all).",
        )
        parser.add_argument(
            "--console",
            action="store_true",
            help="Print what the processes say here instead of into DATA_DIR/logs.",
        )

    def handle(self, *, parts: str, console: bool, **options):
        wanted = {part.strip() for part in parts.split(",")}
        if unknown := sorted(wanted - set(PARTS)):
            raise CommandError(
                f"--parts: no part is called {unknown[0]}; known: {', '.join(PARTS)}"
            )
        if unknown := sorted(set(settings.SLOTS) - set(QUEUES)):
            raise CommandError(f"SLOTS: no queue is called {unknown[0]}; {', '.join(QUEUES)} are.")
        if not platform_programs(["agent"]):  # nothing is paired with this computer
            wanted -= {"agent"}
        chosen = [part for part in PARTS if part in wanted]
        logs = settings.DATA_DIR / "logs"
        run = settings.DATA_DIR / "run" / os.uname().nodename  # machines may share DATA_DIR
        for folder in (logs, run, settings.DATA_DIR / "files"):
            make_private(folder, 0o700)
        for part in chosen:
            self._take_lock(run / f"{part}.lock", part)
        for old in run.glob("*.health"):  # of an earlier start, perhaps with other parts
            old.unlink(missing_ok=True)
        name = "-".join(chosen)
        if "web" in chosen:
            _check_port(settings.LISTEN, settings.PORT, "PORT=...")
        if "providers" in chosen:
            port = urlsplit(settings.PROVIDERS_URL).port or 80
            _check_port("127.0.0.1", port, "PROVIDERS_URL=http://127.0.0.1:...")
        self._start_database()
        prefork.run_forked(
            lambda: self._prepare("web" in chosen),
            "manage.py: preparing",
            meanwhile=prefork.load,
        )
        config = run / f"{name}.conf"
        programs = [*platform_programs(chosen), announcer(chosen), watchdog(chosen)]
        text = supervisor_config(
            programs,
            directory=settings.BASE_DIR,
            logs=logs,
            pid_file=run / f"{name}.pid",
            console=console,
        )
        _write_private(config, text)
        where = "" if console else f" Logs: {logs}."
        self._say(f"Starting {', '.join(chosen)}.{where} Ctrl-C ends everything.")
        prefork.supervise(config, programs)

    def _take_lock(self, path: Path, part: str) -> None:
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CommandError(
                f"{part} runs already on {settings.DATA_DIR}: stop it first, "
                "or name another folder and port: DATA_DIR=... PORT=..."
            ) from None
        os.set_inheritable(lock, True)  # noqa: FBT003 (positional only); supervisord holds it

    def _start_database(self) -> None:
        """The embedded one, a child of this process, which ends with it."""
        if not settings.DATABASE_EMBEDDED:
            return
        self._say(f"Starting the database below {settings.DATA_DIR}.")
        server = EmbeddedPostgres(settings.DATA_DIR)
        try:
            server.start(tied=True)
            server.create_database()
        except PostgresFailed as error:
            raise CommandError(str(error)) from None

    def _prepare(self, web: bool) -> None:  # noqa: FBT001 (whether the web process is started)
        self._prepare_database()
        slicing.test_engines()
        if web:
            call_command("collectstatic", interactive=False, verbosity=0)
            self._make_operator()
            self._offer_link()
            integrations.register_builtin()

    def _prepare_database(self) -> None:
        if not settings.DATABASE_EMBEDDED:
            self._look_at_lines()
        try:
            with migration_lock():
                installation.require_same_installation()
                self._say("Bringing its tables up to date.")
                if missing_migrations():
                    call_command("migrate", interactive=False, verbosity=0)
                installation.record()
        except installation.WrongInstallation as error:
            raise CommandError(str(error)) from None
        except OperationalError as error:
            raise CommandError(f"The database does not answer: {error}") from None

    def _look_at_lines(self) -> None:
        """That the direct line gives sessions, and a pooler's connections are held to bounds."""
        url, direct = settings.DATABASE_URL, settings.DATABASE_DIRECT_URL
        try:
            connections.require_session(direct)
            if url != direct:
                bounds = dict(settings.DATABASE_BOUNDS)
                if bounds["statement_timeout"] == "0":  # manage.py's own
                    bounds["statement_timeout"] = settings.MAX_STATEMENT_TIME
                connections.set_role_defaults(url, bounds)
        except connections.SessionRequired as error:
            raise CommandError(str(error)) from None
        except psycopg.Error as error:
            raise CommandError(f"The pooler of DATABASE_URL does not answer: {error}") from None

    def _make_operator(self) -> None:
        """The first administrator, with a password of the environment or a random one."""
        accounts = get_user_model().objects
        name = os.environ.get("DJANGO_SUPERUSER_USERNAME", "operator")
        password = os.environ.get("DJANGO_SUPERUSER_PASSWORD") or secrets.token_urlsafe(12)
        email = os.environ.get("DJANGO_SUPERUSER_EMAIL", f"{name}@{settings.PARENT_HOST}")
        with migration_lock(), transaction.atomic():  # several machines may begin at once
            if accounts.filter(is_superuser=True).exists():
                return
            accounts.create_superuser(username=name, email=email, password=password)
        said = (
            "the password of DJANGO_SUPERUSER_PASSWORD"
            if os.environ.get("DJANGO_SUPERUSER_PASSWORD")
            else f"the password {password} (shown only now)"
        )
        self.stdout.write(f"Made the first operator: {name}, with {said}.")

    def _offer_link(self) -> None:
        """The way in for the first visit; who has chosen the password needs none."""
        chosen = os.environ.get("DJANGO_SUPERUSER_PASSWORD")
        if not chosen and (link := users.first_link()):
            self._say("Once all is ready, this signs the operator in, once, within the hour:")
            self._say(f"  {link}")

    def _say(self, words: str) -> None:
        self.stdout.write(words)
        self.stdout.flush()


def _check_port(host: str, port: int, setting: str) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise CommandError(
                f"Cannot listen on {host} port {port} ({error.strerror}): "
                f"choose another with {setting}"
            ) from None


def _write_private(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
