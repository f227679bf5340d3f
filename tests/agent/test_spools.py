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
        self.office = host(self.compare)

    def turn(self, spools: Spools) -> None:
        spools.turn()  # hears which
        spools.turn()

    @property
    def spools_of(self) -> Spools:
        return Spools(self.spoolman.door, PlatformClient(self.office.address))

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


def test_what_the_platform_knows_better_is_written(host):
    shelf = Shelf(host, ours=879.5)

    shelf.turn(shelf.spools_of)

    assert shelf.told == [[], [{"id": 7, "left": 1000.0}]]
    assert shelf.spools == {7: 879.5}


def test_nothing_is_written_where_it_may_not(host):
    shelf = Shelf(host, ours=879.5)

    shelf.turn(Spools(shelf.spoolman.door, PlatformClient(shelf.office.address), writes=False))

    assert shelf.spools == {7: 1000.0}


def test_a_spool_that_is_gone_is_told_as_unknown(host):
    shelf = Shelf(host, ours=None)
    shelf.spools.clear()

    shelf.turn(shelf.spools_of)

    assert shelf.told[-1] == [{"id": 7, "left": None}]


def test_less_than_nothing_is_told_as_nothing(host):
    shelf = Shelf(host, ours=None)
    shelf.spools[7] = -3.5

    shelf.turn(shelf.spools_of)

    assert shelf.told[-1] == [{"id": 7, "left": 0.0}]


@pytest.mark.parametrize("status", [500, 302, 401])
def test_a_spoolman_that_does_not_answer_is_lost(host, status):
    office = host(says(200, b'{"spools": [{"id": 7, "left": null}]}'))
    spools = Spools(host(says(status)).door, PlatformClient(office.address))
    spools.turn()

    with pytest.raises(NoAnswer, match=f"answers with {status}"):
        spools.turn()


@pytest.mark.parametrize("body", [b"{}", b'{"spools": [{}]}', b'{"spools": [{"id": "x"}]}'])
def test_an_answer_of_the_platform_that_makes_no_sense_is_lost(host, body):
    with pytest.raises(NoAnswer):
        PlatformClient(host(says(200, body)).address).spools({}, writes=True)
