"""Primary keys: UUIDv7 (RFC 9562), ordered by creation time."""

import os
import time
from datetime import datetime
from uuid import UUID


def uuid7() -> UUID:
    """A fresh key: 48 bits of milliseconds, 12 of their fraction, 62 random (RFC 9562, 6.2)."""
    nanoseconds = time.time_ns()
    milliseconds, rest = divmod(nanoseconds, 1_000_000)
    fraction = (rest << 12) // 1_000_000
    random = int.from_bytes(os.urandom(8)) & 0x3FFF_FFFF_FFFF_FFFF
    return UUID(int=milliseconds << 80 | 7 << 76 | fraction << 64 | 2 << 62 | random)


def first_key(moment: datetime) -> UUID:
    """What no key that was made at `moment` or later is less than."""
    return UUID(int=int(moment.timestamp() * 1000) << 80)
