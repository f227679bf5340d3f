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
def test_wanted_state_is_requested_after_reporting_the_current_state(doing, wanted, asked):
    order = AttemptOrder(NAME, AttemptState.PRINTING, wanted=wanted)

    *before, last = calls(order, MachineState(doing, NAME))

    assert type(last) is type(asked)
    assert isinstance(before[-1], Tell)


@pytest.mark.parametrize(
    "doing",
    [MachineStatus.DONE, MachineStatus.STOPPING, MachineStatus.OFFLINE, MachineStatus.ATTENTION],
)
def test_no_command_is_sent_to_a_machine_that_is_not_printing(doing):
    asked = calls(
        AttemptOrder(NAME, AttemptState.PRINTING, wanted=AttemptState.STOPPED),
        MachineState(doing, NAME),
    )

    assert not [call for call in asked if isinstance(call, Pause | Resume | Cancel)]


PARTS = (ObjectLabel("p_1_00000000", 0, "marlin"), ObjectLabel("p_2_00000000", 1, "marlin"))


@pytest.mark.parametrize("doing", [MachineStatus.PRINTING, MachineStatus.PAUSED])
def test_objects_are_excluded_and_the_results_are_reported(doing):
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
def test_no_object_is_excluded_when_the_machine_is_not_printing(doing):
    asked = calls(AttemptOrder(NAME, AttemptState.PRINTING, skip=PARTS), MachineState(doing, NAME))

    assert not [call for call in asked if isinstance(call, Skip)]
