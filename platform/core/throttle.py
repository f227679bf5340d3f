"""Counting in the database, so that all processes share one count."""

import time
from ipaddress import ip_address

from django.conf import settings
from django.db import connection
from django.http import HttpRequest

from core.errors import TooMany


def count(key: str, seconds: int, *, by: int = 1) -> int:
    """Add `by` to the count of `key` in the current window of `seconds`, and return it."""
    window = int(time.time()) // seconds
    with connection.cursor() as cursor:
        cursor.execute(
            'INSERT INTO core_counter (key, "window", count) VALUES (%s, %s, %s)'
            ' ON CONFLICT (key, "window") DO UPDATE SET count = core_counter.count + %s'
            " RETURNING count",
            (key, window, by, by),
        )
        return cursor.fetchone()[0]


def seconds_left(seconds: int) -> int:
    """How long the current window of `seconds` still lasts."""
    return seconds - int(time.time()) % seconds


def slow_down(key: str, most: int, seconds: int, *, by: int = 1) -> None:
    """Count one more of `key`, and raise TooMany beyond `most` in a window; 0 = no limit.

    by : 0 only looks whether the next would be too many
    """
    if most and count(key, seconds, by=by) > most - (by == 0):
        wait = seconds_left(seconds)
        raise TooMany(
            f"Too many tries from this address: try again in {wait} seconds.",
            headers={"Retry-After": str(wait)},
        )


def client_address(request: HttpRequest) -> str:
    """Where the request comes from: the nearest address that is not a trusted proxy's."""
    hops = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",") if part]
    address = request.META.get("REMOTE_ADDR", "")
    while hops and _trusted(address):
        address = hops.pop()
    return address


def _trusted(address: str) -> bool:
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    return any(parsed in network for network in settings.TRUSTED_PROXIES)
