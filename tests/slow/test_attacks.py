"""Each attack for a few seconds: the ordinary user beside it is answered, every time."""

import pytest

from core.descriptors import raise_open_files
from tests.attacks import ATTACKS, Ordinary, Target, suffer
from tests.live.conftest import platform  # noqa: F401  the real one
from tests.live.running import DOMAIN

pytestmark = [pytest.mark.live, pytest.mark.slow]

SECONDS = 10.0


@pytest.fixture(scope="module")
def target(platform) -> Target:  # noqa: F811
    raise_open_files()
    return Target(DOMAIN, platform.port)


@pytest.fixture(scope="module")
def ordinary(target) -> Ordinary:
    return Ordinary(target)


@pytest.mark.parametrize("name", ATTACKS)
def test_beside_an_attack_nobody_else_is_refused(target, ordinary, name):
    felt = suffer(target, name, ordinary, SECONDS)

    assert felt.faults == []
    assert set(felt.times) == {"read", "health", "login", "verdict"}
