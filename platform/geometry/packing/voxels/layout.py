"""Layout: which item stands where; build, insert, restore."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.packing.voxels.grid import Grid, GridPlacement
from geometry.packing.voxels.motifs import Motif


class Rule(NamedTuple):
    """How a place is chosen among the lowest: see `Grid.find`.

    paired : whether items are placed together with their mates where that is possible
    """

    corner: int = 0
    contact: float = 1.0
    noise: float = 0.0
    paired: bool = False


class Layout:
    """Items in a grid. An item is one copy of a model; `models` says of which.

    places  : item -> where it stands
    middles : (n, 3) mm, infinite for items that do not stand
    motifs  : of a model: the number that the pair of it has in the grid, and the pair
    """

    def __init__(
        self,
        grid: Grid,
        models: NDArray[np.int64],
        seed: int,
        motifs: Mapping[int, tuple[int, Motif]] | None = None,
    ):
        self.grid = grid
        self.models = models
        self.places: dict[int, GridPlacement] = {}
        self.middles = np.full((len(models), 3), np.inf)
        self._motifs = motifs or {}
        self._mates: dict[int, int] = {}
        for model in self._motifs:
            items = np.flatnonzero(models == model).tolist()
            for first, second in zip(items[0::2], items[1::2], strict=False):
                self._mates[first], self._mates[second] = second, first
        self._chance = np.array([2 * seed + 1], dtype=np.uint64)

    def build(
        self,
        order: Sequence[int],
        lid: int,
        rule: Rule,
        *,
        sizes: NDArray[np.float64],
        bearable: float,
        over: Callable[[], bool],
    ) -> list[int] | None:
        """Place items, one after the other; those that found no place under the lid.

        sizes    : of each item
        bearable : None is the answer as soon as the sizes of those left come to more
        over     : whether to end, with None too
        """
        left: list[int] = []
        missing = 0.0
        for item in order:
            if over():
                return None
            if item not in self.places and not self.insert(item, lid, rule, left):
                left.append(item)
                missing += float(sizes[item])
                if missing > bearable:
                    return None
        return left

    def insert(
        self,
        item: int,
        lid: int,
        rule: Rule,
        left: Sequence[int] = (),
        *,
        model: int | None = None,
    ) -> bool:
        """Whether the item found a place, where it stands now; `model` in place of its own.

        Where the rule says so its mate is placed with it, unless that is among those `left`.
        """
        own = int(self.models[item])
        mate = self._mates.get(item) if rule.paired else None
        if mate is not None and mate not in self.places and mate not in left:
            number, motif = self._motifs[own]
            pair = self._find(number, lid, rule)
            if pair is not None:
                for each, part in zip((item, mate), motif.places(own, pair), strict=True):
                    self.put(each, part)
                return True
        place = self._find(own if model is None else model, lid, rule)
        if place is None:
            return False
        self.put(item, place)
        return True

    def _find(self, model: int, lid: int, rule: Rule) -> GridPlacement | None:
        return self.grid.find(
            model,
            lid,
            contact=rule.contact,
            noise=rule.noise,
            corner=rule.corner,
            chance=self._chance,
        )

    def put(self, item: int, place: GridPlacement) -> None:
        self.grid.put(place)
        self.places[item] = place
        self.middles[item] = self.grid.middle(place)

    def take(self, item: int) -> None:
        self.grid.take(self.places.pop(item))
        self.middles[item] = np.inf

    def clear(self) -> None:
        self.grid.clear()
        self.places.clear()
        self.middles[:] = np.inf

    def height(self) -> int:
        """Cells up to the highest top."""
        return max(map(self.grid.top, self.places.values()), default=0)

    def above(self, lid: int) -> list[int]:
        """What rises above a lid, in the order of the items' numbers."""
        return sorted(item for item, at in self.places.items() if self.grid.top(at) > lid)

    def cut(self, lid: int) -> list[int]:
        """Take out what rises above a lid."""
        above = self.above(lid)
        for item in above:
            self.take(item)
        return above

    def remove(self, numbers: Sequence[int]) -> list[int]:
        """Take out what stands at these positions of `places`."""
        standing = list(self.places)
        items = [standing[number] for number in numbers]
        for item in items:
            self.take(item)
        return items

    def go_back(self, places: dict[int, GridPlacement], touched: Iterable[int]) -> None:
        """Make the touched items stand as in `places` again."""
        changed = [item for item in touched if self.places.get(item) != places.get(item)]
        for item in changed:
            if item in self.places:
                self.take(item)
        for item in changed:
            if item in places:
                self.put(item, places[item])
