"""Controller of a print attempt (sans-I/O coroutine): upload, start with a permit, track, settle.

A turn is a generator: it yields what it asks of the machine or the platform, and is sent the
answer, or what went wrong. Who carries it out may wait for a network, or play one.
"""

from collections.abc import Generator
from typing import Any, NamedTuple

from machines.drivers import (
    ExclusionResult,
    MachineState,
    MachineStatus,
    NoAnswer,
    ObjectLabel,
    Rejected,
)
from machines.states import PRINTED, AttemptState

# s between two looks in which no print can have begun and ended.
BRIEF = 4.0


class AttemptOrder(NamedTuple):
    """What the platform says of an attempt.

    boot   : of the host which took its file
    wanted : what the machine is to do while it prints: go on, pause or stop
    skip   : what it is to leave out
    frame_interval : s between two pictures of its camera while it prints; None: take none
    """

    name: str
    state: AttemptState
    boot: str | None = None
    wanted: AttemptState | None = None
    skip: tuple[ObjectLabel, ...] = ()
    frame_interval: float | None = None


class Look(NamedTuple):
    """How is the machine? Answered by Seen."""


class Put(NamedTuple):
    """Stream the file from the platform, which gives it while it is planned, to the machine."""

    name: str


class Permit(NamedTuple):
    """May it start? The platform answers True once."""

    name: str


class Start(NamedTuple):
    """Print it."""

    name: str


class Past(NamedTuple):
    """How did it end? As `Driver.past`."""

    name: str


class Drop(NamedTuple):
    """Delete the file: from then on a start that is still under way finds nothing."""

    name: str


class Pause(NamedTuple):
    """Pause the print."""


class Resume(NamedTuple):
    """Go on with it."""


class Cancel(NamedTuple):
    """End it."""


class Skip(NamedTuple):
    """Leave this out. Answered by Skipped."""

    part: ObjectLabel


class Tell(NamedTuple):
    """Tell the platform.

    skips : what became of objects that were to be left out, by their names
    """

    name: str
    state: AttemptState
    boot: str | None = None
    text: str = ""
    skips: tuple[tuple[str, ExclusionResult], ...] = ()


Turn = Generator[Any, Any, None]

# The reported state of a machine that prints our file.
_REPORTED = {
    MachineStatus.PRINTING: AttemptState.PRINTING,
    MachineStatus.PAUSED: AttemptState.PAUSED,
    MachineStatus.ATTENTION: AttemptState.PAUSED,
    MachineStatus.DONE: AttemptState.DONE,
    MachineStatus.STOPPED: AttemptState.STOPPED,
    MachineStatus.FAILED: AttemptState.FAILED,
}
# What a machine shows that can begin another print.
READY = (MachineStatus.IDLE, MachineStatus.DONE, MachineStatus.STOPPED)
# What it shows of a print that is over and may lie on its plate.
ENDED = (MachineStatus.DONE, MachineStatus.STOPPED, MachineStatus.FAILED)
# What a machine does while a print is under way.
PRINTING = (MachineStatus.PRINTING, MachineStatus.PAUSED)
# After these nobody is to print the file again by mistake.
_ENDED = (*PRINTED, AttemptState.UNCLEAR)
# What brings a machine from what it does to what is wanted; it is asked again until it does that.
_COMMANDS: dict[tuple[MachineStatus, AttemptState | None], Pause | Resume | Cancel] = {
    (MachineStatus.PRINTING, AttemptState.PAUSED): Pause(),
    (MachineStatus.PAUSED, AttemptState.PRINTING): Resume(),
    (MachineStatus.PRINTING, AttemptState.STOPPED): Cancel(),
    (MachineStatus.PAUSED, AttemptState.STOPPED): Cancel(),
}
# While it is one of these nothing can be known.
_WAIT = (MachineStatus.OFFLINE, MachineStatus.BUSY, MachineStatus.STOPPING)


class AttemptController:
    """The agent's side. It keeps nothing: each turn begins with the platform's word and a look."""

    def turn(self, order: AttemptOrder) -> Turn:
        """What is to be done next with an attempt."""
        seen: MachineState = yield Look()
        if order.state is AttemptState.PLANNED:
            yield from self.bring(order, seen)
        elif order.state is AttemptState.SENT:
            yield from self.start(order, seen)
        elif order.state is AttemptState.ARMED:
            yield from self.settle(order, seen)
        elif order.state in (AttemptState.PRINTING, AttemptState.PAUSED):
            yield from self.watch(order, seen)

    def bring(self, order: AttemptOrder, seen: MachineState) -> Turn:
        """Bring the file to a machine that is free."""
        if seen.doing in READY:
            yield Put(order.name)
            yield Tell(order.name, AttemptState.SENT, seen.boot)

    def start(self, order: AttemptOrder, seen: MachineState) -> Turn:
        """Start with a permit; without an answer, the next turn settles it."""
        if seen.doing not in READY or not (yield Permit(order.name)):
            return
        try:
            yield Start(order.name)
        except (NoAnswer, Rejected):
            return
        yield Tell(order.name, AttemptState.PRINTING)

    def settle(self, order: AttemptOrder, seen: MachineState) -> Turn:
        """Find out whether what may have been started was; it is never started again."""
        if seen.doing in _WAIT:
            return
        if seen.job == order.name and seen.doing in _REPORTED:
            yield Tell(order.name, _REPORTED[seen.doing], text=seen.text)
            return
        past = yield Past(order.name)
        if past in PRINTED:
            yield Tell(order.name, past)
            return
        if not (yield Drop(order.name)):
            yield Tell(order.name, AttemptState.PRINTING)
            return
        after: MachineState = yield Look()
        never = past is None and self.unbroken(order, seen, after)
        yield Tell(order.name, AttemptState.NEVER if never else AttemptState.UNCLEAR)

    def unbroken(self, order: AttemptOrder, seen: MachineState, after: MachineState) -> bool:
        """Whether the host is still the one that took the file, and nothing escaped these looks."""
        same = seen.boot is not None and order.boot == seen.boot == after.boot
        return same and after.job != order.name and after.at - seen.at <= BRIEF

    def watch(self, order: AttemptOrder, seen: MachineState) -> Turn:
        """Follow a print; one that is out of sight has ended as the machine remembers, or is
        unclear."""
        if seen.doing in _WAIT:
            return
        ours = seen.job == order.name or (seen.doing is MachineStatus.FAILED and seen.job is None)
        if ours and seen.doing in _REPORTED:
            state = _REPORTED[seen.doing]
        else:
            past = yield Past(order.name)
            state = past if past in PRINTED else self.out_of_sight()
        yield Tell(order.name, state, text=seen.text)
        if state in _ENDED:
            yield Drop(order.name)
            return
        if order.skip and seen.doing in PRINTING:
            yield from self.leave_out(order, state)
        if (call := _COMMANDS.get((seen.doing, order.wanted))) is not None:
            yield call

    def leave_out(self, order: AttemptOrder, state: AttemptState) -> Turn:
        """Have objects left out; where one may be under way it is asked for again in the next
        turn."""
        skips = []
        for part in order.skip:
            try:
                skips.append((part.name, (yield Skip(part))))
            except Rejected:
                skips.append((part.name, ExclusionResult.CANNOT))
        yield Tell(order.name, state, skips=tuple(skips))

    def out_of_sight(self) -> AttemptState:
        """What becomes of a print that the machine neither shows nor remembers."""
        return AttemptState.UNCLEAR
