"""Periodic maintenance jobs of the core: cleanup, queue probes, sampling of stored files."""

import logging
from datetime import timedelta
from typing import Any
from uuid import UUID

import dramatiq
from django.conf import settings
from django.contrib.sessions.models import Session
from django.utils import timezone

from core.files import pending_uploads, storage, usage
from core.files.storage import garbage_collection
from core.files.storage.scrub import scrub
from core.models import IdempotentAnswer, JobStart
from core.queue import probes, row_jobs
from core.queue.broker import enqueue_by_name
from core.web import server_errors, throttling

logger = logging.getLogger(__name__)

HOUR = 3_600_000  # milliseconds
DAY = timedelta(hours=24)
SAMPLE, MAX_SAMPLED = 0.001, 1000  # of the files of a bucket, each night
NIGHTLY_HOUR = 3  # o'clock, when that is done which takes long and need not be done each hour
# Each kind has one message: enqueuing it again only resets its time. Actor names are stored in
# queues and backups, so they keep their values when functions are renamed.
CLEAN_UP_MESSAGE_ID = str(UUID("01a1fe00-0000-7000-8000-000000000001"))
PROBES_MESSAGE_ID = str(UUID("01a1fe00-0000-7000-8000-000000000002"))


@dramatiq.actor(actor_name="keep_house", queue_name="default", max_retries=0)
def clean_up() -> None:
    """Delete what has expired or is unused, and enqueue the hourly jobs of the apps."""
    plan_housekeeping(HOUR)
    now = timezone.now()
    IdempotentAnswer.objects.filter(created__lt=now - DAY).delete()
    Session.objects.filter(expire_date__lt=now).delete()
    throttling.forget_old()
    server_errors.forget_old()
    pending_uploads.remove_abandoned()
    JobStart.objects.filter(last__lt=now - DAY).delete()
    if now.hour == NIGHTLY_HOUR and (wrong := usage.correct()):
        logger.warning("Corrected storage usage of %d accounts.", wrong)
    for actor in settings.EVENT_HOOKS.get("hour.over", ()):
        enqueue_by_name(actor)
    if now.hour == NIGHTLY_HOUR:
        sample_files()
    garbage_collection.remove_unused()


def sample_files() -> None:
    """Read one of a thousand files of a remote storage, which may have changed unseen."""
    store = storage.current()
    if not store.remote:
        return
    found = scrub(store, share=SAMPLE, most=MAX_SAMPLED)
    if found.damaged:
        logger.error(
            "%d stored files are damaged: see `manage.py storage check`.", len(found.damaged)
        )


@dramatiq.actor(actor_name="give_up", queue_name="default")
def fail_exhausted(message: dict[str, Any], reason: dict[str, Any]) -> None:
    """Set the row of a job whose retries are used up to error."""
    row_jobs.fail_permanently(message["actor_name"], message["args"][0], reason)


@dramatiq.actor(actor_name="release_canaries", queue_name="default", max_retries=0)
def send_queue_probes() -> None:
    """Enqueue a probe job in each queue, and the half-minutely jobs of the apps."""
    plan_queue_probes(probes.INTERVAL)
    probes.send_probes(answer_probe, sorted(dramatiq.get_broker().queues))
    for actor in settings.EVENT_HOOKS.get("half-minute.over", ()):
        enqueue_by_name(actor)


@dramatiq.actor(actor_name="sing", queue_name="default", max_retries=0)
def answer_probe(queue: str) -> None:
    """Record that a worker consumes `queue`."""
    broker: Any = dramatiq.get_broker()
    probes.record_probe(queue, broker.worker_id)


def plan_queue_probes(delay: int) -> None:
    """Schedule the queue probes in `delay` milliseconds, and twice a minute from then on."""
    message = send_queue_probes.message().copy(message_id=PROBES_MESSAGE_ID)
    dramatiq.get_broker().enqueue(message, delay=delay)


def plan_housekeeping(delay: int) -> None:
    """Schedule the clean-up in `delay` milliseconds, and every hour from then on."""
    message = clean_up.message().copy(message_id=CLEAN_UP_MESSAGE_ID)
    dramatiq.get_broker().enqueue(message, delay=delay)
