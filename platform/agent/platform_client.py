"""Client of the platform's agent API."""

import base64
import hashlib
import json
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, TypeAlias, TypedDict
from urllib.parse import quote, urlsplit

from agent import VERSION
from agent.http_client import ByteSink, HttpClient
from agent.state import Machine
from agent.temperature_limits import check_file
from machines.controller import AttemptOrder
from machines.drivers import NoAnswer, ObjectLabel, Rejected
from machines.states import AttemptState

TIMEOUT, DOWNLOAD_TIME, IDLE_TIMEOUT = 15.0, 600.0, 60.0  # s
LARGEST_FILE = 1 << 30  # bytes
MAX_REPORTS, MAX_TESTS = 500, 20
MIN_FRAME_INTERVAL = 2.0  # s
JsonObject: TypeAlias = dict[str, Any]  # parsed; whoever reads it checks it
# Names of files are the platform's, and become paths here and at hosts.
_NAME = re.compile(r"[a-z0-9-]{1,58}\.gcode", re.ASCII).fullmatch
# What becomes a part of a command.
_PART = re.compile(r"p_[0-9]{1,6}_[0-9a-f]{8}", re.ASCII).fullmatch
_LABEL = re.compile(r"[A-Za-z0-9_.-]{0,100}", re.ASCII).fullmatch  # of any slicer


class HeaterReport(TypedDict):
    """Temperature of a heater, degrees C."""

    heater: str
    actual: float
    target: float | None


class MachineReport(TypedDict):
    """What a machine shows; `printer` is the key of its printer."""

    printer: str
    state: str
    job: str | None
    progress: float | None
    text: str | None
    temperatures: NotRequired[list[HeaterReport]]
    details: NotRequired[dict[str, float | bool | None]]
    trays: NotRequired[list[dict[str, str | float | bool | None]]]
    address: NotRequired[str]
    host: NotRequired[str]


class EngineReport(TypedDict):
    """A slicer of the agent: its kind, its version, and the isolation in which it runs."""

    program: str
    version: str
    isolation: str


class ConnectionOrder(NamedTuple):
    """A connection test that the platform orders.

    key : of the host; None: the stored one of the printer
    """

    id: str
    printer: str
    driver: str
    address: str
    key: str | None


class SearchOrder(NamedTuple):
    """A search for hosts; `addresses` as a person wrote them."""

    id: str
    addresses: str


class ExchangeResult(NamedTuple):
    """Answer to an exchange: open attempts by printer, s until the next one, tests, search.

    watched     : printers at which people look
    engine_jobs : jobs that wait for a slicer of the agent
    """

    orders: dict[str, list[AttemptOrder]]
    rest: float
    tests: list[ConnectionOrder] = []
    search: SearchOrder | None = None
    watched: frozenset[str] = frozenset()
    engine_jobs: int = 0


class PlatformClient:
    """Requests with the agent's token. Whatever goes wrong is Fault, Refused or Lost.

    session : where the agent runs
    """

    def __init__(self, address: str, token: str | None = None, *, session: str = ""):
        self._session = session
        self._domain = _domain_of(urlsplit(address).hostname)
        self._http = HttpClient(address, {"Authorization": f"Bearer {token}"} if token else {})

    def exchange(
        self,
        sights: Sequence[MachineReport],
        reports: Sequence[Mapping[str, Any]],
        connections: Mapping[str, object] | None = None,
        engines: Sequence[EngineReport] = (),
    ) -> ExchangeResult:
        """Report machines, attempts, results of connection tests and searches, and slicers."""
        now = time.time()
        reports = [
            {**{name: row[name] for name in row if name != "at"}, "ago": max(now - row["at"], 0)}
            for row in reports
        ]
        body = {
            "version": VERSION,
            "session": self._session,
            "machines": sights,
            "reports": reports,
            **(connections or {}),
            # A platform of an earlier version refuses fields that it does not have.
            **({"engines": engines} if engines else {}),
        }
        answer = self._ask("POST", "/agent/exchange/", body)
        orders: dict[str, list[AttemptOrder]] = {}
        try:
            for one in answer["attempts"]:
                orders.setdefault(str(one["printer"]), []).append(_order(one))
            # A platform of an earlier version has no tests and no search.
            tests = [_test(row) for row in answer.get("tests") or ()]
            search = answer.get("search")
            return ExchangeResult(
                orders,
                float(answer["next_seconds"]),
                tests[:MAX_TESTS],
                SearchOrder(str(search["id"]), str(search["addresses"])) if search else None,
                frozenset(map(str, answer.get("watched") or ())),
                int(answer.get("engine_jobs") or 0),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise _senseless(error) from error

    def permit(self, name: str) -> bool:
        """Whether it may start: the platform says so once."""
        try:
            self._ask("POST", "/agent/permit/", {"name": name})
        except Rejected:
            return False
        return True

    def fetch(self, name: str, into: Path, machine: Machine) -> None:
        """The file of a planned attempt, whole, and no hotter than its machine may become."""
        content = self._ask("GET", f"/agent/content/{quote(name, safe='')}/")
        wanted = str(content.get("sha256"))
        with into.open("wb") as file:
            self.download(str(content.get("content")), file)
        with into.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != wanted:
                raise NoAnswer("The file did not come as it is.")
            file.seek(0)
            check_file(file, nozzle=machine.nozzle, bed=machine.bed)

    def download(
        self,
        url: str,
        into: ByteSink,
        limit: int = LARGEST_FILE,
        timeout: float = DOWNLOAD_TIME,
    ) -> None:
        """Read a file of the platform's domain, of at most `limit` bytes, within `timeout` s."""
        files, path = self._file_server(url)
        itself = {"Prefer": "return=representation"}  # the client follows no redirects
        answer = files.ask("GET", path, headers=itself, into=into, limit=limit, timeout=timeout)
        if answer.status != 200:
            raise Rejected(f"The file is answered with {answer.status}.")

    def upload(self, url: str, content: Iterable[bytes], size: int, timeout: float) -> None:
        """Write a file of so many bytes to the platform's domain, within `timeout` s."""
        files, path = self._file_server(url)
        headers = {"Content-Type": "application/octet-stream", "Content-Length": str(size)}
        answer = files.ask("PUT", path, body=content, headers=headers, timeout=timeout)
        if answer.status >= 500 or answer.status in (408, 429):
            raise NoAnswer(f"The upload is answered with {answer.status}.")
        if not 200 <= answer.status < 300:
            raise Rejected(f"The upload is answered with {answer.status}.")

    def _file_server(self, url: str) -> tuple[HttpClient, str]:
        """Return the server of a signed URL, and the path there. Raises Rejected."""
        try:
            place = urlsplit(url)
            if _domain_of(place.hostname) != self._domain:
                text = f"The file lies at {place.hostname}, which is not of {self._domain}."
                raise Rejected(text)
            return HttpClient(f"{place.scheme}://{place.netloc}", {}), f"{place.path}?{place.query}"
        except ValueError as error:
            raise Rejected(str(error)) from error

    def take_engine_job(self, programs: Sequence[str]) -> object:
        """Take a job for one of these kinds of slicers; None: there is none."""
        return self._ask("POST", "/agent/take-engine-job/", {"programs": programs}).get("job")

    def report_engine_job(self, job: str, report: Mapping[str, object]) -> bool:
        """Report the state of a job; return whether it is wanted."""
        path = f"/agent/engine-job/{quote(job, safe='')}/"
        return self._ask("POST", path, report).get("wanted") is not False

    def pair(self, code: str) -> JsonObject:
        """The agent whose code this is, with its token."""
        return self._ask("POST", "/agent/pair/", {"code": code})

    def send_picture(
        self, printer: str, picture: bytes, ago: float, of: tuple[str, str] | None = None
    ) -> None:
        """Send a picture of a printer's camera; `of`: name and status of an attempt."""
        body: dict[str, object] = {"content": base64.b64encode(picture).decode(), "ago": ago}
        if of is not None:
            body |= {"attempt": of[0], "status": of[1]}
        key = urlsplit(printer).path.rstrip("/").rpartition("/")[2]
        self._ask("PUT", f"/agent/camera/{quote(key, safe='')}/", body)

    def spools(self, left: dict[int, float | None], *, writes: bool) -> dict[int, float | None]:
        """Tell what is left on spools, g; the spools that lots name, and what to write of each."""
        amounts = [{"id": spool, "left": amount} for spool, amount in left.items()]
        answer = self._ask("POST", "/agent/spools/", {"spools": amounts, "writes": writes})
        try:
            return {
                int(one["id"]): None if one["left"] is None else float(one["left"])
                for one in answer["spools"]
            }
        except (KeyError, TypeError, ValueError) as error:
            raise _senseless(error) from error

    def listen(self, ring: Callable[[], None]) -> None:
        """Call `ring` for each line of the stream, until it ends or is idle for too long."""
        for _ in self._http.lines("/agent/bell/", idle_timeout=IDLE_TIMEOUT):
            ring()

    def _ask(self, method: str, path: str, body: Mapping[str, object] | None = None) -> JsonObject:
        content = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} if body is not None else {}
        answer = self._http.ask(method, path, body=content, headers=headers, timeout=TIMEOUT)
        if answer.status == 200 or answer.status == 201:
            return answer.json()
        if 300 <= answer.status < 500 and answer.status not in (408, 429):
            raise Rejected(f"The platform answers with {answer.status}: {_why(answer.body)}")
        raise NoAnswer(f"The platform answers with {answer.status}.")


def _order(entry: JsonObject) -> AttemptOrder:
    name = str(entry["name"])
    if not _NAME(name):
        raise Rejected(f"{name!r} is no name for a file.")
    wanted = entry.get("wanted")
    return AttemptOrder(
        name,
        AttemptState(entry["status"]),
        entry.get("boot") or None,
        AttemptState(wanted) if wanted else None,
        tuple(_part(one) for one in entry.get("skip", ())),
        max(float(entry["frame_interval"]), MIN_FRAME_INTERVAL)
        if entry.get("frame_interval")
        else None,
    )


def _test(row: Mapping[str, object]) -> ConnectionOrder:
    key = row.get("key")
    return ConnectionOrder(
        str(row["id"]),
        str(row["printer"]),
        str(row["driver"]),
        str(row["address"]),
        None if key is None else str(key),
    )


def _part(entry: JsonObject) -> ObjectLabel:
    name, label = str(entry["name"]), str(entry.get("label") or "")
    if not _PART(name) or not _LABEL(label):
        raise Rejected(f"{name!r} {label!r} is no name of an object.")
    return ObjectLabel(name, int(entry["number"]), str(entry["firmware"]), label)


def _senseless(error: Exception) -> NoAnswer:
    return NoAnswer(f"The platform's answer makes no sense: {error!r}.")


def _domain_of(host: str | None) -> str:
    """What the hosts of one platform share: example.com of erp.example.com; of an IP, itself."""
    host = (host or "").lower()
    return host if host.replace(".", "").isdigit() else host.partition(".")[2] or host


def _why(body: bytes) -> str:
    try:
        return " ".join(str(error["title"]) for error in json.loads(body)["errors"])[:1000]
    except (ValueError, KeyError, TypeError):
        return "it does not say why."
