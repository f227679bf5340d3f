"""What follows from what is told of an attempt."""

import pytest

from machines.rules import NOTHING, Effects, Rules
from machines.states import ENDS, OPEN, TRANSITIONS, Plate, State, road

RULES = Rules()


def test_every_state_is_open_or_an_end_and_an_end_leads_nowhere():
    assert {*OPEN, *ENDS} == set(State) and not {*OPEN} & {*ENDS}
    assert set(TRANSITIONS) == set(OPEN)


@pytest.mark.parametrize("state", State)
def test_the_permit_is_given_to_what_was_sent_to_a_clear_plate_and_else_never(state):
    given = RULES.permitted(state, Plate.CLEAR)

    expected = Effects((State.ARMED,), Plate.OCCUPIED) if state is State.SENT else NOTHING
    assert given == expected
    assert RULES.permitted(state, Plate.OCCUPIED) == NOTHING
    assert RULES.permitted(state, Plate.UNKNOWN) == NOTHING


@pytest.mark.parametrize("told", State)
@pytest.mark.parametrize("state", ENDS)
def test_no_report_changes_an_end(state, told):
    assert RULES.reported(state, told) == NOTHING
    assert RULES.said(state, told, Plate.CLEAR) == NOTHING


def test_an_end_that_is_told_of_what_was_armed_begins_the_run():
    effects = RULES.reported(State.ARMED, State.DONE)

    assert effects == Effects((State.PRINTING, State.DONE), Plate.OCCUPIED, begins=True)


def test_an_agent_never_begins_what_has_no_permit():
    for state in (State.PLANNED, State.SENT):
        assert RULES.reported(state, State.PRINTING) == NOTHING


def test_a_person_who_starts_a_machine_needs_a_clear_plate():
    words = (State.PLANNED, State.PRINTING)

    begun = RULES.said(*words, Plate.CLEAR)

    through = (State.SENT, State.ARMED, State.PRINTING)
    assert begun == Effects(through, Plate.OCCUPIED, begins=True)
    assert RULES.said(*words, Plate.OCCUPIED) == RULES.said(*words, Plate.UNKNOWN) == NOTHING


def test_how_something_unclear_ended_is_a_persons_to_say():
    assert RULES.reported(State.UNCLEAR, State.DONE) == NOTHING
    said = RULES.said(State.UNCLEAR, State.DONE, Plate.UNKNOWN)
    assert said == Effects((State.DONE,), Plate.OCCUPIED, begins=True)


def test_a_run_is_complete_where_something_is_good():
    assert RULES.cleared(State.DONE, rejected=1, pieces=3) is True
    assert RULES.cleared(State.FAILED, rejected=3, pieces=3) is False
    assert RULES.cleared(State.STOPPED, rejected=0, pieces=0) is True
    assert RULES.cleared(State.NEVER, rejected=0, pieces=3) is None


def test_a_road_leads_through_every_state_and_never_back():
    assert road(State.PLANNED, State.DONE) == (
        State.SENT,
        State.ARMED,
        State.PRINTING,
        State.DONE,
    )
    assert road(State.PRINTING, State.SENT) == road(State.DONE, State.PRINTING) == ()
