"""Attacks on a running platform, each beside an ordinary user."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from ipaddress import ip_address

from tests.attacks import network_attacks, order_attacks, resource_attacks, visit_attacks
from tests.attacks.ordinary_user import Felt, Ordinary, Target, until

ATTACKS = {
    attack.__name__: attack
    for attack in (
        network_attacks.half_open,
        network_attacks.silent,
        network_attacks.preface,
        network_attacks.unread,
        network_attacks.bodies,
        network_attacks.logins,
        network_attacks.credentials,
        network_attacks.disk,
        network_attacks.trickled_uploads,
        network_attacks.uploads_in_pieces,
        network_attacks.drips,
        resource_attacks.chains,
        resource_attacks.slices,
        resource_attacks.raw_slices,
        resource_attacks.raw_slices_cura,
        resource_attacks.raw_slices_fuzzy,
        resource_attacks.pictures,
        resource_attacks.healings,
        resource_attacks.conversions,
        resource_attacks.healings_of_newcomers,
        resource_attacks.newcomers,
        order_attacks.price_tables,
        order_attacks.price_tables_at_limit,
        order_attacks.packings,
        order_attacks.packings_quick,
        visit_attacks.visits,
    )
}


def suffer(
    target: Target,
    names: Sequence[str],
    ordinary: Ordinary,
    seconds: float,
    *,
    has_jobs: bool = True,
) -> Felt:
    """What the ordinary user feels for so long under these attacks at once."""
    with ExitStack() as attacks:
        for number, name in enumerate(names):
            # Each from an address of its own, for which connections are counted.
            stranger = str(ip_address(target.stranger) + number)
            attacks.enter_context(ATTACKS[name](replace(target, stranger=stranger)))
        return ordinary.live(until(seconds), has_jobs=has_jobs)
