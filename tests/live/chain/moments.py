"""When builds were packed, sliced and printed, as the database shows it; for figures alone."""

import threading
import time
from contextlib import suppress

import psycopg

from tests.live.processes import Platform

INTERVAL = 0.2  # s between two looks
STATES = """
    SELECT run.name, run.status, coalesce(run.slicing, ''), coalesce(attempt.status, ''),
           coalesce(printer.name, '')
    FROM erp_run run LEFT JOIN erp_attempt attempt ON attempt.run_id = run.uuid
    LEFT JOIN erp_printer printer ON printer.uuid = attempt.printer_id ORDER BY run.created
"""


class Moments:
    """The first time of each state of each build."""

    def __init__(self, platform: Platform):
        self.seen: dict[tuple[str, str], float] = {}  # build and what happened: time
        self._platform, self._stop = platform, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def add(self, subject: str, what: str, at: float | None = None) -> None:
        self.seen.setdefault((subject, what), at or time.time())

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()

    def starts(self) -> list[float]:
        """When prints began, the first ones first."""
        return sorted(at for (_, what), at in self.seen.items() if what.startswith("printing"))

    def table(self, zero: float) -> str:
        """A row for each moment, with its time after `zero` in seconds."""
        rows = sorted(self.seen.items(), key=lambda row: row[1])
        return "\n".join(f"{at - zero:8.1f} s  {name}: {what}" for (name, what), at in rows)

    def _watch(self) -> None:
        while not self._stop.wait(INTERVAL):
            with suppress(psycopg.Error):
                for name, status, slicing, attempt, printer in self._platform.ask(STATES):
                    self._note(f"build {name}", status, slicing)
                    if attempt in ("printing", "done"):
                        self.add(f"build {name}", f"{attempt} on {printer}")

    def _note(self, build: str, status: str, slicing: str) -> None:
        if status == "created":
            self.add(build, "planned")
        if slicing:
            self.add(build, "packed")
        if slicing == "processed":
            self.add(build, "sliced")
