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
# Pictures that a module leaves waiting: new accounts of one address share their turns, and those of
# the next module would wait behind them.
REMOVE_PICTURES = """
    DELETE FROM dramatiq.queue
    WHERE queue_name IN ('renders', 'renders_slow') AND state = 'queued' RETURNING 1
"""
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


@pytest.fixture(scope="module", autouse=True)
def _without_waiting_pictures(request) -> Iterator[None]:
    """Remove the pictures that the tests of a module leave waiting in the shared platform."""
    uses = any(
        "platform" in getattr(item, "fixturenames", ()) and _is_about_any(item)
        for item in request.session.items
        if getattr(item, "module", None) is request.module
    )
    shared = request.getfixturevalue("platform") if uses else None
    yield
    if shared is not None:
        shared.ask(REMOVE_PICTURES)


@pytest.fixture(scope="session")
def client(platform) -> Client:
    return Client(platform)


@pytest.fixture
def received_callbacks() -> Iterator[Heard]:
    """A real receiver of callbacks."""
    with receive() as heard:
        yield heard
