"""The real platform, and clients of it."""

from collections.abc import Iterator

import pytest

from tests.callbacks.conftest import Heard, receive
from tests.live.client import Client
from tests.live.running import Platform

MAX_UPLOAD = 220_000_000


@pytest.fixture(scope="session")
def platform() -> Iterator[Platform]:
    """A platform that all tests share: what they kill in it comes back by itself."""
    running = Platform(CALLBACK_INTERVAL="1", MAX_UPLOAD=str(MAX_UPLOAD))
    try:
        running.start()
        yield running
    finally:
        left = running.stop()
    assert left == []


@pytest.fixture(scope="session")
def client(platform) -> Client:
    return Client(platform)


@pytest.fixture
def heard() -> Iterator[Heard]:
    """A real receiver of callbacks."""
    with receive() as heard:
        yield heard
