"""Main loop of the agent: a thread per printer, one for polling, one for its event stream."""

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent.camera_worker import CameraWorker
from agent.connection_tasks import ConnectionTasks
from agent.connection_test import close_connection, identity_of, shown_address
from agent.connections import camera_of, client_of, driver_of
from agent.discovery import HostFinder
from agent.engine_jobs import EngineWorker
from agent.http_client import HttpClient
from agent.platform_client import MAX_REPORTS, MachineReport, PlatformClient
from agent.spoolman import Spools
from agent.state import Journal, Machine, Spoolman, StateDir
from machines.controller import (
    PRINTING,
    AttemptController,
    AttemptOrder,
    Cancel,
    Drop,
    Look,
    Past,
    Pause,
    Permit,
    Put,
    Resume,
    Skip,
    Start,
    Tell,
)
from machines.drivers import Driver, MachineState, MachineStatus, NoAnswer, NotSent, Rejected
from machines.states import ENDS, AttemptState

EVERY = 2.0  # s between two looks
IDENTIFY_EVERY = 3600.0  # s between two questions for the version of a host
WATCHED_EVERY = 1.0  # s between two exchanges, at least, while a person looks at a printer
PAUSE = 5.0  # s until the platform is tried again
STACK = 512 * 1024  # bytes: a thread that waits needs no more
logger = logging.getLogger("agent")


class PrinterWorker:
    """One machine: looked at again and again, and brought what is planned for it."""

    def __init__(
        self,
        machine: Machine,
        driver: Driver,
        platform: PlatformClient,
        journal: Journal,
        folder: StateDir,
        client: HttpClient | None = None,
        camera: CameraWorker | None = None,
    ):
        self.camera = camera
        self._client, self._host, self._identify_at = client, "", 0.0
        self.machine, self._driver, self._platform = machine, driver, platform
        self._journal, self._folder = journal, folder
        self._order: AttemptOrder | None = None
        self._refused = ""  # what was said of the attempt, until there is another
        self._follower = AttemptController()
        self._sight: MachineState = MachineState(MachineStatus.OFFLINE)
        self.is_watched = False  # whether a person looks at it at the platform
        self._last_report: MachineReport | None = None  # of what it is at, by the last exchange
        self._printing: MachineState | None = None  # the last look at which it printed the attempt

    @property
    def sight(self) -> MachineReport:
        """The report of the machine."""
        seen = self._sight
        text = self._refused or seen.text
        report: MachineReport = {
            "printer": self.machine.printer,
            "state": seen.doing.value,
            "job": seen.job or None,
            "progress": seen.progress,
            "text": text[:200] or None,
        }
        if seen.temperatures:  # a platform of before does not take them
            report["temperatures"] = [
                {"heater": one.heater, "actual": one.actual, "target": one.target}
                for one in seen.temperatures
            ]
        if seen.trays:
            report["trays"] = [dict(tray._asdict()) for tray in seen.trays]
        if any(value is not None for value in seen.details):
            report["details"] = dict(seen.details._asdict())
        if self._client is not None:
            report["address"] = shown_address(self.machine.address)
            if self._host:
                report["host"] = self._host
        return report

    def close(self) -> None:
        """Close the connection to the machine: another worker drives it."""
        close_connection(self._driver)

    def heard(self, sight: MachineReport) -> None:
        """The platform knows that the machine is at this."""
        self._last_report = sight

    @property
    def _is_known(self) -> bool:
        """Whether the platform knows what the machine shows: it may be somebody else's print."""
        last, now = self._last_report, self.sight
        return last is not None and (last["state"], last["job"]) == (now["state"], now["job"])

    def take(self, orders: list[AttemptOrder]) -> None:
        """What the platform says of it, unless there are words that it does not know of yet."""
        order = orders[0] if orders else None
        waiting = self._journal.names()
        if any(one is not None and one.name in waiting for one in (order, self._order)):
            return
        if order is None or self._order is None or order.name != self._order.name:
            self._refused, self._printing = "", None
        self._order = order

    def turn(self, tell: Callable[[], None]) -> None:
        """Look, and do what is next; `tell` where the platform should hear of it at once."""
        before, order = self._sight.doing, self._order
        if order is None:
            self._sight = self._driver.look()
            self._identify()
        else:
            self._follow(order, tell)
        if self.camera is not None:
            self.camera.frames = self._frames()
        self._tidy()
        if self._sight.doing is not before:
            tell()

    def _identify(self) -> None:
        """Ask for the version of the host, at its first sight and after each absence."""
        now = time.monotonic()
        if self._sight.doing is MachineStatus.OFFLINE:
            self._identify_at = now
        elif self._client is not None and now >= self._identify_at:
            self._identify_at = now + IDENTIFY_EVERY
            try:
                self._host = identity_of(self._driver, self._client).title
            except (NotSent, Rejected, NoAnswer) as error:
                logger.info("%s: version is unknown: %s", self.machine.printer, error)

    def _tidy(self) -> None:
        """Delete what an agent that was killed, or a host that was away, left of prints."""
        if self._last_report is None:  # what is open is not known yet
            return
        for name in self._folder.stale_files.of(self.machine.printer):
            if self._order is None or name != self._order.name:
                try:
                    self._drop(name)
                except (NotSent, Rejected, NoAnswer) as error:
                    logger.info("%s could not be deleted yet: %s", name, error)

    def _drop(self, name: str) -> bool:
        gone = self._driver.drop(name)
        if gone:
            self._folder.stale_files.gone(self.machine.printer, name)
        return gone

    def _follow(self, order: AttemptOrder, tell: Callable[[], None]) -> None:
        turn = self._follower.turn(order)
        try:
            call = next(turn)
            while True:
                try:
                    answer = self._carry(call, order, tell)
                except (NotSent, Rejected, NoAnswer) as error:
                    logger.warning("%s of %s: %s", type(call).__name__, order.name, error)
                    self._refused = str(error)
                    call = turn.throw(error)
                else:
                    call = turn.send(answer)
        except (StopIteration, NotSent, Rejected, NoAnswer):
            pass

    def _frames(self) -> tuple[str, float] | None:
        """Of which attempt its camera takes frames of a timelapse, and how often, s."""
        order, seen = self._order, self._sight
        if order is None or order.frame_interval is None:
            return None
        prints = seen.doing is MachineStatus.PRINTING and seen.job == order.name
        return (order.name, order.frame_interval) if prints else None

    def _carry(self, call: Any, order: AttemptOrder, tell: Callable[[], None]) -> Any:
        match call:
            case Look():
                self._sight = self._driver.look()
                if self._sight.job == order.name and self._sight.doing in PRINTING:
                    self._printing = self._sight
                return self._sight
            case Put(name):
                with self._folder.room(name) as file:
                    self._platform.fetch(name, file, self.machine)
                    self._driver.put(file, name)
            case Permit() if not self._is_known:
                tell()
                return False
            case Permit(name):
                if permitted := self._platform.permit(name):
                    self._order = order._replace(state=AttemptState.ARMED)
                return permitted
            case Start(name):
                self._driver.start(name)
            case Past(name):
                return self._driver.past(name)
            case Drop(name):
                return self._drop(name)
            case Pause():
                self._driver.pause()
            case Resume():
                self._driver.resume()
            case Cancel():
                self._driver.cancel()
            case Skip(part):
                return self._driver.skip(part)
            case Tell() if order.state is not call.state or call.skips:
                self._tell(order, call)
                tell()
        return None

    def _tell(self, order: AttemptOrder, word: Tell) -> None:
        """Keep a word that the platform does not know of yet."""
        logger.info("%s: %s %s", word.name, word.state, word.text)
        # What it took is what it had taken when it was last seen to print: after that many a
        # machine begins to count anew.
        last = self._printing
        over = word.state in ENDS or word.state is AttemptState.UNCLEAR
        if over:
            self._folder.stale_files.add(self.machine.printer, word.name)
        self._journal.add(
            name=word.name,
            status=word.state.value,
            boot=word.boot or "",
            text=word.text[:200],
            progress=last.progress if last else None,
            filament=last.filament if last else None,
            skips=[{"object": one, "how": how} for one, how in word.skips],
        )
        self._refused = ""
        if self.camera is not None and word.state is not order.state:
            self.camera.note(word.name, word.state)
        known = order._replace(
            state=word.state,
            boot=word.boot or order.boot,
            skip=() if word.skips else order.skip,
        )
        self._order = None if over else known


class AgentRunner:
    """All machines, and the line to the platform."""

    def __init__(self, folder: StateDir):
        kept = folder.read()
        if "token" not in kept:
            raise SystemExit("This agent is not paired: agent pair ADDRESS CODE.")
        self._platform = PlatformClient(kept["address"], kept["token"], session=folder.session)
        self._journal = Journal(Path(folder.path) / "reports.jsonl")
        self._wake = threading.Event()
        self._folder, self._exchanged = folder, 0.0
        self._watchers = {machine.printer: self._worker(machine) for machine in folder.machines}
        self._spoolman = folder.spoolman and spools_of(folder.spoolman, self._platform, folder)
        self._finder = HostFinder(folder.networks)
        self._tasks = ConnectionTasks(folder, self._finder, self._attach, self._wake.set)
        self._engines = EngineWorker(folder, self._platform)

    def _worker(self, machine: Machine) -> PrinterWorker:
        client = client_of(machine, self._folder)
        driver = driver_of(machine, self._folder)
        source = camera_of(machine, self._folder)
        camera = CameraWorker(machine.printer, source.take, self._platform, source.release)
        return PrinterWorker(
            machine, driver, self._platform, self._journal, self._folder, client, camera
        )

    def run(self) -> None:
        """Work until the process ends."""
        threading.stack_size(STACK)
        for number, watcher in enumerate(self._watchers.values()):
            late = EVERY * number / len(self._watchers)
            threading.Thread(target=self._watch, args=(watcher, late), daemon=True).start()
        threading.Thread(target=self._listen, daemon=True).start()
        if self._spoolman:
            threading.Thread(target=self._spoolman.run, daemon=True).start()
        if self._engines.has_engines:
            threading.Thread(target=self._engines.run, daemon=True).start()
        self._finder.start()
        while True:
            self._wake.clear()
            self._wake.wait(self._exchange())

    def _attach(self, machine: Machine) -> None:
        """Drive a machine from now on, in place of the one that its printer had."""
        worker = self._watchers[machine.printer] = self._worker(machine)
        threading.Thread(target=self._watch, args=(worker, 0.0), daemon=True).start()

    def _watch(self, watcher: PrinterWorker, late: float) -> None:
        time.sleep(late)

        def is_current() -> bool:
            return self._watchers.get(watcher.machine.printer) is watcher

        if watcher.camera is not None:
            threading.Thread(target=watcher.camera.run, args=(is_current,), daemon=True).start()
        while is_current():
            began = time.monotonic()
            try:
                watcher.turn(self._wake.set)
            except Exception:
                logger.exception("Printer loop of %s failed", watcher.machine.printer)
            if watcher.is_watched and time.monotonic() - self._exchanged > WATCHED_EVERY:
                self._wake.set()
            time.sleep(max(EVERY - (time.monotonic() - began), 0.1))
        watcher.close()

    def _exchange(self) -> float:
        reports, watchers = self._journal.waiting(MAX_REPORTS), [*self._watchers.values()]
        connections = self._tasks.report()
        try:
            sights = [watcher.sight for watcher in watchers]
            answer = self._platform.exchange(sights, reports, connections, self._engines.report)
        except (NotSent, NoAnswer, Rejected) as error:
            logger.warning("Exchange with the platform failed: %s", error)
            return PAUSE
        if reports:
            self._journal.taken(len(reports))
        self._tasks.delivered(connections)
        for watcher, sight in zip(watchers, sights, strict=True):
            watcher.take(answer.orders.get(watcher.machine.printer, []))
            watcher.heard(sight)
            watcher.is_watched = watcher.machine.printer in answer.watched
            if watcher.camera is not None:
                watcher.camera.is_watched = watcher.is_watched
        self._exchanged = time.monotonic()
        self._tasks.take(answer.tests, answer.search)
        self._engines.notify(answer.engine_jobs)
        return answer.rest

    def _listen(self) -> None:
        while True:
            try:
                self._platform.listen(self._wake.set)
            except (NotSent, NoAnswer, Rejected) as error:
                logger.info("Event stream closed: %s", error)
            time.sleep(PAUSE)


def spools_of(spoolman: Spoolman, platform: PlatformClient, folder: StateDir) -> Spools:
    """What compares a shop's Spoolman with the platform's lots."""
    return Spools(
        HttpClient(spoolman.address, {}, folder.networks), platform, writes=spoolman.writes
    )
