"""Attacks by visitors of a storefront, who have no account."""

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import requests

from tests.attacks.network_attacks import again
from tests.attacks.ordinary_user import Target
from tests.live.client import ball
from tests.live.storefronts import Visitor, open_storefront

VISITS = int(os.environ.get("ATTACK_VISITS", "1000"))
AT_ONCE = 40
ODD_FILES = (
    b"",
    b"<!doctype html><title>404</title>",
    bytes(80) + struct.pack("<I", 4_000_000_000) + bytes(50),
    ball(20)[:-7],
    b"solid part\nfacet normal nan inf 0\nouter loop\n" * 2_000,
    ball(60),
)


@contextmanager
def visits(target: Target) -> Iterator[None]:
    """1,000 visits, 40 at once: each uploads odd files, and asks for the prices of all."""
    slug = open_storefront(target.client())
    numbers = iter(range(VISITS))
    answers: set[int] = set()

    def visit() -> None:
        if next(numbers, None) is None:
            return
        # It ends where an answer refuses.
        with target.session() as session, suppress(requests.RequestException, KeyError):
            visitor = Visitor(target, session, slug)
            try:
                visitor.price([visitor.upload(data) for data in ODD_FILES], [1, 5, 10, 25])
            finally:
                answers.update(visitor.answers)

    with again([visit] * AT_ONCE):
        yield
    assert answers, "nothing was answered"
    assert not any(status >= 500 and status != 503 for status in answers), answers
