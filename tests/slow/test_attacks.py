"""Attacks for a few seconds: the ordinary user beside them is answered, every time, and soon.

`make load-attack NAME=drips` shows one alone.
"""

from collections.abc import Iterator

import pytest

from core.process.open_files import raise_open_files
from tests.attacks import resource_attacks, suffer
from tests.attacks.ordinary_user import Felt, Ordinary, Target
from tests.live.conftest import MAX_UPLOAD
from tests.live.processes import DOMAIN, Platform

pytestmark = [pytest.mark.live, pytest.mark.slow]

SECONDS = 8.0
MAX_LENGTH = (
    30.0  # seconds: a job of another that runs, on a machine that is busy with other things
)
WORK = ("verdict", "picture", "slice", "healing", "build")
# Those of one line are made at once: they ask for different things.
ON_WEB = (
    ("half_open", "bodies"),
    ("silent", "drips"),
    ("preface", "logins"),
    ("unread", "disk"),
    ("trickled_uploads", "uploads_in_pieces"),
    ("price_tables",),
)
# One for each kind of job; `make load-attack` makes the others, too, and larger ones.
BY_JOBS = (
    ("slices",),
    ("pictures",),
    ("healings",),
    ("raw_slices_cura", "packings"),
    ("newcomers",),
    ("visits",),
)


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    """A platform that only these tests use."""
    running = Platform(MAX_UPLOAD=str(MAX_UPLOAD))
    raise_open_files()
    try:
        running.start()
        yield Target(DOMAIN, running.port)
    finally:
        left = running.stop()
    assert left == []


@pytest.fixture(scope="module")
def ordinary(target) -> Ordinary:
    return Ordinary(target)


@pytest.fixture(scope="module")
def alone(target, ordinary) -> Felt:
    return suffer(target, (), ordinary, SECONDS)


@pytest.fixture(scope="module")
def alone_without_jobs(target, ordinary) -> Felt:
    return suffer(target, (), ordinary, SECONDS, has_jobs=False)


@pytest.mark.parametrize("names", ON_WEB, ids=" and ".join)
def test_other_users_are_answered_during_attacks_on_web_processes(
    target, ordinary, alone_without_jobs, names
):
    felt = suffer(target, names, ordinary, SECONDS, has_jobs=False)

    print(f"alone {alone_without_jobs}\n{names} {felt}")
    assert felt.faults == []
    assert set(felt.times) == {"read", "health", "login", "verdict"}
    assert felt.p50("verdict") < 4 * alone_without_jobs.p50("verdict") + MAX_LENGTH


@pytest.mark.long
@pytest.mark.parametrize("names", BY_JOBS, ids=" and ".join)
def test_other_users_are_served_in_time_during_attacks_by_jobs(
    target, ordinary, alone, names, monkeypatch
):
    monkeypatch.setattr(resource_attacks, "NEWCOMERS", 8)
    monkeypatch.setattr(resource_attacks, "LARGE", resource_attacks.MIDDLING)
    felt = suffer(target, names, ordinary, SECONDS)

    print(f"alone {alone}\n{names} {felt}")
    assert felt.faults == []
    assert set(felt.times) == {"read", "health", "login", *WORK}
    # Behind the job of another that runs, and never behind all that wait.
    for work in WORK:
        assert felt.p50(work) < 4 * alone.p50(work) + MAX_LENGTH
