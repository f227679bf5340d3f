"""One engine job: its files are fetched, the slicer runs, and its G-code is sent."""

import hashlib
import logging
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from threading import Event
from typing import BinaryIO, NamedTuple

from agent.engine_kinds import KINDS, OUTPUT, JobFolder, progress_of
from agent.engine_orders import EngineJob, JobFile
from agent.engine_results import TooLarge, open_result, remove
from agent.engine_sandbox import EngineLimits, EngineSandbox, memory_limit
from agent.engines import Engine
from agent.platform_client import PlatformClient
from machines.drivers import NoAnswer, NotSent, Rejected

CHUNK = 1 << 16
TRANSFER_TRIES, TRANSFER_SECONDS, MIN_BYTES_PER_SECOND = 5, 300.0, 50_000
logger = logging.getLogger("agent")


class NotWanted(Exception):
    """The job was stopped while a file of it was sent or fetched."""


class JobFailed(Exception):
    """A job that failed: `reason` as the platform names it, and the output of the slicer."""

    def __init__(self, reason: str, log: str):
        super().__init__(log)
        self.reason, self.log = reason, log


class JobResult(NamedTuple):
    """End of a job; `reason` is empty where the platform has its G-code."""

    reason: str
    log: str


class StoppableFile:
    """A file for a download that ends once the job is not wanted."""

    def __init__(self, file: BinaryIO, stop: Event):
        self._file, self._stop = file, stop

    def write(self, data: bytes) -> int:
        """Write a piece. Raises NotWanted."""
        if self._stop.is_set():
            raise NotWanted
        return self._file.write(data)


def transfer_time(size: int) -> float:
    """Return how long a file may take, s: the lines of shops are slow."""
    return TRANSFER_SECONDS + size / MIN_BYTES_PER_SECOND


class EngineRun:
    """Runs one job in a thread; `progress`, `stage` and `seconds` are read by another one.

    pause : s until a transfer is tried again
    """

    def __init__(
        self,
        job: EngineJob,
        engine: Engine,
        sandbox: EngineSandbox,
        platform: PlatformClient,
        *,
        pause: float,
    ):
        self._job, self._engine, self._sandbox, self._platform = job, engine, sandbox, platform
        self._pause = pause
        self.stop, self.ended = Event(), Event()
        self.progress, self.stage = 0.0, "download"
        self.result: JobResult | None = None
        self._began: float | None = None
        self._seconds = 0.0

    @property
    def seconds(self) -> float:
        """How long the slicer has run, s."""
        began = self._began
        return self._seconds if began is None else time.monotonic() - began

    def run(self) -> None:
        """Run the job; `result` stays None where it was stopped."""
        folder = Path(mkdtemp(dir=self._sandbox.jobs()))
        try:
            self.result = JobResult("", self._work(folder))
        except JobFailed as error:
            self.result = JobResult(error.reason, error.log)
        except NotWanted:
            pass
        except Exception as error:
            logger.exception("Engine job %s failed", self._job.id)
            self.result = JobResult("engine-failed", f"The agent failed: {error!r}")
        finally:
            remove(folder)
            self.ended.set()

    def _work(self, folder: Path) -> str:
        """Do everything; return the output of the slicer. Raises JobFailed and NotWanted."""
        job, kind = self._job, KINDS[self._job.program]
        for file in job.files:
            self._transfer(partial(self._download, file, folder / file.name))
        (folder / OUTPUT).mkdir()
        place = JobFolder(folder, self._sandbox.place_of(folder), job.model, job.time_limit)
        try:
            arguments = kind.arguments(place)
        except Rejected as error:
            raise JobFailed("not-started", str(error)) from error
        log = self._slice(arguments, folder)
        try:
            gcode = open_result(folder, kind, job.output_limit)
        except TooLarge as error:
            raise JobFailed("output-limit", f"{log}\n{error}") from error
        except Rejected as error:
            raise JobFailed("engine-failed", f"{log}\n{error}") from error
        self.progress, self.stage = 1.0, "upload"
        with gcode:
            try:
                self._transfer(partial(self._upload, gcode))
            except JobFailed as error:
                raise JobFailed(error.reason, f"{log}\n{error.log}") from error
        return log

    def _slice(self, arguments: list[str], folder: Path) -> str:
        self.stage, self._began = "slicing", time.monotonic()
        job = self._job
        limits = EngineLimits(job.time_limit, job.output_limit, memory_limit())
        outcome = self._sandbox.run(
            Path(self._engine.program),
            arguments,
            folder,
            limits,
            on_line=self._read_progress,
            stop=self.stop,
        )
        self._seconds, self._began = outcome.seconds, None
        if self.stop.is_set():
            raise NotWanted
        if outcome.reason:
            raise JobFailed(outcome.reason, outcome.log)
        return outcome.log

    def _read_progress(self, line: str) -> None:
        # Of steps side by side an earlier one may end last.
        if (step := progress_of(line)) and step.fraction >= self.progress:
            self.progress, self.stage = step

    def _download(self, file: JobFile, path: Path) -> None:
        digest = hashlib.sha256()
        with path.open("wb") as target:
            into = StoppableFile(target, self.stop)
            self._platform.download(file.content, into, file.size, transfer_time(file.size))
        with path.open("rb") as source:
            while data := source.read(CHUNK):
                digest.update(data)
        if digest.hexdigest() != file.sha256:
            raise NoAnswer(f"{file.name} did not come as it is: its SHA-256 differs.")

    def _upload(self, gcode: BinaryIO) -> None:
        size = os.fstat(gcode.fileno()).st_size
        gcode.seek(0)
        self._platform.upload(self._job.upload, self._pieces(gcode), size, transfer_time(size))

    def _pieces(self, file: BinaryIO) -> Iterator[bytes]:
        while data := file.read(CHUNK):
            if self.stop.is_set():
                raise NotWanted
            yield data

    def _transfer(self, action: Callable[[], None]) -> None:
        """Do a transfer, again where there is no answer. Raises JobFailed and NotWanted."""
        for left in reversed(range(TRANSFER_TRIES)):
            if self.stop.is_set():
                raise NotWanted
            try:
                return action()
            except (Rejected, NotSent, NoAnswer) as error:
                if isinstance(error, Rejected) or not left:
                    raise JobFailed("file-transfer", str(error)) from error
            self.stop.wait(self._pause)
