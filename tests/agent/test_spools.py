"""What the agent tells of the shop's Spoolman, and writes into it."""

import json

import pytest

from agent.platform_client import PlatformClient
from agent.spoolman import Spools
from machines.drivers import NoAnswer
from tests.agent.conftest import says


class Shelf:
    """A Spoolman, and a platform that keeps one figure of spool 7."""

    def __init__(self, host, ours: float | None):
        self.spools, self.ours, self.told = {7: 1000.0}, ours, []
        self.spoolman = host(self.keep)
        self.platform = host(self.compare)

    def turn(self, spools: Spools) -> None:
        spools.turn()  # hears which
        spools.turn()

    @property
    def spools_of(self) -> Spools:
        return Spools(self.spoolman.connection, PlatformClient(self.platform.address))

    def keep(self, handler) -> None:
        spool = int(handler.path.rpartition("/")[2])
        if spool not in self.spools:
            return says(404, b"{}")(handler)
        if handler.command == "PATCH":
            self.spools[spool] = sent(handler)["remaining_weight"]
        body = json.dumps({"id": spool, "remaining_weight": self.spools[spool]})
        return says(200, body.encode())(handler)

    def compare(self, handler) -> None:
        told = sent(handler)["spools"]
        self.told.append(told)
        body = json.dumps({"spools": [{"id": 7, "left": self.ours if told else None}]})
        says(200, body.encode())(handler)


def sent(handler) -> dict:
    """What was sent; it is read only once."""
    size = int(handler.headers["Content-Length"])
    del handler.headers["Content-Length"]
    return json.loads(handler.rfile.read(size))


def test_remaining_weight_from_the_platform_is_written_to_spoolman(host):
    shelf = Shelf(host, ours=879.5)

    shelf.turn(shelf.spools_of)

    assert shelf.told == [[], [{"id": 7, "left": 1000.0}]]
    assert shelf.spools == {7: 879.5}


def test_spoolman_is_not_written_when_writes_are_disabled(host):
    shelf = Shelf(host, ours=879.5)

    shelf.turn(
        Spools(shelf.spoolman.connection, PlatformClient(shelf.platform.address), writes=False)
    )

    assert shelf.spools == {7: 1000.0}


def test_deleted_spool_is_reported_with_unknown_remaining_weight(host):
    shelf = Shelf(host, ours=None)
    shelf.spools.clear()

    shelf.turn(shelf.spools_of)

    assert shelf.told[-1] == [{"id": 7, "left": None}]


def test_negative_remaining_weight_is_reported_as_zero(host):
    shelf = Shelf(host, ours=None)
    shelf.spools[7] = -3.5

    shelf.turn(shelf.spools_of)

    assert shelf.told[-1] == [{"id": 7, "left": 0.0}]


@pytest.mark.parametrize("status", [500, 302, 401])
def test_spoolman_error_raises_no_answer(host, status):
    platform = host(says(200, b'{"spools": [{"id": 7, "left": null}]}'))
    spools = Spools(host(says(status)).connection, PlatformClient(platform.address))
    spools.turn()

    with pytest.raises(NoAnswer, match=f"answers with {status}"):
        spools.turn()


@pytest.mark.parametrize("body", [b"{}", b'{"spools": [{}]}', b'{"spools": [{"id": "x"}]}'])
def test_invalid_spools_response_raises_no_answer(host, body):
    with pytest.raises(NoAnswer):
        PlatformClient(host(says(200, body)).address).spools({}, writes=True)
