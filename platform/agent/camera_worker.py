"""Thread of a machine's camera: pictures while people watch, at pauses and ends, for timelapses."""

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
RELEASE_AFTER = 15.0  # s without a picture, after which the camera is released
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

    take    : returns a picture, None without a camera
    release : is called once after the last picture, such as to switch a video off
    """

    def __init__(
        self,
        printer: str,
        take: Callable[[], bytes | None],
        platform: PlatformClient,
        release: Callable[[], None] = lambda: None,
    ):
        self._printer, self._take, self._platform = printer, take, platform
        self._release, self._taken_at = release, 0.0
        self._is_reserved = False
        self._moments: deque[Moment] = deque(maxlen=MAX_WAITING)
        self._waiting: deque[tuple[Moment, bytes]] = deque(maxlen=MAX_WAITING)
        self._wake = threading.Event()
        self._rests: dict[str, tuple[float, str]] = {}  # by kind: until when, after which failure
        self._problem = ""
        self.is_watched = False  # whether a person looks at the printer at the platform
        self.frames: tuple[str, float] | None = None  # attempt of a timelapse, s between pictures
        self._frame_at = 0.0

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
        self._release_unused(0.0)

    def turn(self) -> None:
        """Take and send the pictures that are wanted now.

        A kind of pictures that the platform does not take delays no other kind.
        """
        kinds = (self._take_moments, self._send_moments, self._send_frame, self._send_live)
        problems = [self._attempt(send) for send in kinds]
        self._report(next(filter(None, problems), ""))
        self._release_unused(RELEASE_AFTER)

    def _attempt(self, send: Callable[[], None]) -> str:
        """Send pictures of a kind, unless it rests after a failure; return what failed."""
        rested = self._rests.get(send.__name__)
        if rested and time.monotonic() < rested[0]:
            return rested[1]
        try:
            send()
        except Rejected as error:
            return str(error)
        except (NotSent, NoAnswer) as error:
            self._rests[send.__name__] = time.monotonic() + BACK_OFF, str(error)
            return str(error)
        self._rests.pop(send.__name__, None)
        return ""

    def _take_moments(self) -> None:
        while self._moments:
            moment = self._moments.popleft()
            if picture := self._picture():
                self._waiting.append((moment, picture))

    def _send_moments(self) -> None:
        while self._waiting:
            (name, state, at), picture = self._waiting[0]
            ago = time.monotonic() - at
            if ago < MAX_AGE:
                try:
                    self._platform.send_picture(self._printer, picture, ago, (name, state.value))
                except Rejected as error:
                    self._report(str(error))
            self._waiting.popleft()

    def _send_frame(self) -> None:
        if self.frames is not None and time.monotonic() >= self._frame_at:
            name, interval = self.frames
            self._frame_at = time.monotonic() + interval
            if frame := self._picture():
                moment = (name, AttemptState.PRINTING.value)
                self._platform.send_picture(self._printer, frame, 0.0, moment)

    def _send_live(self) -> None:
        if self.is_watched and (seen := self._picture()):
            self._platform.send_picture(self._printer, seen, 0.0)

    def _release_unused(self, seconds: float) -> None:
        """Release the camera, if no picture has been taken for so many seconds."""
        if self._is_reserved and time.monotonic() - self._taken_at >= seconds:
            self._is_reserved = False
            self._release()

    def _picture(self) -> bytes | None:
        self._is_reserved, self._taken_at = True, time.monotonic()
        picture = self._take()
        return None if picture is None else reduced(picture)

    def _report(self, problem: str) -> None:
        """Log a problem once, as long as it stays."""
        if problem and problem != self._problem:
            logger.info("Camera of %s: %s", self._printer, problem)
        self._problem = problem
