"""A small shop in which everything goes wrong: a platform, two agents, a line, a machine, a person.

The platform and the agents decide by the rules of `machines`; the machine and the line are played,
and know what really happened.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

from machines.controller import (
    AttemptController,
    AttemptOrder,
    Drop,
    Look,
    Past,
    Permit,
    Put,
    Start,
    Tell,
)
from machines.drivers import MachineState, MachineStatus, NoAnswer, NotSent, Rejected
from machines.rules import Effects, Rules
from machines.states import OPEN, PRINTED, AttemptState, PlateState

LENGTH = 4  # ticks of a print
SECONDS = 2.0  # of a tick
RUNS = 3
ROUNDS = 80  # of peace, in which every run must end


class Broken(AssertionError):
    """A promise that was not kept."""


@dataclass
class Attempt:
    """A row of the platform's."""

    name: str
    run: int
    state: AttemptState = AttemptState.PLANNED
    boot: str | None = None
    ended: int = 0
    cleared: bool = False


@dataclass
class Machine:
    """A host with its printer, and the truth: what was begun, and how it ended.

    remembers : whether it keeps records and shows how the last one ended; others forget at once
    """

    remembers: bool
    files: set[str] = field(default_factory=set)
    doing: MachineStatus = MachineStatus.IDLE
    job: str | None = None
    left: int = 0
    boot: int = 0
    ticks: int = 0
    records: dict[str, AttemptState] = field(default_factory=dict)
    begun: list[str] = field(default_factory=list)
    ends: dict[str, AttemptState] = field(default_factory=dict)
    on_plate: str | None = None

    @property
    def at_work(self) -> bool:
        return self.doing in (MachineStatus.PRINTING, MachineStatus.PAUSED)

    def look(self) -> MachineState:
        return MachineState(self.doing, self.job, self._boot(), self.ticks * SECONDS)

    def _boot(self) -> str | None:
        return str(self.boot) if self.remembers else None

    def start(self, name: str, *, foreign: bool = False) -> None:
        if self.at_work:
            raise Rejected
        if name not in self.files and not foreign:
            raise Rejected
        if self.on_plate is not None:
            raise Broken(f"{name} was begun on a plate with {self.on_plate}")
        if name in self.begun:
            raise Broken(f"{name} was begun twice")
        self.begun.append(name)
        self.doing, self.job, self.left, self.on_plate = MachineStatus.PRINTING, name, LENGTH, name

    def end(self, end: AttemptState) -> None:
        self.ends[str(self.job)] = end
        self.doing = MachineStatus(end)
        if self.remembers:
            self.records[str(self.job)] = end

    def tick(self) -> None:
        self.ticks += 1
        if self.doing is MachineStatus.PRINTING:
            self.left -= 1
            if not self.left:
                self.end(AttemptState.DONE)
        elif self.doing is not MachineStatus.PAUSED and not self.remembers:
            self.doing, self.job = MachineStatus.IDLE, None

    def make_ready(self) -> None:
        """A person sees to a machine that has failed."""
        if self.doing is MachineStatus.FAILED:
            self.doing, self.job = MachineStatus.IDLE, None

    def restart(self) -> None:
        """The host is killed and comes back: what it printed is scrap, and nobody wrote it down."""
        if self.at_work:
            self.ends[str(self.job)] = AttemptState.FAILED
        self.boot += 1
        self.doing, self.job = MachineStatus.IDLE, None

    def past(self, name: str) -> AttemptState | None:
        return self.records.get(name) if self.remembers else AttemptState.UNCLEAR

    def drop(self, name: str) -> bool:
        if self.at_work and self.job == name:
            return False
        self.files.discard(name)
        return True


@dataclass
class Agent:
    """What it last heard of the attempts, and the turn that it is in the middle of."""

    orders: list[AttemptOrder] = field(default_factory=list)
    turn: Generator[Any, Any, None] | None = None
    answer: Any = None


class Shop:
    """All of it; `step` by name, each with the fate of what goes over the line."""

    def __init__(self, rules: Rules, follower: AttemptController, *, remembers: bool):
        self.rules, self.follower = rules, follower
        self.machine = Machine(remembers)
        self.online = True
        self.agents = [Agent(), Agent()]
        self.attempts: list[Attempt] = []
        self.by_name: dict[str, Attempt] = {}
        self.plate = PlateState.CLEAR
        self.runs = ["queued"] * RUNS
        self.late: list[Callable[[], Any]] = []
        self.strangers = 0

    # ------------------------------------------------------------ the platform

    def plan(self) -> None:
        """The platform plans the next run, where the printer is free."""
        held = {attempt.run for attempt in self.attempts if attempt.state in OPEN}
        waiting = [at for at, status in enumerate(self.runs) if status == "queued"]
        if held or not waiting or not self.rules.plans(self.plate):
            return
        attempt = Attempt(f"run-{waiting[0]}-{len(self.attempts)}", waiting[0])
        self.attempts.append(attempt)
        self.by_name[attempt.name] = attempt

    def permit(self, name: str) -> bool:
        attempt = self.by_name[name]
        effects = self.rules.permitted(attempt.state, self.plate)
        self._apply(attempt, effects)
        return bool(effects.through)

    def report(self, told: Tell) -> None:
        attempt = self.by_name[told.name]
        if told.state is AttemptState.SENT and attempt.state is AttemptState.PLANNED:
            attempt.boot = told.boot
        self._apply(attempt, self.rules.reported(attempt.state, told.state))

    def _apply(self, attempt: Attempt, effects: Effects) -> None:
        for state in effects.through:
            attempt.state = state
            attempt.ended += state in PRINTED
        if attempt.ended > 1:
            raise Broken(f"the end of {attempt.name} was counted twice")
        if effects.begins:
            self.runs[attempt.run] = "in-progress"
        self.plate = effects.plate or self.plate
        if attempt.state is AttemptState.NEVER and attempt.name in self.machine.begun:
            raise Broken(f"{attempt.name} was begun, and is told to have never been")

    # ------------------------------------------------------------ the person

    def look_after(self) -> None:
        """A person looks at the plate: says what is unclear, clears it, and tells the truth."""
        machine = self.machine
        if machine.at_work:
            return
        for attempt in self.attempts:
            if attempt.state is AttemptState.UNCLEAR:
                truth = machine.ends.get(attempt.name, AttemptState.NEVER)
                self._apply(attempt, self.rules.said(attempt.state, truth, self.plate))
                return
        if any(attempt.state in OPEN and attempt.state not in _BEFORE for attempt in self.attempts):
            return
        machine.make_ready()
        if self.plate is PlateState.CLEAR:
            return
        machine.on_plate = None
        self.plate = PlateState.CLEAR
        for attempt in self.attempts:
            if not attempt.cleared and attempt.state in PRINTED:
                attempt.cleared = True
                self._book(attempt)

    def _book(self, attempt: Attempt) -> None:
        rejected = 0 if attempt.state is AttemptState.DONE else 1
        complete = self.rules.cleared(attempt.state, rejected=rejected, pieces=1)
        if self.runs[attempt.run] != "in-progress":
            raise Broken(f"run {attempt.run} is {self.runs[attempt.run]}, and is counted")
        if self.machine.ends.get(attempt.name) is not attempt.state:
            raise Broken(f"{attempt.name} is counted as {attempt.state}, and was not that")
        self.runs[attempt.run] = "complete" if complete else "error"

    def stranger(self) -> None:
        """Somebody prints something of their own, on an empty plate, and takes it along."""
        if not self.machine.at_work and self.machine.on_plate is None and self.online:
            self.strangers += 1
            self.machine.start(f"stranger-{self.strangers}", foreign=True)
            self.machine.on_plate = None

    # ------------------------------------------------------------ the agents and the line

    def exchange(self, agent: Agent) -> None:
        """The agent hears how things stand; whoever misses it goes on with what it heard before."""
        agent.orders = [
            AttemptOrder(a.name, a.state, a.boot) for a in self.attempts if a.state in OPEN
        ]

    def go_on(self, agent: Agent, fate: str, which: int = 0) -> None:
        """An agent makes one call of its turn, or begins one."""
        try:
            if agent.turn is None:
                if not agent.orders:
                    return
                agent.turn = self.follower.turn(agent.orders[which % len(agent.orders)])
                call = next(agent.turn)
            else:
                call = agent.turn.send(agent.answer)
            agent.answer = self._carry(call, fate)
        except StopIteration:
            agent.turn = None
        except (NotSent, Rejected, NoAnswer) as error:
            self._throw(agent, error)

    def whole_turn(self, agent: Agent) -> None:
        """A turn of an agent in which nothing goes wrong on the line."""
        agent.turn = None
        self.go_on(agent, "ok")
        while agent.turn is not None:
            self.go_on(agent, "ok")

    def _throw(self, agent: Agent, error: Exception) -> None:
        """Something went wrong with a call: the turn says what then, or is over."""
        turn, agent.turn = agent.turn, None
        try:
            if turn is not None:
                turn.throw(error)
        except (StopIteration, NotSent, Rejected, NoAnswer):
            pass

    def _carry(self, call: Any, fate: str) -> Any:
        """Do what a turn asks for; `fate` says what becomes of it on the way."""
        if fate == "lost":
            return _unanswered(call)
        if fate == "late" and isinstance(call, Start | Tell | Permit | Drop):
            self.late.append(lambda: self._do(call))
            raise NoAnswer
        if fate == "doubled" and not isinstance(call, Look):
            self._do(call)
        answer = self._do(call)
        return _unanswered(call) if fate == "unanswered" else answer

    def _do(self, call: Any) -> Any:
        if isinstance(call, Permit):
            return self.permit(call.name)
        if isinstance(call, Tell):
            return self.report(call)
        if isinstance(call, Look):
            return self.machine.look() if self.online else _OFFLINE
        if not self.online:
            raise NoAnswer
        if isinstance(call, Put):
            if not self.rules.hands_out(self.by_name[call.name].state):
                raise Rejected
            return self.machine.files.add(call.name)
        if isinstance(call, Start):
            return self.machine.start(call.name)
        return self.machine.past(call.name) if isinstance(call, Past) else self._drop(call)

    def _drop(self, call: Drop) -> bool:
        return self.machine.drop(call.name)

    def arrive(self, which: int = 0) -> None:
        """What hung on the line arrives, and nobody waits for its answer."""
        if self.late:
            try:
                self.late.pop(which % len(self.late))()
            except (Rejected, NoAnswer):
                pass

    # ------------------------------------------------------------ faults of the machine

    def misfortune(self, what: str) -> None:
        """Something happens at the machine."""
        machine = self.machine
        if what == "restart":
            machine.restart()
        elif what == "line":
            self.online = not self.online
        elif machine.at_work and what in PRINTED:
            machine.end(AttemptState(what))
        elif machine.doing is MachineStatus.PRINTING and what == "pause":
            machine.doing = MachineStatus.PAUSED
        elif machine.doing is MachineStatus.PAUSED and what == "resume":
            machine.doing = MachineStatus.PRINTING

    # ------------------------------------------------------------ peace

    def peace(self) -> None:
        """No more faults: every run comes to its end, as what it was, begun once."""
        self.online = True
        agent = self.agents[0]
        for _ in range(ROUNDS):
            if not any(status in ("queued", "in-progress") for status in self.runs):
                break
            self.arrive()
            self.misfortune("resume")
            self.machine.tick()
            self.look_after()
            self.plan()
            self.exchange(agent)
            self.whole_turn(agent)
        if any(status in ("queued", "in-progress") for status in self.runs):
            raise Broken(f"no end: {self.runs}, {self.attempts}")
        for run in range(RUNS):
            prints = [name for name in self.machine.begun if name.startswith(f"run-{run}-")]
            if len(prints) != 1:
                raise Broken(f"run {run} was begun {len(prints)} times: {prints}")


_OFFLINE = MachineState(MachineStatus.OFFLINE)
_BEFORE = (AttemptState.PLANNED, AttemptState.SENT)


def _unanswered(call: Any) -> MachineState:
    if isinstance(call, Look):
        return _OFFLINE
    raise NoAnswer
