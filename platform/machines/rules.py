"""Platform-side rules of a print attempt: reported state to effects."""

from typing import NamedTuple

from machines.drivers import Doing
from machines.states import ENDS, PRINTED, Plate, State, road


class Effects(NamedTuple):
    """What follows from a word; empty where nothing does.

    through : the states that the attempt goes through, the last of them to stay in
    plate   : what is known of the plate from now on; None: what was
    begins  : whether the run has begun, at the latest with it
    """

    through: tuple[State, ...] = ()
    plate: Plate | None = None
    begins: bool = False


NOTHING = Effects()


class Rules:
    """The platform's side. An end is an end, and only a permit lets a print begin."""

    def plans(self, plate: Plate) -> bool:
        """Whether an attempt may be planned on a printer that has no other."""
        return plate is Plate.CLEAR

    def hands_out(self, state: State) -> bool:
        """Whether the file of an attempt is given to whoever is to bring it to the machine."""
        return state is State.PLANNED

    def permitted(self, state: State, plate: Plate) -> Effects:
        """The permit to start is asked for: it is given once."""
        if state is not State.SENT or plate is not Plate.CLEAR:
            return NOTHING
        return Effects((State.ARMED,), Plate.OCCUPIED)

    def reported(self, state: State, told: State) -> Effects:
        """An agent tells what it knows of the machine.

        What was armed and has ended printed in between. How something unclear ended is a
        person's to say.
        """
        if state is State.PLANNED and told is State.SENT:
            return Effects((State.SENT,))
        if state not in (State.ARMED, State.PRINTING, State.PAUSED):
            return NOTHING
        return _along(state, told)

    def said(self, state: State, word: State, plate: Plate) -> Effects:
        """A person at the machine tells it, who also is who starts it: with a clear plate only."""
        if word in (State.SENT, State.ARMED, State.UNCLEAR) or state in ENDS:
            return NOTHING
        found = _along(state, word)
        if State.ARMED in found.through and plate is not Plate.CLEAR:
            return NOTHING
        return found

    def cleared(self, state: State, *, rejected: int, pieces: int) -> bool | None:
        """Whether the run is complete when what is left of a print is taken off the plate.

        None where nothing was printed.
        """
        if state not in PRINTED:
            return None
        return not pieces or rejected < pieces


def _along(state: State, to: State) -> Effects:
    through = road(state, to)
    if not through:
        return NOTHING
    begins = State.PRINTING in through or to in PRINTED
    if to is State.UNCLEAR:
        return Effects(through, Plate.UNKNOWN, begins)
    if to is State.NEVER:
        return Effects(through)
    return Effects(through, Plate.OCCUPIED, begins)


_AT_WORK = (Doing.BUSY, Doing.PRINTING, Doing.PAUSED, Doing.STOPPING)


def shown(state: State | None, doing: Doing | None = None) -> str:
    """What a printer is to the eye.

    state : of its open attempt, or of the last one that was not cleared
    doing : what its machine does, where a program sees it
    """
    if state in (State.UNCLEAR, State.FAILED) or doing in (Doing.FAILED, Doing.ATTENTION):
        return "error"
    if doing is Doing.OFFLINE:
        return "offline"
    at_work = state in (State.ARMED, State.PRINTING, State.PAUSED) or doing in _AT_WORK
    return "printing" if at_work else "idle"
