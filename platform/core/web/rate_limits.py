"""Request rate limits: token bucket per user or client address, per process."""

import math
import threading
import time
from uuid import UUID

from core.auth_user import Person
from core.errors import RateLimited
from core.queue import quotas

BURST = 4  # seconds' worth of requests may come at once
MAX_BUCKETS = 100_000
RATE_CACHE_SECONDS = 60.0

_buckets: dict[str | UUID, "TokenBucket"] = {}
_lock = threading.Lock()
_rates: dict[UUID, tuple[int | None, float]] = {}


class TokenBucket:
    """Requests of one account or address: so many a second, and some at once.

    rate  : 1/s
    burst : how many may come at once
    """

    __slots__ = ("at", "left")

    def __init__(self, burst: float):
        self.left, self.at = burst, time.monotonic()

    def take(self, rate: float, burst: float) -> float:
        """Take one and return 0; where none is available, return the seconds until there is."""
        now = time.monotonic()
        self.left = min(burst, self.left + (now - self.at) * rate)
        self.at = now
        if self.left < 1.0:
            return (1.0 - self.left) / rate
        self.left -= 1.0
        return 0.0


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
