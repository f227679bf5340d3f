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
SAMPLE, MOST_SAMPLED = 0.001, 1000  # of the files of a bucket, each night
NIGHT = 3  # o'clock, when that is done which takes long and need not be done each hour
# The one message of this kind: sending it again only sets its time anew.
MESSAGE = str(UUID("01a1fe00-0000-7000-8000-000000000001"))
CANARIES = str(UUID("01a1fe00-0000-7000-8000-000000000002"))


@dramatiq.actor(queue_name="default", max_retries=0)
def keep_house() -> None:
    """Delete what is over or used by nothing, and have the apps do the same; once an hour."""
    plan_housekeeping(HOUR)
    now = timezone.now()
    IdempotentAnswer.objects.filter(created__lt=now - DAY).delete()
    Session.objects.filter(expire_date__lt=now).delete()
    throttling.forget_old()
    server_errors.forget_old()
    pending_uploads.remove_abandoned()
    JobStart.objects.filter(last__lt=now - DAY).delete()
    if now.hour == NIGHT and (wrong := usage.correct()):
        logger.warning("Corrected storage usage of %d accounts.", wrong)
    for actor in settings.AFTER.get("hour.over", ()):
        enqueue_by_name(actor)
    if now.hour == NIGHT:
        sample_files()
    garbage_collection.remove_unused()


def sample_files() -> None:
    """Read one of a thousand files of a remote storage, which may have changed unseen."""
    store = storage.current()
    if not store.remote:
        return
    found = scrub(store, share=SAMPLE, most=MOST_SAMPLED)
    if found.damaged:
        logger.error(
            "%d stored files are damaged: see `manage.py storage check`.", len(found.damaged)
        )


@dramatiq.actor(queue_name="default")
def give_up(message: dict[str, Any], reason: dict[str, Any]) -> None:
    """A job failed on our side again and again: what it was for ends in error."""
    row_jobs.fail_permanently(message["actor_name"], message["args"][0], reason)


@dramatiq.actor(queue_name="default", max_retries=0)
def release_canaries() -> None:
    """Send each queue a job that does nothing but show that it was done; twice a minute.

    And what apps have to do as often.
    """
    plan_canaries(probes.INTERVAL)
    probes.send_probes(sing, sorted(dramatiq.get_broker().queues))
    for actor in settings.AFTER.get("half-minute.over", ()):
        enqueue_by_name(actor)


@dramatiq.actor(queue_name="default", max_retries=0)
def sing(queue: str) -> None:
    """The canary of `queue`, whose workers do it."""
    broker: Any = dramatiq.get_broker()
    probes.record_probe(queue, broker.worker_id)


def plan_canaries(delay: int) -> None:
    """Have the canaries sent in `delay` milliseconds, and twice a minute from then on."""
    message = release_canaries.message().copy(message_id=CANARIES)
    dramatiq.get_broker().enqueue(message, delay=delay)


def plan_housekeeping(delay: int) -> None:
    """Have the house kept in `delay` milliseconds, and every hour from then on."""
    message = keep_house.message().copy(message_id=MESSAGE)
    dramatiq.get_broker().enqueue(message, delay=delay)
