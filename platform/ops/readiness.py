"""Readiness checks of web, workers and hosts."""

import socket
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException

from django.conf import settings
from django.db import DatabaseError, connection

from apps.callbacks import interface as callbacks
from core.files import blobs, disk_space
from core.files.storage import health
from core.outbound import http
from core.queue.broker import slot_id
from core.uris import base_url
from ops.pending_migrations import missing_migrations
from ops.programs import Program, platform_programs

HOSTS = ("", *settings.SERVICES, "data", "files", "admin")  # "" is the bare domain
ANSWER_TIME = 10.0  # seconds; the first request to a host loads all that it serves


def silent_programs(programs: Iterable[Program], *, heard_within: float) -> list[str]:
    """The names of those `programs` of this machine that are not at work.

    heard_within : seconds; a worker counts that gave a sign of life in the last so many
    """
    names = [program.name for program in programs]
    slots = {program.name for program in platform_programs(["workers"])}
    try:
        alive = living_workers(heard_within)
        working = {slot for slot in slots if str(slot_id(slot)) in alive}
        working |= {"database", "agent"}  # it waits for the web itself, and `doctor` looks at it
        if callbacks.sender_is_active():
            working.add("sender")
    except DatabaseError:
        connection.close()
        working = set()
    if "web" in names and not silent_hosts():
        working.add("web")
    if "providers" in names:
        with suppress(http.Unreachable):
            ask_providers()
            working.add("providers")
    return [name for name in names if name not in working]


def living_workers(heard_within: float) -> set[str]:
    """The identities of the workers that gave a sign of life in the last so many seconds."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT worker_id FROM dramatiq.worker"
            " WHERE heartbeat_at > now() - make_interval(secs => %s)",
            [heard_within],
        )
        return {str(row[0]) for row in cursor.fetchall()}


def clock_offsets(heard_within: float) -> dict[str, float]:
    """Seconds by which clocks are ahead of the database's: this machine's, and its workers'."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        offsets = {socket.gethostname(): (datetime.now(UTC) - cursor.fetchone()[0]).total_seconds()}
        cursor.execute(
            "SELECT DISTINCT ON (machine) machine, extract(epoch FROM clock - heartbeat_at)::float8"
            " FROM dramatiq.worker WHERE clock IS NOT NULL"
            " AND heartbeat_at > now() - make_interval(secs => %s)"
            " ORDER BY machine, abs(extract(epoch FROM clock - heartbeat_at))",
            [heard_within],
        )
        return dict(cursor.fetchall()) | offsets


def silent_hosts() -> list[str]:
    """The addresses of the hosts that the web process of this machine does not answer for."""
    return [base_url(host) for host in HOSTS if not _answers(host)]


def unready_parts() -> dict[str, str]:
    """What this process cannot serve without and lacks at this moment, and why."""
    return {name: why for name, ask in _PARTS.items() if (why := ask())}


def impaired_parts() -> dict[str, str]:
    """What this process serves without, so that some requests are answered 503, and why."""
    words = health.storage_error()
    return {"files": words} if words else {}


def _database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        connection.close()
        return "it does not answer"
    return ""


def _storage() -> str:
    try:
        with blobs.incoming_file() as (file, _):
            file.write(b"ready")
            file.flush()
    except OSError as error:
        return f"nothing can be written: {error.strerror}"
    return "" if disk_space.has_space_for_jobs() else "the disk is full"


def _schema() -> str:
    """Whether this code's migrations are applied; once they are, they stay so."""
    if not _seen:
        try:
            if missing := missing_migrations():
                return f"{missing} migrations are not applied"
        except DatabaseError:
            connection.close()
            return "it cannot be asked for"
        _seen.append(True)
    return ""


_seen: list[bool] = []
_PARTS = {"database": _database, "storage": _storage, "schema": _schema}


def web_address() -> tuple[str, int]:
    """Where the web process of this machine can be reached."""
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
    return everywhere.get(settings.LISTEN, settings.LISTEN), settings.PORT


def ask_providers() -> None:
    """Raises http.Unreachable where the process of the built-in providers does not answer."""
    http.request("GET", f"{settings.PROVIDERS_URL}/health/", headers={}, own=True)


def _answers(host: str) -> bool:
    """By anything but a fault of the server's: most hosts have nothing at `/`."""
    web = HTTPConnection(*web_address(), timeout=ANSWER_TIME)
    try:
        web.request("GET", "/", headers={"Host": base_url(host).partition("://")[2]})
        answer = web.getresponse()
        answer.read()  # or the web process notes a connection that broke off
        return answer.status < 500
    except (OSError, HTTPException):
        return False
    finally:
        web.close()
