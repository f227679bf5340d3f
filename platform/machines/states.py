"""States and transitions of a print attempt and of a build plate."""

from collections.abc import Mapping
from enum import StrEnum


class AttemptState(StrEnum):
    """Of an attempt: one try to print one run on one printer."""

    PLANNED = "planned"  # it has a name, and the machine has nothing of it yet
    SENT = "sent"  # the machine has its file
    ARMED = "armed"  # the one permit to start it was given
    PRINTING = "printing"
    PAUSED = "paused"
    UNCLEAR = "unclear"  # what became of it cannot be known without looking
    NEVER = "never"  # it did not begin
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


class PlateState(StrEnum):
    """What lies on the bed of a printer."""

    CLEAR = "clear"
    OCCUPIED = "occupied"
    UNKNOWN = "unknown"


# How a print that began can end.
PRINTED = (AttemptState.DONE, AttemptState.STOPPED, AttemptState.FAILED)
ENDS = (AttemptState.NEVER, *PRINTED)
OPEN = tuple(state for state in AttemptState if state not in ENDS)

TRANSITIONS: Mapping[AttemptState, frozenset[AttemptState]] = {
    AttemptState.PLANNED: frozenset({AttemptState.SENT, AttemptState.NEVER}),
    AttemptState.SENT: frozenset({AttemptState.ARMED, AttemptState.NEVER}),
    AttemptState.ARMED: frozenset(
        {AttemptState.PRINTING, AttemptState.NEVER, AttemptState.UNCLEAR}
    ),
    AttemptState.PRINTING: frozenset({AttemptState.PAUSED, AttemptState.UNCLEAR, *PRINTED}),
    AttemptState.PAUSED: frozenset({AttemptState.PRINTING, AttemptState.UNCLEAR, *PRINTED}),
    AttemptState.UNCLEAR: frozenset(ENDS),
}

_MAIN_PATH = (AttemptState.PLANNED, AttemptState.SENT, AttemptState.ARMED, AttemptState.PRINTING)


def path_between(state: AttemptState, to: AttemptState) -> tuple[AttemptState, ...]:
    """The states that an attempt comes through on its way; empty where no way leads there."""
    if to in TRANSITIONS.get(state, ()):
        return (to,)
    if state not in _MAIN_PATH or to not in {
        AttemptState.PRINTING,
        *TRANSITIONS[AttemptState.PRINTING],
    }:
        return ()
    ahead = _MAIN_PATH[_MAIN_PATH.index(state) + 1 :]
    return ahead if to is AttemptState.PRINTING else (*ahead, to)
