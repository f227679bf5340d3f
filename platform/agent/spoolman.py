"""Spoolman sync: remaining filament in both directions.

Its API is that of Spoolman 0.20 and later: https://donkie.github.io/Spoolman/.
"""

import json
import logging
import time

from agent.http_client import HttpClient
from agent.platform_client import PlatformClient
from machines.drivers import NoAnswer, NotSent, Rejected

EVERY = 30.0  # s between two looks
MAX_AMOUNT = 1e6  # g on a spool

logger = logging.getLogger("agent")


class Spools:
    """The spools of the shop's Spoolman that lots of the platform name."""

    def __init__(self, http: HttpClient, platform: PlatformClient, *, writes: bool = True):
        self._http, self._platform, self._writes = http, platform, writes
        self._named: list[int] = []

    def run(self) -> None:
        """Compare until the process ends."""
        while True:
            try:
                self.turn()
            except (NotSent, NoAnswer, Rejected) as error:
                logger.warning("Spoolman sync failed: %s", error)
            time.sleep(EVERY)

    def turn(self) -> None:
        """Tell what is left on each spool, and write what the platform knows better.

        Raises Fault, Lost or Refused; the next turn goes on from what was reported or written.
        """
        amounts = {spool: self.left(spool) for spool in self._named}
        answer = self._platform.spools(amounts, writes=self._writes)
        self._named = list(answer)
        for spool, left in answer.items():
            if left is not None and self._writes:
                self._write(spool, left)

    def left(self, spool: int) -> float | None:
        """What is left on a spool, g; None where Spoolman does not know. Raises Fault, Lost."""
        answer = self._http.ask("GET", f"/api/v1/spool/{spool}")
        if answer.status == 404:
            logger.warning("Spoolman has no spool %s.", spool)
            return None
        if answer.status != 200:
            raise NoAnswer(f"Spoolman answers with {answer.status}.")
        found = answer.json().get("remaining_weight")
        known = isinstance(found, int | float) and abs(found) < MAX_AMOUNT
        return max(float(found or 0), 0.0) if known else None

    def _write(self, spool: int, left: float) -> None:
        body = json.dumps({"remaining_weight": left}).encode()
        kind = {"Content-Type": "application/json"}
        answer = self._http.ask("PATCH", f"/api/v1/spool/{spool}", body=body, headers=kind)
        if answer.status != 200:
            logger.warning("Spoolman does not write spool %s: %s.", spool, answer.status)
