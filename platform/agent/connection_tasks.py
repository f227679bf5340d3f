"""Connection tests and searches that the platform orders, and their reports."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from agent.connection_test import Host, StepReport, TestFailed, check, shown_address
from agent.connections import DRIVERS, client_of, driver_of, tested_machine
from agent.discovery import DiscoveredHost, HostFinder
from agent.platform_client import ConnectionOrder, SearchOrder
from agent.state import Machine, StateDir
from machines.connections import StepResult, TestProblem, TestStep, parse_addresses
from machines.drivers import NoAnswer, NotSent, Rejected

REPORT_EVERY = 30.0  # s between two reports of the same hosts
MAX_TEXT = 500  # characters of a step
MAX_ORDERS = 200  # whose results are remembered

Report: TypeAlias = dict[str, Any]  # JSON of an exchange

logger = logging.getLogger("agent")


class ConnectionTasks:
    """Runs each ordered test and search once, in a thread, and keeps its report.

    attach : drives a machine whose test passed
    wake   : has the platform hear of a report at once
    """

    def __init__(
        self,
        folder: StateDir,
        finder: HostFinder,
        attach: Callable[[Machine], None],
        wake: Callable[[], None],
    ):
        self._folder, self._finder, self._attach, self._wake = folder, finder, attach, wake
        self._lock = threading.Lock()
        self._tests: dict[str, Report] = {}  # reports by the id of their test
        self._unsent: set[str] = set()
        self._searches: dict[str, str] = {}  # states of searches by their id
        self._sent: tuple[list[tuple[object, ...]], float] = ([], 0.0)  # hosts, and when

    # ---------------------------------------------------------------- exchange

    def report(self) -> Report:
        """Return what an exchange has to report: hosts where they are news, tests, searches."""
        hosts, now = self._finder.hosts(), time.monotonic()
        with self._lock:
            report: Report = {}
            same, at = self._sent
            if not at or same != [row[:-1] for row in hosts] or now - at > REPORT_EVERY:
                report["hosts"] = [_shown(row, now) for row in hosts]
            if rows := [dict(self._tests[each]) for each in sorted(self._unsent)]:
                report["tests"] = [{**row, "steps": list(row["steps"])} for row in rows]
            if self._searches:
                report["searches"] = [
                    {"id": key, "state": state} for key, state in self._searches.items()
                ][-10:]
        return report

    def delivered(self, report: Report) -> None:
        """Note that the platform has this report."""
        with self._lock:
            for row in report.get("tests", ()):
                if row == self._tests.get(row["id"]):
                    self._unsent.discard(row["id"])
            if "hosts" in report:
                rows: list[tuple[object, ...]] = [row[:-1] for row in self._finder.hosts()]
                self._sent = (rows if len(rows) == len(report["hosts"]) else [], time.monotonic())

    def take(self, tests: Sequence[ConnectionOrder], search: SearchOrder | None) -> None:
        """Begin what was not begun."""
        for order in tests:
            with self._lock:
                if order.id in self._tests:
                    self._unsent.add(order.id)  # it was lost on the way
                    continue
                self._tests[order.id] = {"id": order.id, "state": "running", "steps": []}
                self._tests = dict(list(self._tests.items())[-MAX_ORDERS:])
                self._unsent = {order.id, *self._unsent} & self._tests.keys()
            self._begin(partial(self._test, order))
        if search and search.id not in self._searches:
            self._searches = dict([*self._searches.items(), (search.id, "running")][-10:])
            self._begin(partial(self._search, search))

    def _begin(self, task: Callable[[], None]) -> None:
        threading.Thread(target=task, daemon=True).start()
        self._wake()

    # ---------------------------------------------------------------- tasks

    def _search(self, order: SearchOrder) -> None:
        try:
            self._finder.search(parse_addresses(order.addresses))
            state = "done"
        except ValueError as error:
            logger.warning("No search: %s", error)
            state = "failed"
        except Exception:
            logger.exception("Search failed")
            state = "failed"
        self._searches[order.id] = state
        self._wake()

    def _test(self, order: ConnectionOrder) -> None:
        try:
            host = self._tested(order).title
        except TestFailed as error:
            self._add(order.id, error.report)
            self._end(order.id, "failed")
        except Exception as error:  # a driver met an answer that it has no code for
            logger.exception("Connection test failed")
            text = f"The agent failed: {type(error).__name__}. Its log has the reason."
            row = StepReport(TestStep.PRINTER, StepResult.FAILED, text, TestProblem.AGENT_FAILED)
            self._add(order.id, row)
            self._end(order.id, "failed")
        else:
            self._end(order.id, "passed", host=host)

    def _tested(self, order: ConnectionOrder) -> Host:
        stored = next((row for row in self._folder.machines if row.printer == order.printer), None)
        machine = _machine(order, stored)
        try:
            client, driver = client_of(machine, self._folder), driver_of(machine, self._folder)
            host = check(
                machine.driver,
                client,
                driver,
                self._folder.path,
                lambda row: self._add(order.id, row),
            )
        except TestFailed:
            raise
        except (NotSent, NoAnswer, Rejected, ValueError) as error:
            step, problem = TestStep.REACH, TestProblem.NOT_REACHABLE
            raise TestFailed(step, problem, str(error)) from error
        machine = tested_machine(machine, driver)
        if machine != stored:
            self._folder.add(machine)
            self._attach(machine)
        return host

    def _add(self, test: str, row: StepReport) -> None:
        step = {
            "step": row.step.value,
            "result": row.result.value,
            "text": row.text[:MAX_TEXT],
            "problem": row.problem.value if row.problem else None,
        }
        with self._lock:
            if test in self._tests:
                self._tests[test]["steps"].append(step)
                self._unsent.add(test)
        self._wake()

    def _end(self, test: str, state: str, *, host: str = "") -> None:
        with self._lock:
            if test in self._tests:
                self._tests[test] |= {"state": state, "host": host}
                self._unsent.add(test)
        self._wake()


def _machine(order: ConnectionOrder, stored: Machine | None) -> Machine:
    """Return the machine to test. Raises TestFailed where its key is not known.

    A stored key is sent to the address for which a person typed it, and nowhere else.
    """
    if order.driver not in DRIVERS:
        text = f"This agent has no driver {order.driver[:20]}: update it."
        raise TestFailed(TestStep.KIND, TestProblem.OUTDATED, text)
    is_stored = stored is not None and (stored.driver, shown_address(stored.address)) == (
        order.driver,
        shown_address(order.address),
    )
    if order.key is None and stored is not None and is_stored:
        return stored
    if order.key is None:
        text = "The agent has no key for this address: enter it."
        raise TestFailed(TestStep.KEY, TestProblem.KEY_MISSING, text)
    limits = (stored.nozzle, stored.bed, stored.camera) if stored else ()
    return Machine(order.printer, order.driver, order.address, order.key.strip(), *limits)


def _shown(row: DiscoveredHost, now: float) -> Report:
    return {
        "driver": row.driver,
        "host": row.title,
        "name": row.name,
        "address": row.address,
        "discovered_by": row.discovered_by.value,
        "ago": max(now - row.at, 0.0),
    }
