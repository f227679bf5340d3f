"""The real platform, and clients of it.

With PLATFORM=fleet it is several machines (`tests.live.full_cluster`), and only tests that take it
as the fixture `platform` run: those of the mark `single` need one machine, and are listed with why
(-rs).
"""

import os
from collections.abc import Generator, Iterator

import pytest

from tests.callbacks.conftest import Heard, receive
from tests.live.client import Client
from tests.live.full_cluster import whole_fleet
from tests.live.processes import Platform, last_words

MAX_UPLOAD = 220_000_000
FLEET = os.environ.get("PLATFORM") == "fleet"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a fleet, leave out what is about one machine, and what starts a platform of its own."""
    if not FLEET:
        return
    kept = [item for item in items if _is_about_any(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    for item in kept:
        for mark in item.iter_markers("single"):
            item.add_marker(pytest.mark.skip(reason=f"Of one machine: {mark.args[0]}"))
    items[:] = kept


def _is_about_any(item: pytest.Item) -> bool:
    names, module = getattr(item, "fixturenames", ()), getattr(item, "module", None)
    return "platform" in names and not hasattr(module, "platform")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep what the web processes wrote where a test fails: their logs go with their folders."""
    report = yield
    if report.failed:
        report.sections += [(f"web of {folder}", said) for folder, said in last_words().items()]
    return report


@pytest.fixture(scope="session")
def platform(tmp_path_factory) -> Iterator[Platform]:
    """A platform that all tests share: what they kill in it comes back by itself."""
    own = {"CALLBACK_INTERVAL": "1", "MAX_UPLOAD": str(MAX_UPLOAD)}
    if FLEET:
        with whole_fleet(tmp_path_factory.mktemp("fleet"), **own) as fleet:
            yield fleet.web[0]
        return
    running = Platform(**own)
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
def received_callbacks() -> Iterator[Heard]:
    """A real receiver of callbacks."""
    with receive() as heard:
        yield heard
