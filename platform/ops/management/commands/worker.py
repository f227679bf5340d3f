"""manage.py worker QUEUE: a queue worker."""

import logging
import signal
import threading
from pathlib import Path
from typing import Any

import dramatiq
from django.core.management.base import BaseCommand, CommandError
from django.db import DEFAULT_DB_ALIAS, connections
from django.utils.module_loading import autodiscover_modules

from core import installation
from core.actors import plan_housekeeping, plan_queue_probes
from core.queue.broker import claim_slot
from core.queue.lease import SlotTaken
from core.sandbox.sandbox import JobInternalError, warm_up

TIMEOUT = 10_000  # ms that a job under way may take to end; then it is left to the next process
FIRST_CLEAN_UP, FIRST_PROBES = 60_000, 5_000  # ms

logger = logging.getLogger(__name__)


class Sign(dramatiq.Middleware):
    """Shows by a file that this worker has claimed a job."""

    def __init__(self, path: Path):
        self.path = path

    def before_process_message(self, broker: Any, message: Any) -> None:
        """Touch the file."""
        self.path.touch()


class Command(BaseCommand):
    help = "Run a queue worker. WORKER_SLOT names the slot whose jobs it takes over."
    requires_system_checks = ()

    def add_arguments(self, parser):
        parser.add_argument(
            "queue",
            help="meshes, slices, renders or packing (or one of them with _slow behind it), "
            "extras, providers, mail or default",
        )
        parser.add_argument(
            "--threads", type=int, default=1, help="Jobs at a time, for jobs that mostly wait."
        )

        parser.add_argument(
            "--ready",
            type=Path,
            help="Touch this file for each claimed job (liveness); probes come twice a minute.",
        )

    def handle(self, *, queue: str, threads: int, ready: Path | None, **options):
        ending = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: ending.set())
        autodiscover_modules("actors")
        broker = dramatiq.get_broker()
        if queue not in broker.queues:
            raise CommandError(f"There is no queue {queue!r}; there are {', '.join(broker.queues)}")
        if ready:
            ready.unlink(missing_ok=True)
            broker.add_middleware(Sign(ready))
        try:
            installation.require_same_installation()
            claim_slot()
        except (installation.WrongInstallation, SlotTaken) as error:
            raise CommandError(str(error)) from None
        plan_queue_probes(FIRST_PROBES)
        plan_housekeeping(FIRST_CLEAN_UP)
        if threads > 1:  # each would hold a connection while it waits for others' servers
            connections.settings[DEFAULT_DB_ALIAS]["CONN_MAX_AGE"] = 0
        worker = dramatiq.Worker(broker, queues={queue}, worker_threads=threads)
        worker.queue_prefetch = threads  # it claims no more than it works on
        worker.start()
        try:
            # Here, since a child ends with the thread that started it, and this one stays.
            warm_up(queue)
        except JobInternalError as error:
            logger.warning("The jobs' child process did not start; each job will try: %s", error)
        connections.close_all()  # this thread asks nothing more
        logger.info("The worker of %s is ready for action.", queue)
        ending.wait()
        worker.stop(timeout=TIMEOUT)
