"""What the agent's side asks of a machine that prints, so that it comes to what is wanted."""

import pytest

from machines.controller import Cancel, Follower, Look, Order, Pause, Resume, Skip, Tell
from machines.drivers import Doing, ObjectLabel, Refused, Seen, Skipped
from machines.states import State

NAME = "a-1.gcode"


def calls(order: Order, seen: Seen) -> list:
    """All that a turn asks for, where every look shows the same."""
    turn, asked = Follower().turn(order), []
    try:
        call = next(turn)
        while True:
            asked.append(call)
            call = turn.send(seen if isinstance(call, Look) else None)
    except StopIteration:
        return asked


@pytest.mark.parametrize(
    ("doing", "wanted", "asked"),
    [
        (Doing.PRINTING, State.PAUSED, Pause()),
        (Doing.PAUSED, State.PRINTING, Resume()),
        (Doing.PRINTING, State.STOPPED, Cancel()),
        (Doing.PAUSED, State.STOPPED, Cancel()),
    ],
)
def test_a_wish_is_asked_for_until_the_machine_is_seen_to(doing, wanted, asked):
    order = Order(NAME, State.PRINTING, wanted=wanted)

    *before, last = calls(order, Seen(doing, NAME))

    assert type(last) is type(asked)
    assert isinstance(before[-1], Tell)


@pytest.mark.parametrize("doing", [Doing.DONE, Doing.STOPPING, Doing.OFFLINE, Doing.ATTENTION])
def test_nothing_is_asked_of_a_machine_that_is_at_something_else(doing):
    asked = calls(Order(NAME, State.PRINTING, wanted=State.STOPPED), Seen(doing, NAME))

    assert not [call for call in asked if isinstance(call, Pause | Resume | Cancel)]


PARTS = (ObjectLabel("p_1_00000000", 0, "marlin"), ObjectLabel("p_2_00000000", 1, "marlin"))


@pytest.mark.parametrize("doing", [Doing.PRINTING, Doing.PAUSED])
def test_objects_are_left_out_and_it_is_told_what_came_of_it(doing):
    order = Order(NAME, State.PRINTING, wanted=State.STOPPED, skip=PARTS)
    turn = Follower().turn(order)
    assert isinstance(next(turn), Look)
    assert isinstance(turn.send(Seen(doing, NAME)), Tell)

    assert turn.send(None) == Skip(PARTS[0])
    assert turn.send(Skipped.ASKED) == Skip(PARTS[1])
    told = turn.throw(Refused("no"))

    names = [part.name for part in PARTS]
    assert told.skips == tuple(zip(names, (Skipped.ASKED, Skipped.CANNOT), strict=True))
    assert isinstance(turn.send(None), Cancel)


@pytest.mark.parametrize("doing", [Doing.DONE, Doing.BUSY, Doing.OFFLINE, Doing.ATTENTION])
def test_nothing_is_left_out_of_what_is_not_printed(doing):
    asked = calls(Order(NAME, State.PRINTING, skip=PARTS), Seen(doing, NAME))

    assert not [call for call in asked if isinstance(call, Skip)]
