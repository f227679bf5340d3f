"""manage.py doctor: diagnoses every part of the installation and suggests fixes."""

import os
import shutil
import socket
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, connection

from apps.callbacks import interface as callbacks
from apps.erp import interface as erp
from apps.slicing import interface as slicing
from apps.warehouse import interface as warehouse
from core.files import blobs
from core.files import storage as our_storage
from core.files.storage import damage
from core.outbound import http
from core.postgres import connection_budget, oldest_snapshot
from core.queue import probes
from core.queue.broker import slot_id
from core.sandbox.confinement import support
from core.sandbox.sandbox import JobInternalError
from ops.instances import running_platforms
from ops.pending_migrations import missing_migrations
from ops.programs import platform_programs
from ops.readiness import HOSTS, ask_providers, clock_offsets, living_workers, silent_hosts

MAX_CLOCK_OFFSET = 5.0  # seconds


class Broken(Exception):
    """A part that does not work; the text says what would mend it."""


class Partial(Exception):
    """A part that works, but not all of it; the text says what does not."""


def python() -> str:
    if not __debug__:
        raise Broken("Python runs with -O, which drops the assertions that rendering needs.")
    return sys.version.split()[0]


def platform() -> str:
    place = f"{settings.DATA_DIR}, port {settings.PORT}"
    found = [one.process for one in running_platforms() if one.data_dir == settings.DATA_DIR]
    if not found:
        raise Broken(f"None runs here from this folder; these are the parts of {place}.")
    return f"that of {place}, process {found[0]}"


def secrets() -> str:
    status = settings.SECRETS_FILE.stat()
    mode = status.st_mode & 0o777
    # One that a cluster mounts is another's, and read through its group.
    if mode & (0o077 if status.st_uid == os.geteuid() else 0o027):
        raise Broken(f"secrets.json has mode {mode:o}: chmod 600 {settings.SECRETS_FILE}")
    return f"{settings.SECRETS_FILE}, mode {mode:o}"


def database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('server_version')")
            (version,) = cursor.fetchone()
            cursor.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
            vector = cursor.fetchone()
    except OperationalError as error:
        raise Broken(f"It does not answer: start the platform with `make up`. {error}") from None
    if vector is None:
        raise Broken(
            "It has no pgvector, which geometric search needs: install the server's package and "
            "have a superuser run CREATE EXTENSION vector in this database."
        )
    kind = "embedded" if settings.DATABASE_EMBEDDED else "DATABASE_URL"
    return f"PostgreSQL {version}, pgvector {vector[0]}, {kind}"


def migrations() -> str:
    if missing := missing_migrations():
        raise Broken(f"{missing} are not applied: manage.py migrate")
    return "all applied"


def queue() -> str:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), coalesce(extract(epoch FROM max(now() - available_at)), 0)"
            " FROM dramatiq.queue WHERE state = 'queued' AND available_at <= now()"
        )
        waiting, oldest = cursor.fetchone()
        cursor.execute("SELECT count(*) FROM dramatiq.queue WHERE state = 'rejected'")
        (rejected,) = cursor.fetchone()
    if oldest > 3600:
        raise Broken(f"{waiting} jobs queued, the oldest {oldest / 3600:.1f} h ago: see workers.")
    return f"{waiting} jobs queued, {rejected} failed permanently"


def workers() -> str:
    alive = living_workers(15)
    slots = [program.name for program in platform_programs(["workers"])]
    silent = [slot for slot in slots if str(slot_id(slot)) not in alive]
    if len(alive) >= len(slots):
        return f"{len(alive)} alive"
    raise Broken(f"Silent: {', '.join(silent)}. Start them with `make up`, or see their logs.")


def queue_probes() -> str:
    """Return the age of the oldest queue probe; fail where no worker consumes a queue."""
    ages = probes.probe_ages()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT queue_name, count(*) FROM dramatiq.queue WHERE state = 'consumed' GROUP BY 1"
        )
        at_work = dict(cursor.fetchall())
    slots = Counter(program.queue for program in platform_programs(["workers"]))
    deaf = [
        f"{queue} ({age:.0f} s)"
        for queue, age in sorted(ages.items())
        # Where every slot is at a job that takes long, a probe waits as any job does.
        if age > probes.ALARM and at_work.get(queue, 0) < slots[queue]
    ]
    if deaf:
        raise Broken(f"No worker consumes queue {', '.join(deaf)}: see the logs of its workers.")
    return f"the oldest of {len(ages)} completed {max(ages.values(), default=0):.0f} s ago"


def snapshots() -> str:
    """Whether somebody keeps the database from tidying up behind what has ended."""
    held = oldest_snapshot.oldest_snapshot()
    if held is None:
        return "none is held"
    words = f"{held.holder} (server process {held.pid}) holds one since {held.seconds:.0f} s"
    if held.seconds > oldest_snapshot.ALARM:
        raise Broken(
            f"{words}: what has ended stays in the tables until it is over. Where that is no "
            f"backup, end it: SELECT pg_terminate_backend({held.pid})."
        )
    return words


def connections() -> str:
    """Whether the processes of all machines together may use up those of the database."""
    found = connection_budget.room()
    words = f"{found.now} of {found.most} are taken, and {found.may} may be"
    if found.is_scarce:
        raise Broken(
            f"{words}: give the server a larger max_connections, or requests a pooler "
            "(docs/operations.md). Without a free one requests are answered 503, and workers wait."
        )
    return words


def web() -> str:
    silent = silent_hosts()
    if silent:
        raise Broken(f"No answer for {', '.join(silent)}: start it with `make up`, or see its log.")
    return f"{len(HOSTS)} hosts answer"


def clocks() -> str:
    """Compare the clocks of this machine and of the workers' machines with the database's."""
    offsets = clock_offsets(15)
    wrong = [
        f"{machine} is {abs(offset):,.0f} s {'ahead of' if offset > 0 else 'behind'} the database"
        for machine, offset in sorted(offsets.items())
        if abs(offset) > MAX_CLOCK_OFFSET
    ]
    if wrong:
        raise Broken(
            f"{'; '.join(wrong)}: have the machines' clocks set by NTP, as by `timedatectl "
            "set-ntp true`. Times of resources are the database's, but signed URLs, sessions, and "
            "what expires go by the machines' own."
        )
    return f"of {len(offsets)} machines are within {MAX_CLOCK_OFFSET:g} s of the database's"


def sender() -> str:
    if not callbacks.sender_is_active():
        raise Broken("No callback is sent: start it with `make up`, or see its log.")
    return "active"


def agents() -> str:
    """Of those that drive printers, whether they are heard."""
    at_work = [each for each in erp.agent_figures() if each.printers]
    silent = [f"{each.name} ({each.uri})" for each in at_work if not each.online]
    if silent:
        raise Broken(
            f"Not heard in the last minute: {', '.join(silent)}. Nothing new is printed there: "
            "see whether the program runs in the shop, and reaches this platform."
        )
    return f"{len(at_work)} with printers, each heard in the last minute"


def providers() -> str:
    try:
        ask_providers()
    except http.Unreachable as error:
        raise Broken(
            f"No answer at {settings.PROVIDERS_URL}: `make up`, or its log. {error}"
        ) from None
    return f"answer at {settings.PROVIDERS_URL}"


def storage() -> str:
    with blobs.incoming_file() as (file, _):
        file.write(b"probe")
        file.flush()
    free = shutil.disk_usage(settings.DATA_DIR).free
    if free < settings.DISK_RESERVE:
        reserve = f"{settings.DISK_RESERVE / 1024**3:g} GiB"
        raise Broken(f"{free / 1024**3:.1f} GiB are free: below {reserve} uploads are refused.")
    return f"writable, {free / 1024**3:.0f} GiB free"


def files() -> str:
    """Where stored files lie, and whether any is known to be damaged."""
    store = our_storage.current()
    if words := store.check():
        raise Broken(f"{words} Uploads and downloads are refused, and jobs wait until it serves.")
    damaged = {what: count for what, count in damage.counts().items() if count}
    if damaged:
        counts = " and ".join(f"{count} {what}" for what, count in damaged.items())
        raise Broken(f"{counts} in {store}: `manage.py storage check` says whose they are.")
    if below := _own_cookies():
        raise Broken(
            f"Clients are led to {below}, which gets the cookies of {settings.PARENT_HOST}: give "
            "the S3 server a name outside of it, or set FILES_DIRECT=off."
        )
    return f"in {store}"


def _own_cookies() -> str:
    """The host that downloads are led to, where it is below our own domain."""
    if not (settings.FILES_DIRECT and settings.FILES_AT.bucket):
        return ""
    host = urlsplit(settings.FILES_AT.root).hostname or ""
    parent = settings.PARENT_HOST
    return host if host == parent or host.endswith(f".{parent}") else ""


def engines() -> str:
    """Which engines are offered; one of them is enough."""
    slicing.test_engines()
    states = slicing.engine_states()
    offered = ", ".join(f"{one.name}: {one.version}" for one in states if one.version)
    missing = ", ".join(one.name for one in states if not one.version)
    words = [f"Not offered: {missing}."] if missing else []
    words += [sentence for one in states for sentence in (*one.reasons, *one.notes)]
    if not offered:
        raise Broken(" ".join(words))
    if words:
        raise Partial(f"{offered}. {' '.join(words)}")
    return offered


def sandbox() -> str:
    if gaps := support.missing_mechanisms():
        raise Broken(f"{' '.join(gaps)} The work goes on without.")
    mechanisms = " and ".join(support.active_mechanisms())
    return f"engines and uploaded files run in a sandbox of {mechanisms}"


def rendering() -> str:
    try:
        return f"drew the sample part, {warehouse.draw_sample_part()} bytes"
    except JobInternalError as error:  # the last line of the traceback says what is missing
        raise Broken(str(error).strip().splitlines()[-1]) from error


def hosts() -> str:
    hosts = ("files", "print", "data", "admin", *settings.SERVICES)
    names = [settings.PARENT_HOST, *(f"{name}.{settings.PARENT_HOST}" for name in hosts)]
    names += settings.STOREFRONT_DOMAINS
    unknown = []
    for name in names:
        try:
            socket.getaddrinfo(name, None)
        except OSError:
            unknown.append(name)
    if unknown:
        raise Broken(
            f"This machine does not resolve {', '.join(unknown)}: add to /etc/hosts the line "
            f"127.0.0.1 {' '.join(unknown)}, or see README.md for clients that need no such line."
        )
    return f"{len(names)} names resolve"


# Each part, and whether the platform needs it on this very machine.
PARTS: tuple[tuple[Callable[[], str], bool], ...] = (
    (platform, False),
    (python, True),
    (secrets, True),
    (database, True),
    (migrations, True),
    (queue, True),
    (web, True),
    (workers, True),
    (queue_probes, True),
    (snapshots, False),
    (connections, False),
    (clocks, True),
    (sender, True),
    (agents, False),
    (providers, True),
    (storage, True),
    (files, True),
    (engines, True),
    (sandbox, False),
    (rendering, True),
    (hosts, False),
)


class Command(BaseCommand):
    help = "Checks every part of the platform and says what would mend what does not work."
    requires_system_checks = ()

    def handle(self, **options):
        broken = 0
        for name, sign, words in self._look():
            broken += sign == "BROKEN"
            self.stdout.write(f"{sign:7} {name}: {words}")
            self.stdout.flush()
        if broken:
            raise CommandError(f"{broken} of {len(PARTS)} parts do not work.")

    def _look(self) -> Iterator[tuple[str, str, str]]:
        for part, needed in PARTS:
            try:
                yield part.__name__, "ok", part()
            except Exception as error:  # whatever is wrong with a part, the others are looked at
                works = isinstance(error, Partial) or not needed
                sign = "note" if works else "BROKEN"
                yield part.__name__, sign, str(error).strip().replace("\n", " ")
