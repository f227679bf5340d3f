"""Worker for engine jobs: takes one at a time, reports its progress, and its end."""

import logging
import threading
import time
from collections.abc import Mapping

from agent.engine_orders import EngineJob, InvalidJob, engine_job
from agent.engine_results import remove
from agent.engine_run import EngineRun
from agent.engine_sandbox import LOG_BYTES, EngineSandbox, best_sandbox
from agent.engines import Engine, detect_engine, jobs_folder, stored_engines
from agent.platform_client import EngineReport, PlatformClient
from agent.state import StateDir
from machines.drivers import NoAnswer, NotSent, Rejected

MIN_REPORT_SECONDS, MAX_REPORT_SECONDS = 2.0, 8.0
RETRY_SECONDS, END_TRIES = 10.0, 60
logger = logging.getLogger("agent")


class EngineWorker:
    """Runs the engine jobs of an agent, one after the other.

    pause : s until a request without an answer is tried again
    """

    def __init__(
        self,
        folder: StateDir,
        platform: PlatformClient,
        *,
        sandbox: EngineSandbox | None = None,
        pause: float = RETRY_SECONDS,
        report_seconds: float = MIN_REPORT_SECONDS,
    ):
        self._folder, self._platform, self._sandbox = folder, platform, sandbox
        self._pause, self._report_seconds = pause, report_seconds
        self._engines: dict[str, Engine] = {}
        self._wake = threading.Event()

    @property
    def has_engines(self) -> bool:
        """Whether the owner has named a slicer."""
        return bool(stored_engines(self._folder))

    @property
    def report(self) -> list[EngineReport]:
        """The slicers that work; empty until each has been run for its version."""
        isolation = self._sandbox.isolation if self._sandbox else ""
        return [
            EngineReport(program=engine.kind, version=engine.version, isolation=isolation)
            for engine in self._engines.values()
        ]

    def notify(self, jobs: int) -> None:
        """Have jobs taken, if any wait."""
        if jobs > 0:
            self._wake.set()

    def run(self) -> None:
        """Work until the process ends."""
        try:
            self.prepare()
        except Exception:
            logger.exception("Slicers cannot be run")
            return
        while True:
            self._wake.wait()
            self._wake.clear()
            try:
                while self.turn():
                    pass
            except (NotSent, NoAnswer, Rejected) as error:
                logger.warning("Engine job cannot be taken: %s", error)
            except Exception:
                logger.exception("Engine loop failed")

    def prepare(self) -> None:
        """Delete what a killed agent has left, and run each program for its version."""
        remove(jobs_folder(self._folder))
        self._sandbox = self._sandbox or best_sandbox(jobs_folder(self._folder))
        for engine in stored_engines(self._folder):
            try:
                current = detect_engine(engine.program, engine.kind, self._sandbox)
            except (ValueError, Rejected) as error:
                logger.warning("Slicer cannot be run: %s", error)
            else:
                self._engines = {**self._engines, engine.kind: current}

    def turn(self) -> bool:
        """Take a job and run it; return whether there was one."""
        programs = list(self._engines)
        row = self._platform.take_engine_job(programs) if programs else None
        if row is None:
            return False
        try:
            job = engine_job(row, programs)
        except InvalidJob as error:
            logger.warning("Engine job %s was rejected: %s", error.id, error)
            end = state("failed", log=str(error), reason="not-started")
            self._finish(error.id, end)
        else:
            self._work(job)
        return True

    def _work(self, job: EngineJob) -> None:
        engine = self._engines[job.program]
        if self._sandbox is None:
            raise RuntimeError("The worker was not prepared.")
        run = EngineRun(job, engine, self._sandbox, self._platform, pause=self._pause)
        threading.Thread(target=run.run, daemon=True).start()
        self._follow(job, run, engine.version)
        run.ended.wait()
        result = run.result
        if result is None or run.stop.is_set():
            logger.info("Engine job %s is not wanted", job.id)
            return
        logger.info("Engine job %s ended: %s", job.id, result.reason or "done")
        self._finish(
            job.id,
            state(
                "failed" if result.reason else "done",
                progress=run.progress if result.reason else 1.0,
                log=result.log,
                seconds=run.seconds,
                version=engine.version,
                reason=result.reason,
            ),
        )

    def _follow(self, job: EngineJob, run: EngineRun, version: str) -> None:
        """Report the progress of a job until it ends, and stop it where it is not wanted."""
        reported, last_at = ("", -1.0), -MAX_REPORT_SECONDS
        while not run.ended.wait(self._report_seconds):
            now, current = time.monotonic(), (run.stage, run.progress)
            if current == reported and now - last_at < MAX_REPORT_SECONDS:
                continue
            report = state(
                "running",
                progress=run.progress,
                stage=run.stage,
                seconds=run.seconds,
                version=version,
            )
            reported, last_at = current, now
            try:
                wanted = self._platform.report_engine_job(job.id, report)
            except (NotSent, NoAnswer) as error:
                logger.info("Progress of engine job %s was not reported: %s", job.id, error)
            except Rejected as error:
                logger.info("Engine job %s: %s", job.id, error)
                run.stop.set()
            else:
                if not wanted:
                    run.stop.set()
            if run.stop.is_set():
                return

    def _finish(self, job: str, report: Mapping[str, object]) -> None:
        """Report the end of a job, again and again where there is no answer."""
        for left in reversed(range(END_TRIES)):
            try:
                self._platform.report_engine_job(job, report)
            except Rejected as error:
                logger.info("Engine job %s: %s", job, error)
            except (NotSent, NoAnswer) as error:
                logger.warning("End of engine job %s was not reported: %s", job, error)
                if left:
                    time.sleep(self._pause)
                    continue
            return


def state(
    name: str,
    *,
    progress: float = 0.0,
    stage: str = "",
    log: str = "",
    seconds: float = 0.0,
    version: str = "",
    reason: str = "",
) -> dict[str, object]:
    """Return the body of a report; `reason` is sent with a failed job alone."""
    body: dict[str, object] = {
        "state": name,
        "progress": progress,
        "stage": stage,
        "log": log.encode()[-LOG_BYTES:].decode(errors="ignore"),
        "seconds": round(seconds, 3),
        "version": version,
    }
    return {**body, "reason": reason} if reason else body
