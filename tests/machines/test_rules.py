"""What follows from what is told of an attempt."""

import pytest

from machines.rules import NOTHING, Effects, Rules
from machines.states import ENDS, OPEN, TRANSITIONS, AttemptState, PlateState, path_between

RULES = Rules()


def test_states_are_open_or_final_and_final_states_have_no_transitions():
    assert {*OPEN, *ENDS} == set(AttemptState) and not {*OPEN} & {*ENDS}
    assert set(TRANSITIONS) == set(OPEN)


@pytest.mark.parametrize("state", AttemptState)
def test_permit_is_granted_only_to_sent_attempt_on_clear_plate(state):
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
def test_reports_do_not_change_a_final_state(state, told):
    assert RULES.reported(state, told) == NOTHING
    assert RULES.said(state, told, PlateState.CLEAR) == NOTHING


def test_reported_end_of_armed_attempt_begins_the_run():
    effects = RULES.reported(AttemptState.ARMED, AttemptState.DONE)

    assert effects == Effects(
        (AttemptState.PRINTING, AttemptState.DONE), PlateState.OCCUPIED, begins=True
    )


def test_agent_report_cannot_begin_an_attempt_without_permit():
    for state in (AttemptState.PLANNED, AttemptState.SENT):
        assert RULES.reported(state, AttemptState.PRINTING) == NOTHING


def test_manual_start_requires_a_clear_plate():
    words = (AttemptState.PLANNED, AttemptState.PRINTING)

    begun = RULES.said(*words, PlateState.CLEAR)

    through = (AttemptState.SENT, AttemptState.ARMED, AttemptState.PRINTING)
    assert begun == Effects(through, PlateState.OCCUPIED, begins=True)
    assert (
        RULES.said(*words, PlateState.OCCUPIED) == RULES.said(*words, PlateState.UNKNOWN) == NOTHING
    )


def test_unclear_attempt_is_resolved_by_a_person_only():
    assert RULES.reported(AttemptState.UNCLEAR, AttemptState.DONE) == NOTHING
    said = RULES.said(AttemptState.UNCLEAR, AttemptState.DONE, PlateState.UNKNOWN)
    assert said == Effects((AttemptState.DONE,), PlateState.OCCUPIED, begins=True)


def test_run_is_complete_unless_all_its_pieces_are_rejected():
    assert RULES.cleared(AttemptState.DONE, rejected=1, pieces=3) is True
    assert RULES.cleared(AttemptState.FAILED, rejected=3, pieces=3) is False
    assert RULES.cleared(AttemptState.STOPPED, rejected=0, pieces=0) is True
    assert RULES.cleared(AttemptState.NEVER, rejected=0, pieces=3) is None


def test_path_between_states_includes_every_step_and_never_goes_back():
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
