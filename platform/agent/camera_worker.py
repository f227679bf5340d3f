"""Thread of a machine's camera: pictures while people watch, at pauses and at the end of prints."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from agent.camera import reduced
from agent.platform_client import PlatformClient
from machines.drivers import NoAnswer, NotSent, Rejected
from machines.states import PRINTED, AttemptState

EVERY = 2.0  # s between two pictures
BACK_OFF = 6.0  # s after a picture that the platform did not take
MAX_WAITING, MAX_AGE = 10, 3600.0  # pictures of attempts that wait for the platform; s
PICTURED = (AttemptState.PAUSED, AttemptState.UNCLEAR, *PRINTED)
logger = logging.getLogger("agent")


class Moment(NamedTuple):
    """A pause or an end of an attempt; at: s, by a clock that never jumps."""

    name: str
    state: AttemptState
    at: float


class CameraWorker:
    """The camera of one machine. It has a driver of its own: looks must not wait for pictures.

    take : returns a picture, None without a camera
    """

    def __init__(self, printer: str, take: Callable[[], bytes | None], platform: PlatformClient):
        self._printer, self._take, self._platform = printer, take, platform
        self._moments: deque[Moment] = deque(maxlen=MAX_WAITING)
        self._waiting: deque[tuple[Moment, bytes]] = deque(maxlen=MAX_WAITING)
        self._wake = threading.Event()
        self._rest_until, self._problem = 0.0, ""
        self.is_watched = False  # whether a person looks at the printer at the platform

    def note(self, name: str, state: AttemptState) -> None:
        """Have a picture of this moment taken, if it is a pause or an end."""
        if state in PICTURED:
            self._moments.append(Moment(name, state, time.monotonic()))
            self._wake.set()

    def run(self, is_current: Callable[[], bool]) -> None:
        """Work until the machine is driven by another worker."""
        while is_current():
            began = time.monotonic()
            try:
                self.turn()
            except Exception:
                logger.exception("Camera loop of %s failed", self._printer)
            self._wake.wait(max(EVERY - (time.monotonic() - began), 0.1))
            self._wake.clear()

    def turn(self) -> None:
        """Take and send the pictures that are wanted now."""
        try:
            while self._moments:
                moment = self._moments.popleft()
                if picture := self._picture():
                    self._waiting.append((moment, picture))
            if time.monotonic() >= self._rest_until:
                self._send()
            self._problem = ""
        except Rejected as error:
            self._report(str(error))
        except (NotSent, NoAnswer) as error:
            self._rest_until = time.monotonic() + BACK_OFF
            self._report(str(error))

    def _send(self) -> None:
        while self._waiting:
            (name, state, at), picture = self._waiting[0]
            ago = time.monotonic() - at
            if ago < MAX_AGE:
                try:
                    self._platform.send_picture(self._printer, picture, ago, (name, state.value))
                except Rejected as error:
                    self._report(str(error))
            self._waiting.popleft()
        if self.is_watched and (seen := self._picture()):
            self._platform.send_picture(self._printer, seen, 0.0)

    def _picture(self) -> bytes | None:
        picture = self._take()
        return None if picture is None else reduced(picture)

    def _report(self, problem: str) -> None:
        """Log a problem once, as long as it stays."""
        if problem != self._problem:
            logger.info("Camera of %s: %s", self._printer, problem)
        self._problem = problem
