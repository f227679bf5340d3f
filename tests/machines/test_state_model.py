"""The rules of attempts, walked at random through a shop in which everything goes wrong."""

import os
from random import Random
from typing import ClassVar

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)
from hypothesis.strategies import booleans, integers, sampled_from

from machines.controller import AttemptController, AttemptOrder, Look, Past, Start, Tell, Turn
from machines.drivers import MachineState
from machines.rules import Effects, Rules
from machines.states import PRINTED, AttemptState, PlateState
from tests.machines.simulated_shop import Broken, Shop

WALKS = int(os.environ.get("MACHINE_WALKS", "1000"))
STEPS = 200
# How often each kind of step is taken, and what becomes of a call over the line.
KINDS = {
    "agent": 46,
    "twin": 14,
    "exchange": 16,
    "old orders": 3,
    "tick": 10,
    "plan": 10,
    "person": 8,
    "arrive": 6,
    "killed": 3,
    "stranger": 1,
    "restart": 2,
    "line": 2,
    "pause": 1,
    "resume": 2,
    "stopped": 1,
    "failed": 1,
}
FATES = {"ok": 80, "lost": 5, "unanswered": 6, "late": 6, "doubled": 3}


def walk(seed: int, rules: Rules, follower: AttemptController) -> None:
    """One walk, and the peace after it. Raises Broken."""
    random = Random(seed)
    shop = Shop(rules, follower, remembers=random.random() < 0.7)
    kinds = random.choices(list(KINDS), list(KINDS.values()), k=STEPS)
    fates = random.choices(list(FATES), list(FATES.values()), k=STEPS)
    for kind, fate in zip(kinds, fates, strict=True):
        step(shop, kind, fate, int(random.random() * 8))
    shop.peace()


def step(shop: Shop, kind: str, fate: str, which: int) -> None:
    """One thing that happens."""
    agent, twin = shop.agents
    if kind == "agent":
        shop.go_on(agent, fate, which)
    elif kind == "twin":
        shop.go_on(twin, fate, which)
    elif kind == "exchange":
        shop.exchange(agent)
    elif kind == "old orders":
        twin.orders = agent.orders
    elif kind == "tick":
        shop.machine.tick()
    elif kind == "plan":
        shop.plan()
    elif kind == "person":
        shop.look_after()
    elif kind == "arrive":
        shop.arrive(which)
    elif kind == "killed":
        agent.turn = None
    elif kind == "stranger":
        shop.stranger()
    else:
        shop.misfortune(kind)


def test_random_walks_start_and_count_each_run_once_and_end_every_run():
    for seed in range(WALKS):
        try:
            walk(seed, Rules(), AttemptController())
        except Broken as broken:
            pytest.fail(f"walk {seed}: {broken}")


# ---------------------------------------------------------------- the teeth of the model


class PermitsTwice(Rules):
    def permitted(self, state: AttemptState, plate: PlateState) -> Effects:
        if state is AttemptState.ARMED:
            return Effects((AttemptState.ARMED,))
        return super().permitted(state, plate)


class AsksForNoPlate(Rules):
    def plans(self, plate: PlateState) -> bool:
        return True

    def permitted(self, state: AttemptState, plate: PlateState) -> Effects:
        return super().permitted(state, PlateState.CLEAR)


class CountsAnEndTwice(Rules):
    def reported(self, state: AttemptState, told: AttemptState) -> Effects:
        if state in PRINTED and told in PRINTED:
            return Effects((told,))
        return super().reported(state, told)


class HandsOutAnyFile(Rules):
    def hands_out(self, state: AttemptState) -> bool:
        return True


class TakesIdleForDone(AttemptController):
    def out_of_sight(self) -> AttemptState:
        return AttemptState.DONE


class IgnoresBoots(AttemptController):
    def unbroken(self, order: AttemptOrder, seen: MachineState, after: MachineState) -> bool:
        return after.job != order.name


class StartsAgain(AttemptController):
    def settle(self, order: AttemptOrder, seen: MachineState) -> Turn:
        if seen.job == order.name:
            yield from super().settle(order, seen)
            return
        yield Start(order.name)
        yield Tell(order.name, AttemptState.PRINTING)


class DropsNothing(AttemptController):
    def settle(self, order: AttemptOrder, seen: MachineState) -> Turn:
        if seen.job == order.name:
            yield from super().settle(order, seen)
            return
        past = yield Past(order.name)
        if past in PRINTED:
            yield Tell(order.name, past)
            return
        after = yield Look()
        never = past is None and self.unbroken(order, seen, after)
        yield Tell(order.name, AttemptState.NEVER if never else AttemptState.UNCLEAR)


# Each with walks that show what it breaks.
WEAKENED = {
    "permit twice": (PermitsTwice(), AttemptController(), (6, 69, 82)),
    "plate not asked": (AsksForNoPlate(), AttemptController(), (29, 51, 83)),
    "an end counted twice": (CountsAnEndTwice(), AttemptController(), (3, 10, 13)),
    "the file for anybody": (HandsOutAnyFile(), AttemptController(), (521, 4834)),
    "idle is done": (Rules(), TakesIdleForDone(), (0, 5, 12)),
    "boot ignored": (Rules(), IgnoresBoots(), (96, 267, 309)),
    "start again without a fence": (Rules(), StartsAgain(), (2, 6, 24)),
    "no fence": (Rules(), DropsNothing(), (31, 59, 371)),
}


@pytest.mark.parametrize("weakness", WEAKENED)
def test_weakened_rules_are_detected(weakness):
    rules, follower, seeds = WEAKENED[weakness]

    for seed in seeds:
        walk(seed, Rules(), AttemptController())
        with pytest.raises(Broken):
            walk(seed, rules, follower)
    assert seeds


# ---------------------------------------------------------------- the same, drawn and shrunk


class Story(RuleBasedStateMachine):
    """Steps that hypothesis draws, and makes as few as it can where a promise is broken."""

    agent: ClassVar[AttemptController] = AttemptController()

    @initialize(remembers=booleans())
    def open_shop(self, *, remembers: bool) -> None:
        self.shop = Shop(Rules(), self.agent, remembers=remembers)
        self.shop.plan()

    @rule(kind=sampled_from([*KINDS]), fate=sampled_from([*FATES]), which=integers(0, 7))
    def happen(self, kind: str, fate: str, which: int) -> None:
        step(self.shop, kind, fate, which)

    @rule()
    def go_well(self) -> None:
        self.shop.exchange(self.shop.agents[0])
        self.shop.whole_turn(self.shop.agents[0])

    def teardown(self) -> None:
        if hasattr(self, "shop"):
            self.shop.peace()


class WeakStory(Story):
    """With a rule that the shortest story breaks."""

    agent = TakesIdleForDone()


DRAWN = settings(
    max_examples=max(WALKS // 50, 20),
    stateful_step_count=30,
    deadline=None,
    derandomize=True,
    report_multiple_bugs=False,
    phases=(Phase.generate, Phase.shrink),
    database=None,
)


def test_state_machine_holds_all_invariants():
    run_state_machine_as_test(Story, settings=DRAWN)


def test_broken_invariant_is_shrunk_to_a_short_example():
    with pytest.raises(Broken) as broken:
        run_state_machine_as_test(WeakStory, settings=settings(DRAWN, max_examples=100))

    story = "\n".join(broken.value.__notes__)
    assert 1 < story.count("state.") < 10, story
