"""Each attack for a few seconds: the ordinary user beside it is answered, every time, and soon."""

import pytest

from core.process.open_files import raise_open_files
from tests.attacks import ATTACKS, suffer
from tests.attacks.ordinary_user import Felt, Ordinary, Target
from tests.live.conftest import platform  # noqa: F401  the real one
from tests.live.processes import DOMAIN

pytestmark = [pytest.mark.live, pytest.mark.slow]

SECONDS = 8.0
MAX_LENGTH = (
    30.0  # seconds: a job of another that runs, on a machine that is busy with other things
)
WORK = ("verdict", "picture", "slice", "healing", "build")


@pytest.fixture(scope="module")
def target(platform) -> Target:  # noqa: F811
    raise_open_files()
    return Target(DOMAIN, platform.port)


@pytest.fixture(scope="module")
def ordinary(target) -> Ordinary:
    return Ordinary(target)


@pytest.fixture(scope="module")
def alone(target, ordinary) -> Felt:
    return suffer(target, "alone", ordinary, SECONDS)


@pytest.mark.parametrize("name", ATTACKS)
def test_other_users_are_served_in_time_during_an_attack(target, ordinary, alone, name):
    felt = suffer(target, name, ordinary, SECONDS)

    print(f"alone {alone}\n{name} {felt}")
    assert felt.faults == []
    assert set(felt.times) == {"read", "health", "login", *WORK}
    # Behind the job of another that runs, and never behind all that wait.
    for work in WORK:
        assert felt.p50(work) < 4 * alone.p50(work) + MAX_LENGTH
