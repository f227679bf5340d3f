"""Runs accepted jobs in sandboxes, a bounded number at a time."""

import logging
import threading
from collections import Counter, deque
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from apps.integrations.builtin import platform_client
from apps.integrations.builtin.catalogue import Offer
from apps.integrations.domain.protocol import Job
from core.files import blobs
from core.process import cancellation
from core.process.cancellation import Cancelled
from core.sandbox.sandbox import JobInputError, JobInternalError, Sandbox

logger = logging.getLogger(__name__)

MAX_WAITING = 500

# What providers call in other words than the kernels and the sandbox.
OTHER_WORDS = {
    "crashed": "provider-crashed",
    "too-many-triangles": "too-large",
    "no-triangles": "nothing-solid",
    "empty-file": "unreadable",
    "not-stl": "unreadable",
    "bad-facet": "unreadable",
    "bad-number": "unreadable",
}


class JobRunner:
    """Jobs that were accepted and are not done; one that comes again is not begun twice.

    Accounts take turns, and one account never has all workers where there are several.

    workers : how many are done at a time
    """

    def __init__(self, workers: int):
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="job")
        self._of_account = max(1, workers - 1)
        self._own = threading.local()  # a child ends with its thread
        self._lock = threading.Lock()
        self._at_hand: set[str] = set()
        self._waiting: dict[str, deque[tuple[Offer, Job]]] = {}  # in the order of accounts' turns
        self._running: Counter[str] = Counter()

    def accept(self, offer: Offer, job: Job) -> bool:
        """Take a job on; False where too many of its account wait already."""
        operation, account = job["operation"], job.get("account", "")
        with self._lock:
            if operation in self._at_hand:
                return True
            if len(self._at_hand) >= MAX_WAITING and not self._displace(account):
                return False
            self._at_hand.add(operation)
            self._waiting.setdefault(account, deque()).append((offer, job))
        self._threads.submit(self._work)
        return True

    def drop(self, operation: str) -> None:
        """Cancel an operation: it is not started, or stopped at once."""
        with self._lock:
            self._at_hand.discard(operation)
        cancellation.cancel(
            task for task in cancellation.running_jobs() if task.message == operation
        )

    def _displace(self, account: str) -> bool:
        """Give up the last job of the account with the largest number; False if it is this one.

        The platform sends that job again, since it hears nothing of it.
        """
        jobs = max(self._waiting.values(), key=len, default=deque())
        if len(jobs) <= len(self._waiting.get(account, ())) + 1:
            return False
        _, job = jobs.pop()
        self._at_hand.discard(job["operation"])
        return True

    def _work(self) -> None:
        """Do jobs until none may begin; those of an account at its limit begin as others end."""
        while turn := self._next():
            account, offer, job = turn
            try:
                self._do(offer, job)
            finally:
                with self._lock:
                    self._running[account] -= 1

    def _next(self) -> tuple[str, Offer, Job] | None:
        """Take the job whose turn it is; its account is last then."""
        with self._lock:
            for account in list(self._waiting):
                if self._running[account] >= self._of_account:
                    continue
                jobs = self._waiting.pop(account)
                offer, job = jobs.popleft()
                if jobs:
                    self._waiting[account] = jobs
                self._running[account] += 1
                return account, offer, job
        return None

    def _do(self, offer: Offer, job: Job) -> None:
        cancellation.register(job["operation"])
        try:
            if job["operation"] in self._at_hand:
                do(offer, job, self._sandbox(offer))
        except Cancelled:
            logger.info("Job %s cancelled", job["operation"])
        except platform_client.GivenUp as error:
            logger.warning("Job %s failed permanently: %s", job["operation"], error)
        except Exception:
            logger.exception("Job %s failed", job["operation"])
        finally:
            cancellation.unregister()
            with self._lock:
                self._at_hand.discard(job["operation"])

    def _sandbox(self, offer: Offer) -> Sandbox:
        """This thread's child for the offer's kernel."""
        sandboxes = vars(self._own).setdefault("sandboxes", {})
        if offer.type not in sandboxes:
            kernel = offer.job.partition(":")[0]
            sandboxes[offer.type] = Sandbox(kernel, "geometry.preload", limits=offer.limits)
        return sandboxes[offer.type]


def do(offer: Offer, job: Job, sandbox: Sandbox) -> None:
    """Fetch the model, run the kernel, hand in what it made or why it could not."""
    inputs, callback = job["inputs"], job["callback"]
    report = partial(platform_client.report, callback["url"], callback["method"], offer.secret)
    if offer.takes and inputs["type"] not in offer.takes:
        words = f"A model of type {inputs['type']} is not taken: run file-conversion first."
        report(status="error", outputs=_failure("UnsupportedFormat", words))
        return
    with blobs.scratch_dir() as folder:
        path, out = folder / f"in.{inputs['type']}", folder / "out"
        try:
            platform_client.fetch(inputs["content"], path)
            arguments = offer.arguments(inputs["type"], job["parameters"])
            receipt = sandbox.run(offer.job, path=path, out=out, folder=folder, **arguments)
        except JobInputError as error:
            outputs = _failure(provider_code(error.code), error.title, error.details)
            report(status="error", outputs=outputs)
            return
        except JobInternalError:
            logger.exception("%s: the kernel failed", job["operation"])
            words = "The provider stopped unexpectedly: tell the operator."
            report(status="error", outputs=_failure("ProviderCrashed", words))
            return
        except platform_client.TooBig:
            words = "The model's file is larger than any that may be uploaded."
            report(status="error", outputs=_failure("TooLarge", words))
            return
        platform_client.upload(job["upload"]["url"], job["upload"]["method"], out)
        type = offer.result(job["parameters"])
        result = {"name": _name(inputs["name"], type), "type": type}
        report(status="complete", outputs={"receipt": receipt}, result=result)


def provider_code(code: str) -> str:
    """A refusal's code as providers write it: not-mendable becomes NotMendable."""
    return OTHER_WORDS.get(code, code).title().replace("-", "")


def _failure(
    code: str, title: str, details: Mapping[str, object] | None = None
) -> dict[str, object]:
    return {"title": title[:1000], "code": code, "details": details or None}


def _name(name: str, type: str) -> str:
    """The model's name, with the ending of the result."""
    stem, dot, ending = name.rpartition(".")
    if not dot or not stem or len(ending) > 5 or " " in ending:
        return name
    return f"{stem}.{type}"[:255]
