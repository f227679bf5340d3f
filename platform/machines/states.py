"""States and transitions of a print attempt and of a build plate."""

from collections.abc import Mapping
from enum import StrEnum


class State(StrEnum):
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


class Plate(StrEnum):
    """What lies on the bed of a printer."""

    CLEAR = "clear"
    OCCUPIED = "occupied"
    UNKNOWN = "unknown"


# How a print that began can end.
PRINTED = (State.DONE, State.STOPPED, State.FAILED)
ENDS = (State.NEVER, *PRINTED)
OPEN = tuple(state for state in State if state not in ENDS)

TRANSITIONS: Mapping[State, frozenset[State]] = {
    State.PLANNED: frozenset({State.SENT, State.NEVER}),
    State.SENT: frozenset({State.ARMED, State.NEVER}),
    State.ARMED: frozenset({State.PRINTING, State.NEVER, State.UNCLEAR}),
    State.PRINTING: frozenset({State.PAUSED, State.UNCLEAR, *PRINTED}),
    State.PAUSED: frozenset({State.PRINTING, State.UNCLEAR, *PRINTED}),
    State.UNCLEAR: frozenset(ENDS),
}

_ROAD = (State.PLANNED, State.SENT, State.ARMED, State.PRINTING)


def road(state: State, to: State) -> tuple[State, ...]:
    """The states that an attempt comes through on its way; empty where no way leads there."""
    if to in TRANSITIONS.get(state, ()):
        return (to,)
    if state not in _ROAD or to not in {State.PRINTING, *TRANSITIONS[State.PRINTING]}:
        return ()
    ahead = _ROAD[_ROAD.index(state) + 1 :]
    return ahead if to is State.PRINTING else (*ahead, to)
