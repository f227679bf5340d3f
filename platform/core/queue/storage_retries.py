"""Retries during a storage outage: backoff up to a day that does not count as a failure."""

import logging
import random
import time
from typing import Any

from dramatiq.middleware import Retries

from core.files.storage.errors import StorageError

logger = logging.getLogger(__name__)

SOONEST, LATEST = 2.0, 60.0  # seconds until such a job is tried again: the longer it lasts
MAX_OUTAGE_SECONDS = 24 * 3600.0  # seconds for which it is
OUTAGE_SINCE_OPTION = "without_storage_since"


class StorageOutageRetries(Retries):
    """Dramatiq's retries, except that a storage outage is not a failure of the job for a day.

    Operators see the outage at once (`/ready/`, `/metrics`, doctor); once it is mended, jobs
    continue. After a day it fails like any other job.
    """

    def after_process_message(
        self, broker: Any, message: Any, *, result: Any = None, exception: Any = None
    ) -> None:
        """Send it again, without a count, where storage is to blame."""
        if not isinstance(exception, StorageError):
            message.options.pop(OUTAGE_SINCE_OPTION, None)
            super().after_process_message(broker, message, result=result, exception=exception)
            return
        begun = message.options.setdefault(OUTAGE_SINCE_OPTION, time.time())
        lasting = time.time() - begun
        if lasting > MAX_OUTAGE_SECONDS:
            super().after_process_message(broker, message, result=result, exception=exception)
            return
        delay = backoff(lasting)
        logger.warning(
            "%s: storage unavailable, retry in %d s: %s",
            message,
            delay,
            exception.words,
        )
        broker.enqueue(message, delay=int(delay * 1000))


def backoff(lasting: float) -> float:
    """Seconds until the next try of a job that has waited so long; not all come at once."""
    return min(LATEST, max(SOONEST, lasting / 4) * random.uniform(0.8, 1.2))  # noqa: S311
