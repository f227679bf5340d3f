"""Persistent state of the agent: token, printers, unsent reports, files to delete."""

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_network
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from agent.sockets import SHOP, Network
from machines.drivers import Rejected


class Machine(NamedTuple):
    """A machine of the shop.

    printer       : URI of the platform's printer that it is
    address, key  : where its host is, and what opens it
    nozzle, bed   : the hottest that its files may ask for, degrees C
    camera        : URL of snapshots that the shop has named; empty: as the host names it
    certificates  : of a host without a public one, as `CertificatePins.text`
    """

    printer: str
    driver: str
    address: str
    key: str
    nozzle: float = 300.0
    bed: float = 120.0
    camera: str = ""
    certificates: str = ""


class Spoolman(NamedTuple):
    """Where a shop's Spoolman is, and whether what the platform knows is written into it."""

    address: str
    writes: bool = True


class StateDir:
    """A folder that only its user reads.

    Secrets lie in it as they are: whatever could decrypt them would have to lie beside them.
    """

    def __init__(self, path: Path):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path = path
        self._file = path / "agent.json"
        self.stale_files = StaleFiles(path / "leavings.json")

    def read(self) -> dict[str, Any]:
        """All that is kept; empty before the agent was paired."""
        found: dict[str, Any] = json.loads(self._file.read_text()) if self._file.exists() else {}
        return found

    def change(self, **values: Any) -> None:
        """Keep these values beside the others."""
        _replace(self._file, json.dumps(self.read() | values, indent=1))

    @property
    def machines(self) -> list[Machine]:
        """The machines of the shop."""
        return [Machine(**row) for row in self.read().get("machines", [])]

    @property
    def spoolman(self) -> Spoolman | None:
        """The shop's Spoolman, if it has one."""
        named = self.read().get("spoolman")
        return Spoolman(**named) if named else None

    @property
    def networks(self) -> tuple[Network, ...]:
        """Where machines may stand."""
        named = self.read().get("networks")
        return SHOP if named is None else tuple(ip_network(one) for one in named)

    @property
    def session(self) -> str:
        """Where this agent runs: the same after a restart, another for a copy elsewhere."""
        computer = Path("/etc/machine-id")
        known = computer.read_text().strip() if computer.exists() else ""
        place = f"{known} {os.uname().nodename} {self.path.resolve()} {self.read().get('token')}"
        return hashlib.sha256(place.encode()).hexdigest()[:32]

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep another agent from working in this folder. Raises Refused where one does."""
        with _private(self.path / "lock", 0) as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise Rejected(f"An agent works in {self.path} already.") from error
            yield

    def add(self, machine: Machine) -> None:
        """Keep a machine; one that was known for the same printer goes."""
        others = [one for one in self.machines if one.printer != machine.printer]
        self.change(machines=[one._asdict() for one in (*others, machine)])

    @contextmanager
    def room(self, name: str) -> Iterator[Path]:
        """A file that is gone afterwards."""
        path = self.path / f"sending-{name}"
        try:
            yield path
        finally:
            path.unlink(missing_ok=True)


class Journal:
    """Reports, a line each, until the platform has taken them: they survive kill -9."""

    def __init__(self, path: Path):
        self._path, self._lock = path, Lock()
        lines = path.read_text().splitlines() if path.exists() else []
        self._rows = [row for line in lines if (row := _parsed(line))]
        self.taken(0)  # so that the next line begins one

    def add(self, **report: Any) -> None:
        """Keep a report of this moment."""
        row = {**report, "at": time.time()}
        with self._lock:
            with _private(self._path, os.O_APPEND) as file:
                file.write(json.dumps(row) + "\n")
                file.flush()
                os.fsync(file.fileno())
            self._rows.append(row)

    def waiting(self, limit: int) -> list[dict[str, Any]]:
        """The oldest reports."""
        with self._lock:
            return self._rows[:limit]

    def taken(self, count: int) -> None:
        """The oldest so many have come through."""
        with self._lock:
            self._rows = self._rows[count:]
            _replace(self._path, "".join(json.dumps(row) + "\n" for row in self._rows))

    def names(self) -> set[str]:
        """What is still to be reported on."""
        with self._lock:
            return {row["name"] for row in self._rows}


class StaleFiles:
    """Files of prints that are over, until their machines have none: they survive kill -9.

    Whoever is killed between an end and the deleting of its file would else leave it there.
    """

    def __init__(self, path: Path):
        self._path, self._lock = path, Lock()
        self._kept: dict[str, list[str]] = json.loads(path.read_text()) if path.exists() else {}

    def of(self, printer: str) -> list[str]:
        """What may lie on a machine yet."""
        with self._lock:
            return list(self._kept.get(printer, ()))

    def add(self, printer: str, name: str) -> None:
        """Keep a name, before its end is reported."""
        with self._lock:
            self._kept.setdefault(printer, []).append(name)
            _replace(self._path, json.dumps(self._kept))

    def gone(self, printer: str, name: str) -> None:
        """It is deleted."""
        with self._lock:
            names = [one for one in self._kept.get(printer, ()) if one != name]
            if names != self._kept.get(printer, []):
                self._kept[printer] = names
                _replace(self._path, json.dumps(self._kept))


def _parsed(line: str) -> dict[str, Any] | None:
    """A report; None where the line broke off."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) and "name" in found else None


def _replace(path: Path, text: str) -> None:
    """Write a file anew, all of it or nothing."""
    made = path.with_suffix(".new")
    with _private(made, os.O_TRUNC) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(made, path)


def _private(path: Path, how: int) -> Any:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | how, 0o600), "w")
