"""Throttling by counters in the database: fixed windows, client address, prefix aggregation."""

import functools
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from uuid import NAMESPACE_URL, UUID, uuid5

from django.conf import settings
from django.db import connection
from django.http import HttpRequest

from core.errors import RateLimited


def count(key: str, seconds: int, *, by: int = 1) -> int:
    """Add `by` to the count of `key` in the current window of `seconds`, and return it."""
    window = int(time.time()) // seconds
    with connection.cursor() as cursor:
        cursor.execute(
            'INSERT INTO core_counter (key, "window", count, updated) VALUES (%s, %s, %s, now())'
            ' ON CONFLICT (key, "window") DO UPDATE'
            " SET count = core_counter.count + %s, updated = now() RETURNING count",
            (key, window, by, by),
        )
        return cursor.fetchone()[0]


def forget_old() -> None:
    """Delete the counts of windows that are over; none is longer than a day."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM core_counter WHERE updated < now() - interval '1 day'")


def seconds_left(seconds: int) -> int:
    """How long the current window of `seconds` still lasts."""
    return seconds - int(time.time()) % seconds


def throttle(key: str, most: int, seconds: int) -> None:
    """Count one more of `key`, and raise TooMany beyond `most` in a window; 0 = no limit.

    key : the limit's name, a blank, and the subject of the count
    """
    if most and count(key, seconds) > most:
        wait = seconds_left(seconds)
        raise RateLimited(
            f"Too many tries: try again in {wait} seconds.",
            limit=key.partition(" ")[0],
            most=most,
            used=most,
            wait=wait,
        )


@contextmanager
def limit_failures(
    limits: Mapping[str, int], seconds: int, *, of: type[Exception]
) -> Iterator[None]:
    """Allow so many failures of each key in a window; the block fails by raising `of`.

    A try is counted before it is made, and taken back unless it fails: many at once cannot pass
    a limit together.
    """
    for key, most in limits.items():
        throttle(key, most, seconds)
    failed = False
    try:
        yield
    except of:
        failed = True
        raise
    finally:
        if not failed:
            for key in limits:
                count(key, seconds, by=-1)


def client_prefix(address: str) -> str:
    """Return the counted part of an address: all of IPv4, the /64 network of IPv6.

    One subscriber of IPv6 has 2^64 addresses.
    """
    parsed = _parsed(address)
    if not isinstance(parsed, IPv6Address):
        return address
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ip_network(f"{IPv6Address(int(parsed))}/64", strict=False))


def registration_prefix(address: str) -> UUID:
    """What registers as one: all of an IPv4 /24, or of an IPv6 /64, under a key of its own."""
    place = client_prefix(address)
    if isinstance(_parsed(place), IPv4Address):
        place = str(ip_network(f"{place}/24", strict=False))
    return uuid5(NAMESPACE_URL, place)


def client_address(request: HttpRequest) -> str:
    """Return the client's address: the nearest one that is not a trusted proxy's.

    An invalid address in a proxy's header counts as the proxy itself.
    """
    return untrusted_client(
        request.META.get("REMOTE_ADDR", ""), request.META.get("HTTP_X_FORWARDED_FOR", "")
    )


def untrusted_client(address: str, forwarded: str) -> str:
    """Return `client_address` of a connection from `address` with this X-Forwarded-For header."""
    if not forwarded:
        return address
    hops = [part.strip() for part in forwarded.split(",") if part]
    while hops and is_trusted_proxy(address) and _parsed(hops[-1]):
        address = hops.pop()
    return address


def is_trusted_proxy(address: str) -> bool:
    """Return whether the address is of a proxy whose X-Forwarded-For header is believed."""
    parsed = _parsed(address)
    return parsed is not None and any(parsed in network for network in settings.TRUSTED_PROXIES)


@functools.lru_cache(maxsize=1024)
def _parsed(address: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(address)
    except ValueError:
        return None
