"""Supervised programs and the supervisord configuration."""

import os
import shlex
import signal
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from django.conf import settings

from core.queue.fair_queueing import QUICK

PARTS = ("web", "workers", "sender", "providers", "agent", "database")
# Connections of the web process: 4,096 at a time, each with 5 s for its headers and 128 KiB to keep
# them in. HTTP/1 alone, since granian starts the 5 s before the first byte only where it need not
# detect the version, and HTTP/2 has no such limit: connections that send nothing would stay.
CONNECTIONS = [
    *("--http", "1"),
    *("--backlog", "4096", "--backpressure", "4096"),
    *("--http1-header-read-timeout", "5000", "--http1-buffer-size", str(128 * 1024)),
]
QUEUES = (
    *("meshes", "meshes_slow", "slices", "slices_slow", "renders", "renders_slow"),
    *("extras", "packing", "packing_slow", "providers", "mail", "default"),
)
NAME = "PLATFORM_PROGRAM"  # what tells a program's processes which they are
# How far workers give way. To what somebody waits for: what is slow, and what an upload starts
# besides; a picture and an estimate are there soon after, and a slice is not slowed by them.
NICE = {
    **dict.fromkeys(("meshes_slow", "slices_slow", "renders_slow", "packing_slow"), 10),
    **dict.fromkeys(("renders", "extras"), 5),
}
# Servers of others that are waited for at a time: a slow one must not hold up the next.
THREADS = {"providers": 8, "mail": 4}
WEB = {"DATABASE_POOLED": "yes"}  # by the line to the database that is for them
WORKER = {
    "STATEMENT_TIMEOUT": "60s",
    "LOCK_TIMEOUT": "30s",  # else a job of minutes is done again for a row that somebody held
}


@dataclass(frozen=True)
class Program:
    """One supervised process.

    manage   : the words after manage.py, where it is one of its commands: it is forked (`forking`)
    nice     : how far it gives way to others
    patience : seconds between the request to end and kill -9
    last     : whether it ends only when all others have ended
    orphaned : the signal it gets when supervisord itself is killed; granian misses any but KILL
               while it starts
    once     : whether it has done its work when it ends well
    output   : where its output goes in place of a log of its own
    queue    : of a worker, the one whose jobs it does
    """

    name: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    manage: tuple[str, ...] = ()
    nice: int = 0
    stop_timeout: int = 15
    last: bool = False
    orphaned: signal.Signals = signal.SIGKILL
    once: bool = False
    output: Path | None = None
    queue: str = ""


def platform_programs(parts: Iterable[str] = PARTS) -> list[Program]:
    """The programs of `parts`, as this installation's settings want them."""
    web = [sys.executable, "-m", "granian", "--interface", "asgi", "project.asgi:application"]
    address = ["--host", settings.LISTEN, "--port", str(settings.PORT), "--no-ws"]
    title = ["--process-name", "web: granian project.asgi:application"]
    programs = {
        "web": [Program("web", [*web, *title, *address, *CONNECTIONS], WEB)],
        "workers": _workers(len(os.sched_getaffinity(0))),
        "sender": [_managed("sender", "send_callbacks")],
        "providers": [_managed("providers", "serve_providers")],
        "agent": [_managed("agent", "agent", "run")],
        "database": [
            _managed(
                "database", "embedded_postgres", stop_timeout=30, last=True, orphaned=signal.SIGTERM
            )
        ],
    }
    if not settings.DATABASE_EMBEDDED:
        programs["database"] = []
    if not (agent_folder() / "agent.json").exists():  # it is paired with nothing
        programs["agent"] = []
    return [program for part in PARTS if part in parts for program in programs[part]]


def agent_folder() -> Path:
    """What the agent of this computer keeps: machines that the platform itself reaches."""
    return Path(os.environ.get("AGENT_DIR", settings.DATA_DIR / "agent"))


def announcer(parts: Iterable[str]) -> Program:
    """What tells whoever started `parts` when they are at work."""
    return _managed("announce", "announce_ready", ",".join(parts), once=True, output=_terminal())


def watchdog(parts: Iterable[str]) -> Program:
    """What kills those of `parts` that live and do not serve."""
    return _managed("watchdog", "watchdog", ",".join(parts), stop_timeout=5)


def program_of(process: psutil.Process) -> str | None:
    """The name of the program whose first process this is; None where it is none's.

    Its title says it, once it has one.
    """
    first, _, _ = " ".join(process.cmdline()).partition(" ")  # a title is one word to the kernel
    return first[:-1] if first.endswith(":") else None


def _managed(name: str, *words: str, **options: Any) -> Program:
    """The program that is a command of manage.py."""
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), *words]
    return Program(name, command, manage=words, **options)


def _terminal() -> Path | None:
    """Our own output, as supervisord can open it; None where it cannot, as of a socket."""
    path = Path("/dev/fd/1")
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_APPEND))
    except OSError:
        return None
    return path


def _workers(cores: int) -> list[Program]:
    """One process a slot, so that no kind of work waits behind another."""
    wanted = settings.SLOTS or dict.fromkeys(QUEUES, 1) | {"slices": cores, "slices_slow": cores}
    return [
        _worker(
            f"{_name(queue)}-{number}", queue, reserved=number == 1 and _has_reserved(queue, wanted)
        )
        for queue in QUEUES
        for number in range(1, wanted.get(queue, 0) + 1)
    ]


def _has_reserved(queue: str, wanted: Mapping[str, int]) -> bool:
    """Whether one of the slots of a quick queue is for accounts that have no job at work there."""
    return queue in QUICK and wanted[queue] > 1


def _name(queue: str) -> str:
    return "housekeeping" if queue == "default" else queue.replace("_", "-")


def _worker(slot: str, queue: str, *, reserved: bool = False) -> Program:
    threads = ("--threads", str(THREADS[queue])) if queue in THREADS else ()
    # Together with the quick ones' the slow ones' jobs may outnumber the cores, since the kernel
    # gives those what they need first.
    return _managed(
        slot,
        *("worker", queue, *threads),
        environment={"WORKER_SLOT": slot, **WORKER}
        | ({"RESERVED_SLOT": "yes"} if reserved else {}),
        nice=NICE.get(queue, 0),
        queue=queue,
    )


def supervisor_config(
    programs: Iterable[Program], *, directory: Path, logs: Path, pid_file: Path, console: bool
) -> str:
    """The text of a supervisord.conf that runs `programs` in `directory`.

    console : the programs' output goes to supervisord's own instead of files below `logs`

    The kernel ends every program when supervisord is killed, and their children
    (core.process.parent_death_signal). The stop signal goes to a program's first process alone:
    granian passes it on itself, and a second one would end it at once.
    """
    programs = list(programs)
    main = {
        "nodaemon": "true",
        "silent": str(not console).lower(),
        "logfile": "/dev/null" if console else logs / "supervisord.log",
        "logfile_maxbytes": 0 if console else "10MB",
        "logfile_backups": 3,
        "pidfile": pid_file,
        "directory": directory,
    }
    if os.geteuid() == 0:
        main["user"] = "root"  # said outright, or supervisord warns at every start
    sections = {"supervisord": main}
    for program in programs:
        output = Path("/dev/fd/1") if console else program.output
        sections[f"program:{program.name}"] = {
            "command": shlex.join(_started(program)),
            "environment": ",".join(
                f'{name}="{value}"'
                for name, value in {**program.environment, NAME: program.name}.items()
            ),
            "autorestart": "unexpected" if program.once else "true",
            "startsecs": 0 if program.once else 1,
            "startretries": 1_000_000_000,
            "stopwaitsecs": program.stop_timeout,
            "killasgroup": "true",
            "redirect_stderr": "true",
            "stdout_logfile": output or logs / f"{program.name}.log",
            "stdout_logfile_maxbytes": 0 if output else "10MB",
            "stdout_logfile_backups": 3,
        }
    # A group ends at once and as a whole, the group of the highest priority first.
    for number, group in ((1, "last"), (2, "first")):
        names = [program.name for program in programs if program.last == (group == "last")]
        if names:
            sections[f"group:{group}"] = {"programs": ",".join(names), "priority": number}
    return "\n".join(
        "\n".join([f"[{title}]", *(_line(*item) for item in section.items()), ""])
        for title, section in sections.items()
    )


def _started(program: Program) -> list[str]:
    """The words that start a program; one that is forked is what these would make of it."""
    tied = ["setpriv", "--pdeathsig", program.orphaned.name.removeprefix("SIG")]
    return [*tied, *(["nice", "-n", str(program.nice)] if program.nice else []), *program.command]


def _line(name: str, value: object) -> str:
    return f"{name} = {value}".replace("%", "%%")
