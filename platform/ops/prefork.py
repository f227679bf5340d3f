"""supervisord with preloading: programs are forked from a process that has imported the platform.

Whatever runs a command of manage.py needs the same second of imports: here it is spent once, and
what was imported lies in memory once. All else is as where a program is started by its command: its
supervision, environment, logs, signals, niceness, and that it ends with the supervisor.

What is forked is as clean as what is started: this process has no threads, no connection to the
database and no open files of its own; what needs some is done `apart`.
"""

import atexit
import gc
import importlib
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings
from django.core.management import CommandError, execute_from_command_line
from django.db import connections
from django.utils.module_loading import autodiscover_modules
from setproctitle import setproctitle
from supervisor.options import ServerOptions
from supervisor.states import SupervisorStates
from supervisor.supervisord import go

from core.process.parent_death_signal import end_with_parent
from ops.programs import NAME, Program

# Read anew by each program: they depend on its environment.
OWN_SETTINGS = ("STATEMENT_TIMEOUT", "LOCK_TIMEOUT", "DATABASE_BOUNDS", "DATABASES")


def run_forked(do: Callable[[], None], title: str, *, meanwhile: Callable[[], None]) -> None:
    """Do something in a process of its own, so that no thread or connection of it stays here.

    meanwhile : what is done here until that has ended

    Ends this process, too, where that fails; it has said why.
    """
    _flush()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        end_with_parent(parent=parent)
        setproctitle(title)
        _end_after(do)
    meanwhile()
    _, status = os.waitpid(child, 0)
    if code := os.waitstatus_to_exitcode(status):
        sys.exit(code if code > 0 else 1)


def load() -> None:
    """Import what the programs do."""
    autodiscover_modules("actors")
    # Compiled loops, too, and with them numba: not in each worker before its first gcode.
    importlib.import_module("gcode.word_kernels")
    importlib.import_module("gcode.container_kernels")


def supervise(config: Path, programs: Iterable[Program]) -> None:
    """Go on as supervisord, until it is stopped."""
    if threading.active_count() > 1:
        raise RuntimeError("What is forked beside threads may wait for them for ever.")
    gc.freeze()  # what lies here is looked at by no collector, and so stays shared
    mood, first = SupervisorStates.RESTARTING, True
    while mood >= SupervisorStates.RESTARTING:  # as supervisord does at a hang-up
        options = Forking(programs)
        options.realize(["-n", "-c", str(config)])
        options.first, options.test = first, False
        go(options)
        options.close_httpservers()
        options.close_logger()
        mood, first = options.mood, False


class Forking(ServerOptions):  # type: ignore[misc]  # not typed
    """What supervisord asks of the system, but that commands of manage.py are not executed.

    The environment of this process stays as it was given: by it a title's place is found, and what
    `doctor` reads of it is the platform's.
    """

    def __init__(self, programs: Iterable[Program]):
        super().__init__()
        self._here = os.getpid()
        self._forked = {program.name: program for program in programs if program.manage}

    def fork(self) -> int:
        """Fork; the child has the handlers of a new process, and misses no signal before that.

        An interrupt, which a terminal sends to all processes, ends it without a traceback.
        """
        _flush()
        masked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        child = os.fork()
        if child == 0:
            for number in _HANDLED:
                signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, masked)
        return child

    def execve(self, filename: str, argv: list[str], env: dict[str, str]) -> None:
        """Become the program, in the child."""
        paths = [str(settings.BASE_DIR), str(settings.BASE_DIR / "platform")]
        env["PYTHONPATH"] = os.pathsep.join([*paths, env.get("PYTHONPATH", "")])
        if env.get("STATEMENT_TIMEOUT") == "0":
            del env["STATEMENT_TIMEOUT"]  # manage.py's own; each process has its default
        program = self._forked.get(env[NAME])
        if program is None:
            return super().execve(filename, argv, env)
        end_with_parent(program.orphaned, parent=self._here)
        os.nice(program.nice)
        words = ["manage.py", *program.manage]
        setproctitle(f"{program.name}: {' '.join(words)}")
        os.environ.clear()
        os.environ.update(env)
        sys.argv = words
        _end_after(lambda: _manage(words))


_HANDLED = (
    *(signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGUSR2),
    signal.SIGCHLD,
)  # by supervisord


def _manage(words: list[str]) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.setdefault("STATEMENT_TIMEOUT", "0")  # as manage.py does
    fresh: Any = importlib.reload(sys.modules["project.settings"])
    for name in OWN_SETTINGS:
        setattr(settings, name, getattr(fresh, name))
    for connection in connections.all(initialized_only=True):  # none is open
        del connections[connection.alias]
    connections.databases.clear()
    connections.databases.update(connections.configure_settings(settings.DATABASES))
    execute_from_command_line(words)


def _end_after(do: Callable[[], None]) -> NoReturn:
    """End this process, as the interpreter would, with what `do` comes to."""
    code: Any = 0
    try:
        do()
    except CommandError as error:
        code = f"{type(error).__name__}: {error}"
    except SystemExit as end:
        code = end.code
    except KeyboardInterrupt:
        code = 128 + signal.SIGINT
    except BaseException:
        traceback.print_exc()
        code = 1
    if isinstance(code, str):
        print(code, file=sys.stderr)  # noqa: T201  as the interpreter does
        code = 1
    atexit._run_exitfuncs()
    _flush()
    os._exit(code or 0)


def _flush() -> None:
    sys.stdout.flush()
    sys.stderr.flush()
