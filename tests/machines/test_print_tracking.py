"""What the agent's side asks of a machine that prints, so that it comes to what is wanted."""

import pytest

from machines.controller import (
    AttemptController,
    AttemptOrder,
    Cancel,
    Look,
    Pause,
    Resume,
    Skip,
    Tell,
)
from machines.drivers import ExclusionResult, MachineState, MachineStatus, ObjectLabel, Rejected
from machines.states import AttemptState

NAME = "a-1.gcode"


def calls(order: AttemptOrder, seen: MachineState) -> list:
    """All that a turn asks for, where every look shows the same."""
    turn, asked = AttemptController().turn(order), []
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
        (MachineStatus.PRINTING, AttemptState.PAUSED, Pause()),
        (MachineStatus.PAUSED, AttemptState.PRINTING, Resume()),
        (MachineStatus.PRINTING, AttemptState.STOPPED, Cancel()),
        (MachineStatus.PAUSED, AttemptState.STOPPED, Cancel()),
    ],
)
def test_a_wish_is_asked_for_until_the_machine_is_seen_to(doing, wanted, asked):
    order = AttemptOrder(NAME, AttemptState.PRINTING, wanted=wanted)

    *before, last = calls(order, MachineState(doing, NAME))

    assert type(last) is type(asked)
    assert isinstance(before[-1], Tell)


@pytest.mark.parametrize(
    "doing",
    [MachineStatus.DONE, MachineStatus.STOPPING, MachineStatus.OFFLINE, MachineStatus.ATTENTION],
)
def test_nothing_is_asked_of_a_machine_that_is_at_something_else(doing):
    asked = calls(
        AttemptOrder(NAME, AttemptState.PRINTING, wanted=AttemptState.STOPPED),
        MachineState(doing, NAME),
    )

    assert not [call for call in asked if isinstance(call, Pause | Resume | Cancel)]


PARTS = (ObjectLabel("p_1_00000000", 0, "marlin"), ObjectLabel("p_2_00000000", 1, "marlin"))


@pytest.mark.parametrize("doing", [MachineStatus.PRINTING, MachineStatus.PAUSED])
def test_objects_are_left_out_and_it_is_told_what_came_of_it(doing):
    order = AttemptOrder(NAME, AttemptState.PRINTING, wanted=AttemptState.STOPPED, skip=PARTS)
    turn = AttemptController().turn(order)
    assert isinstance(next(turn), Look)
    assert isinstance(turn.send(MachineState(doing, NAME)), Tell)

    assert turn.send(None) == Skip(PARTS[0])
    assert turn.send(ExclusionResult.ASKED) == Skip(PARTS[1])
    told = turn.throw(Rejected("no"))

    names = [part.name for part in PARTS]
    assert told.skips == tuple(
        zip(names, (ExclusionResult.ASKED, ExclusionResult.CANNOT), strict=True)
    )
    assert isinstance(turn.send(None), Cancel)


@pytest.mark.parametrize(
    "doing",
    [MachineStatus.DONE, MachineStatus.BUSY, MachineStatus.OFFLINE, MachineStatus.ATTENTION],
)
def test_nothing_is_left_out_of_what_is_not_printed(doing):
    asked = calls(AttemptOrder(NAME, AttemptState.PRINTING, skip=PARTS), MachineState(doing, NAME))

    assert not [call for call in asked if isinstance(call, Skip)]
