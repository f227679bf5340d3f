"""Attacks by work: one account, or many new ones of a network, ask for more than their share."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from tests.attacks.ordinary_user import Target, operation
from tests.live.client import CONFIG, Client, ball

CHAINS, PICTURES, NEWCOMERS = 20, 60, 25
HEALINGS = 50
MIDDLING = 60  # rings: 14,000 triangles, of each newcomer
SLICES = int(os.environ.get("ATTACK_SLICES", "60"))
LARGE = 145  # rings: 84,000 triangles
STEPS = [
    {"type": "rotate", "parametersRotate": {"x": 31, "y": 17, "z": 5}},
    {"type": "auto-rotate", "parametersAutoRotate": {"build": {"x": 400, "y": 400, "z": 400}}},
] * 50


class Greedy:
    """Somebody who sends a part, of 84,000 triangles as a rule, and then much work on it."""

    def __init__(self, client: Client, *, bumps: int = 9, rings: int = LARGE):
        self.client = client
        self.part = client.model(ball(rings, bumps=bumps))
        self.ordered: list[str] = []

    def transform(self, count: int) -> None:
        """Chains of a hundred steps."""
        self._order(f"{self.part}transformation/", count, lambda _: {"transformations": STEPS})

    def slice(self, count: int) -> None:
        """Slices, each by a config of its own."""
        configs = [self._config(density) for density in range(5, 5 + min(count, 90))]

        def order(number: int) -> dict[str, Any]:
            return {"model": self.part, "config": configs[number % len(configs)]}

        self._order("slicing/slice/", count, order)

    def slice_raw(self, count: int, engine: str, content: str) -> None:
        """Slices, each by a raw config of its own that differs in a comment."""
        configs = []
        for number in range(count):
            order = {"engine": engine, "content": f"{content}# {number}\n"}
            answer = self.client.ask("POST", "slicing/config/raw/", 201, json=order)
            configs.append(answer.headers["Location"])
        self._order(
            "slicing/slice/",
            count,
            lambda number: {"model": self.part, "config": configs[number % count]},
        )

    def draw(self, count: int) -> None:
        """Pictures, each with more samples than the one before."""
        self._order(f"{self.part}snapshot/", count, lambda number: {"samples": 100 + number})

    def heal(self, count: int) -> None:
        """Healings, by the provider that comes with the platform."""
        self._operate("model-healing", count, {})

    def convert(self, count: int) -> None:
        """Conversions, by the same process."""
        self._operate("file-conversion", count, {"format": "3mf"})

    def _operate(self, type: str, count: int, parameters: dict[str, Any]) -> None:
        body = operation(self.client, type, self.part, parameters)
        self._order("integrations/operation/", count, lambda _: body, status=204)

    def delete(self) -> None:
        """What was asked for, and the part."""
        for uri in [*self.ordered, self.part]:
            self.client.session.delete(uri, timeout=60)

    def _order(
        self, url: str, count: int, order: Callable[[int], dict[str, Any]], *, status: int = 201
    ) -> None:
        if not url.startswith("http"):
            url = self.client.platform.url(url)
        for number in range(count):
            answer = self.client.session.post(url, json=order(number), timeout=60)
            if answer.status_code == 429:
                return  # more than an account may have waiting
            assert answer.status_code == status, answer.text
            self.ordered.append(answer.headers["Location"])

    def _config(self, density: int) -> str:
        parameters = {**CONFIG["parameters"], "infill_density": density}
        order = {**CONFIG, "parameters": parameters}
        return self.client.ask("POST", "slicing/config/curated/", 201, json=order).headers[
            "Location"
        ]


@contextmanager
def chains(target: Target) -> Iterator[None]:
    """20 chains of a hundred transformations of a part of 84,000 triangles."""
    with _beside(target, lambda greedy: greedy.transform(CHAINS)):
        yield


@contextmanager
def slices(target: Target) -> Iterator[None]:
    """60 slices of a part of 84,000 triangles, or ATTACK_SLICES of them."""
    with _beside(target, lambda greedy: greedy.slice(SLICES)):
        yield


RAW = {
    "hilbert": ("slic3r", "layer_height = 0.02\nfill_density = 99%\nfill_pattern = hilbertcurve\n"),
    "gyroid": (
        "cura",
        "[general]\nversion = 4\nname = part\ndefinition = fdmprinter\n[metadata]\n"
        "type = quality_changes\nsetting_version = 20\nposition = 0\n[values]\n"
        "layer_height = 0.04\ninfill_sparse_density = 90\ninfill_pattern = gyroid\n",
    ),
    "fuzzy": (
        "slic3r",
        "layer_height = 0.05\nfuzzy_skin = all\nfuzzy_skin_point_dist = 0.01\nperimeters = 20\n",
    ),
}


def _raw_slices(target: Target, name: str) -> AbstractContextManager[None]:
    engine, content = RAW[name]

    def order(greedy: Greedy) -> None:
        greedy.part = greedy.client.model(ball(6))
        greedy.slice_raw(20, engine, content)

    return _beside(target, order)


@contextmanager
def raw_slices(target: Target) -> Iterator[None]:
    """20 raw configs for a small ball whose dense Hilbert curve takes minutes to slice."""
    with _raw_slices(target, "hilbert"):
        yield


@contextmanager
def raw_slices_cura(target: Target) -> Iterator[None]:
    """The same with a dense gyroid of CuraEngine."""
    with _raw_slices(target, "gyroid"):
        yield


@contextmanager
def raw_slices_fuzzy(target: Target) -> Iterator[None]:
    """The same with a rough surface of a million points, which the expected time does not count."""
    with _raw_slices(target, "fuzzy"):
        yield


@contextmanager
def pictures(target: Target) -> Iterator[None]:
    """60 pictures of a part of 84,000 triangles, of a hundred samples and more."""
    with _beside(target, lambda greedy: greedy.draw(PICTURES)):
        yield


@contextmanager
def healings(target: Target) -> Iterator[None]:
    """50 healings of a part of 84,000 triangles."""
    with _beside(target, lambda greedy: greedy.heal(HEALINGS)):
        yield


@contextmanager
def conversions(target: Target) -> Iterator[None]:
    """50 conversions of a part of 84,000 triangles."""
    with _beside(target, lambda greedy: greedy.convert(HEALINGS)):
        yield


@contextmanager
def healings_of_newcomers(target: Target) -> Iterator[None]:
    """Ten healings of each of 25 new accounts of one network."""
    with _beside(target, lambda greedy: greedy.heal(10), NEWCOMERS):
        yield


@contextmanager
def newcomers(target: Target) -> Iterator[None]:
    """25 new accounts of one network, each with two chains, four slices and two pictures."""

    def order(greedy: Greedy) -> None:
        greedy.transform(2)
        greedy.slice(4)
        greedy.draw(2)

    with _beside(target, order, NEWCOMERS):
        yield


@contextmanager
def _beside(target: Target, order: Callable[[Greedy], None], accounts: int = 1) -> Iterator[None]:
    rings = LARGE if accounts == 1 else MIDDLING
    greedy = [Greedy(target.client(), bumps=9 + n, rings=rings) for n in range(accounts)]
    for one in greedy:
        one.client.settled(one.part)
    try:
        for one in greedy:
            order(one)
        yield
    finally:
        for one in greedy:
            one.delete()
