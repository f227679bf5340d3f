"""Attacks on a running platform, each beside an ordinary user."""

from contextlib import ExitStack

from tests.attacks import front, work
from tests.attacks.ordinary import Felt, Ordinary, Target, until

ATTACKS = {
    attack.__name__: attack
    for attack in (
        front.half_open,
        front.bodies,
        front.logins,
        front.disk,
        front.drips,
        work.chains,
        work.slices,
        work.pictures,
        work.newcomers,
    )
}


def suffer(target: Target, name: str, ordinary: Ordinary, seconds: float) -> Felt:
    """What the ordinary user feels for so long under an attack; `alone` is none."""
    with ATTACKS[name](target) if name != "alone" else ExitStack():
        return ordinary.live(until(seconds))
