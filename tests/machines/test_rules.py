"""What follows from what is told of an attempt."""

import pytest

from machines.rules import NOTHING, Effects, Rules
from machines.states import ENDS, OPEN, TRANSITIONS, AttemptState, PlateState, path_between

RULES = Rules()


def test_every_state_is_open_or_an_end_and_an_end_leads_nowhere():
    assert {*OPEN, *ENDS} == set(AttemptState) and not {*OPEN} & {*ENDS}
    assert set(TRANSITIONS) == set(OPEN)


@pytest.mark.parametrize("state", AttemptState)
def test_the_permit_is_given_to_what_was_sent_to_a_clear_plate_and_else_never(state):
    given = RULES.permitted(state, PlateState.CLEAR)

    expected = (
        Effects((AttemptState.ARMED,), PlateState.OCCUPIED)
        if state is AttemptState.SENT
        else NOTHING
    )
    assert given == expected
    assert RULES.permitted(state, PlateState.OCCUPIED) == NOTHING
    assert RULES.permitted(state, PlateState.UNKNOWN) == NOTHING


@pytest.mark.parametrize("told", AttemptState)
@pytest.mark.parametrize("state", ENDS)
def test_no_report_changes_an_end(state, told):
    assert RULES.reported(state, told) == NOTHING
    assert RULES.said(state, told, PlateState.CLEAR) == NOTHING


def test_an_end_that_is_told_of_what_was_armed_begins_the_run():
    effects = RULES.reported(AttemptState.ARMED, AttemptState.DONE)

    assert effects == Effects(
        (AttemptState.PRINTING, AttemptState.DONE), PlateState.OCCUPIED, begins=True
    )


def test_an_agent_never_begins_what_has_no_permit():
    for state in (AttemptState.PLANNED, AttemptState.SENT):
        assert RULES.reported(state, AttemptState.PRINTING) == NOTHING


def test_a_person_who_starts_a_machine_needs_a_clear_plate():
    words = (AttemptState.PLANNED, AttemptState.PRINTING)

    begun = RULES.said(*words, PlateState.CLEAR)

    through = (AttemptState.SENT, AttemptState.ARMED, AttemptState.PRINTING)
    assert begun == Effects(through, PlateState.OCCUPIED, begins=True)
    assert (
        RULES.said(*words, PlateState.OCCUPIED) == RULES.said(*words, PlateState.UNKNOWN) == NOTHING
    )


def test_how_something_unclear_ended_is_a_persons_to_say():
    assert RULES.reported(AttemptState.UNCLEAR, AttemptState.DONE) == NOTHING
    said = RULES.said(AttemptState.UNCLEAR, AttemptState.DONE, PlateState.UNKNOWN)
    assert said == Effects((AttemptState.DONE,), PlateState.OCCUPIED, begins=True)


def test_a_run_is_complete_where_something_is_good():
    assert RULES.cleared(AttemptState.DONE, rejected=1, pieces=3) is True
    assert RULES.cleared(AttemptState.FAILED, rejected=3, pieces=3) is False
    assert RULES.cleared(AttemptState.STOPPED, rejected=0, pieces=0) is True
    assert RULES.cleared(AttemptState.NEVER, rejected=0, pieces=3) is None


def test_a_road_leads_through_every_state_and_never_back():
    assert path_between(AttemptState.PLANNED, AttemptState.DONE) == (
        AttemptState.SENT,
        AttemptState.ARMED,
        AttemptState.PRINTING,
        AttemptState.DONE,
    )
    assert (
        path_between(AttemptState.PRINTING, AttemptState.SENT)
        == path_between(AttemptState.DONE, AttemptState.PRINTING)
        == ()
    )
