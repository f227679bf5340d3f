"""Request rate limits: token bucket per user or client address, per process."""

import math
import threading
import time
from uuid import UUID

from core.auth_user import Person
from core.errors import RateLimited
from core.queue import quotas
from core.web.token_buckets import TokenBucket

BURST = 4  # seconds' worth of requests may come at once
MAX_BUCKETS = 100_000
RATE_CACHE_SECONDS = 60.0

_buckets: dict[str | UUID, TokenBucket] = {}
_lock = threading.Lock()
_rates: dict[UUID, tuple[int | None, float]] = {}


def check_request_rate(key: str | UUID, rate: int | None) -> None:
    """Count a request of an account or address in this process; TooMany beyond `rate` a second."""
    if not rate:
        return
    with _lock:
        bucket = _buckets.pop(key, None) or TokenBucket(BURST * rate)
        _buckets[key] = bucket  # the last one used is the last one forgotten
        if len(_buckets) > MAX_BUCKETS:
            del _buckets[next(iter(_buckets))]
        wait = bucket.take(rate, BURST * rate)
    if wait:
        raise RateLimited(
            f"More than {rate} requests a second: wait for {math.ceil(wait)} s.",
            limit="requests",
            most=rate,
            used=rate,
            wait=math.ceil(wait),
        )


def request_rate_of(user: Person) -> int | None:
    """Requests a second of a user; rows are looked for once a minute, not with each request."""
    now = time.monotonic()
    known = _rates.get(user.pk)
    if known is None or now - known[1] > RATE_CACHE_SECONDS:
        if len(_rates) > MAX_BUCKETS:
            _rates.clear()
        known = _rates[user.pk] = quotas.quota("requests", user), now
    return known[0]
