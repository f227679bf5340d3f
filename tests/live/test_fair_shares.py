"""One greedy account beside an ordinary user: nobody waits behind a stranger."""

import time
from uuid import uuid4

import pytest

from tests.live.client import Client, ball
from tests.live.processes import Platform, wait_for

pytestmark = pytest.mark.live

CHAINS, UPLOADS = 20, 40
STEPS = [
    {"type": "rotate", "parametersRotate": {"x": 31, "y": 17, "z": 5}},
    {"type": "auto-rotate", "parametersAutoRotate": {"build": {"x": 400, "y": 400, "z": 400}}},
] * 50
LARGE = 145  # rings: 84,000 triangles


@pytest.fixture(scope="module")
def greedy(platform: Platform) -> Client:
    return Client(platform, address="198.51.100.7")


@pytest.fixture(scope="module")
def ordinary(platform: Platform) -> Client:
    return Client(platform, address="203.0.113.9")


def small_part() -> bytes:
    """Twelve triangles, 684 bytes, which nobody has sent before."""
    data = bytearray(ball(3))
    data = data[:80] + (12).to_bytes(4, "little") + data[84 : 84 + 12 * 50]
    data[:16] = uuid4().bytes
    assert len(data) == 684
    return bytes(data)


def unfinished(client: Client, uris: list[str]) -> int:
    return sum(client.read(uri)["status"] == "processing" for uri in uris)


def test_long_transformations_do_not_delay_the_analysis_of_another_account(greedy, ordinary):
    source = greedy.settled(greedy.model(ball(LARGE)))["uri"]
    order = {"transformations": STEPS}
    chains = [
        greedy.ask("POST", f"{source}transformation/", 201, json=order).headers["Location"]
        for _ in range(CHAINS)
    ]

    waits = []
    for _ in range(3):
        begun = time.monotonic()
        ordinary.settled(ordinary.model(small_part()))
        waits.append(time.monotonic() - begun)
    left = unfinished(greedy, chains)
    print(f"verdicts of 684 bytes beside {CHAINS} chains: {[round(wait, 2) for wait in waits]} s")

    assert left >= CHAINS - 5  # the verdicts came while the chains were hardly begun
    place = greedy.read(chains[-1])["queue"]
    assert place["before"] >= CHAINS - 7

    # What nobody wants any more frees its worker at once, also while it runs.
    begun = time.monotonic()
    for chain in chains:
        greedy.ask("DELETE", chain, 204)
    mine = ordinary.ask("POST", f"{shared(ordinary)}transformation/", 201, json=order)
    ordinary.settled(mine.headers["Location"])
    print(f"a chain of one's own after theirs were deleted: {time.monotonic() - begun:.2f} s")


def shared(client: Client) -> str:
    return client.settled(client.model(small_part()))["uri"]


def test_many_uploads_of_one_account_do_not_delay_another_account(greedy, ordinary):
    made = [greedy.create_model() for _ in range(UPLOADS)]
    for number, (_, location) in enumerate(made):
        greedy.upload(location, ball(LARGE, bumps=number))
    uris = [uri for uri, _ in made]

    ordinary.settled(ordinary.model(small_part()))

    # Of what waited when the small part arrived, at most two were done first.
    wait_for(lambda: unfinished(greedy, uris) == 0)
