"""Platform-side rules of a print attempt: reported state to effects."""

from typing import NamedTuple

from machines.drivers import MachineStatus
from machines.states import ENDS, PRINTED, AttemptState, PlateState, path_between


class Effects(NamedTuple):
    """What follows from a word; empty where nothing does.

    through : the states that the attempt goes through, the last of them to stay in
    plate   : what is known of the plate from now on; None: what was
    begins  : whether the run has begun, at the latest with it
    """

    through: tuple[AttemptState, ...] = ()
    plate: PlateState | None = None
    begins: bool = False


NOTHING = Effects()
AT_WORK = (
    MachineStatus.BUSY,
    MachineStatus.PRINTING,
    MachineStatus.PAUSED,
    MachineStatus.STOPPING,
)
# In these states the machine does not show how a print ends.
UNSEEN = (MachineStatus.OFFLINE, MachineStatus.ATTENTION, MachineStatus.FAILED)


class Rules:
    """The platform's side. An end is an end, and only a permit lets a print begin."""

    def plans(self, plate: PlateState) -> bool:
        """Whether an attempt may be planned on a printer that has no other."""
        return plate is PlateState.CLEAR

    def hands_out(self, state: AttemptState) -> bool:
        """Whether the file of an attempt is given to whoever is to bring it to the machine."""
        return state is AttemptState.PLANNED

    def permitted(self, state: AttemptState, plate: PlateState) -> Effects:
        """The permit to start is asked for: it is given once."""
        if state is not AttemptState.SENT or plate is not PlateState.CLEAR:
            return NOTHING
        return Effects((AttemptState.ARMED,), PlateState.OCCUPIED)

    def reported(self, state: AttemptState, reported_state: AttemptState) -> Effects:
        """An agent tells what it knows of the machine.

        What was armed and has ended printed in between. How something unclear ended is a
        person's to say.
        """
        if state is AttemptState.PLANNED and reported_state is AttemptState.SENT:
            return Effects((AttemptState.SENT,))
        if state not in (AttemptState.ARMED, AttemptState.PRINTING, AttemptState.PAUSED):
            return NOTHING
        return _along(state, reported_state)

    def said(self, state: AttemptState, word: AttemptState, plate: PlateState) -> Effects:
        """A person at the machine tells it, who also is who starts it: with a clear plate only."""
        if word in (AttemptState.SENT, AttemptState.ARMED, AttemptState.UNCLEAR) or state in ENDS:
            return NOTHING
        found = _along(state, word)
        if AttemptState.ARMED in found.through and plate is not PlateState.CLEAR:
            return NOTHING
        return found

    def accepts(
        self, state: AttemptState, word: AttemptState, machine: MachineStatus, *, prints: bool
    ) -> bool:
        """Whether a person may report `word` of an attempt whose machine an agent drives.

        As long as the agent sees the machine, the agent reports what the machine does. A person
        reports it where nobody else can: the machine is out of reach or needs attention, or the
        state of the attempt is unclear.

        machine : what the agent sees
        prints  : whether the machine is at work on this attempt
        """
        if machine in UNSEEN or word is AttemptState.NEVER:
            return True
        return state is AttemptState.UNCLEAR and not prints

    def cleared(self, state: AttemptState, *, rejected: int, pieces: int) -> bool | None:
        """Whether the run is complete when what is left of a print is taken off the plate.

        None where nothing was printed.
        """
        if state not in PRINTED:
            return None
        return not pieces or rejected < pieces


def _along(state: AttemptState, to: AttemptState) -> Effects:
    through = path_between(state, to)
    if not through:
        return NOTHING
    begins = AttemptState.PRINTING in through or to in PRINTED
    if to is AttemptState.UNCLEAR:
        return Effects(through, PlateState.UNKNOWN, begins)
    if to is AttemptState.NEVER:
        return Effects(through)
    return Effects(through, PlateState.OCCUPIED, begins)


def shown(state: AttemptState | None, doing: MachineStatus | None = None) -> str:
    """What a printer is to the eye.

    state : of its open attempt, or of the last one that was not cleared
    doing : what its machine does, where a program sees it
    """
    if state in (AttemptState.UNCLEAR, AttemptState.FAILED) or doing in (
        MachineStatus.FAILED,
        MachineStatus.ATTENTION,
    ):
        return "error"
    if doing is MachineStatus.OFFLINE:
        return "offline"
    at_work = (
        state in (AttemptState.ARMED, AttemptState.PRINTING, AttemptState.PAUSED)
        or doing in AT_WORK
    )
    return "printing" if at_work else "idle"
