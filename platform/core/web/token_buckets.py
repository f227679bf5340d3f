"""Token buckets: so much in a second, and so much at once, of one or of each of many clients."""

import time
from collections import OrderedDict

MAX_CLIENTS = 10_000  # the last ones that are remembered


class TokenBucket:
    """What is left of a budget that fills again.

    burst : what it has when it is new
    """

    __slots__ = ("at", "left")

    def __init__(self, burst: float):
        self.left, self.at = burst, time.monotonic()

    def refill(self, rate: float, burst: float) -> float:
        """Add what has come at `rate` (1/s) since the last time, up to `burst`; return the sum."""
        now = time.monotonic()
        self.left = min(burst, self.left + (now - self.at) * rate)
        self.at = now
        return self.left

    def take(self, rate: float, burst: float) -> float:
        """Take one and return 0; where none is available, return the seconds until there is."""
        if self.refill(rate, burst) < 1.0:
            return (1.0 - self.left) / rate
        self.left -= 1.0
        return 0.0


class TokenBuckets:
    """A bucket for each client. One that was not seen lately has a full one.

    rate, burst : of each, 1/s and at once
    max_debt    : how far below zero `spend` leads
    """

    def __init__(self, rate: float, burst: float, max_debt: float):
        self.rate, self.burst, self.max_debt = rate, burst, max_debt
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def left(self, client: str) -> float:
        """Return what the client may still spend; below zero is a debt."""
        bucket = self._buckets.get(client)
        return bucket.refill(self.rate, self.burst) if bucket else self.burst

    def spend(self, client: str, amount: float) -> float:
        """Take an amount that was used already; return what is left."""
        bucket = self._buckets.setdefault(client, TokenBucket(self.burst))
        self._buckets.move_to_end(client)
        if len(self._buckets) > MAX_CLIENTS:
            self._buckets.popitem(last=False)
        bucket.left = max(bucket.refill(self.rate, self.burst) - amount, -self.max_debt)
        return bucket.left
