"""Few boxes that fill their room almost wholly: all are placed, by turning some or all of them."""

import numpy as np
import pytest

from geometry.packing.boxes.box_packer import pack_boxes, pack_tightly
from geometry.packing.plate_packer import pack_plate
from geometry.packing.request import Budget, PackItem, Volume, orientations
from geometry.packing.verification.certificate import certify
from geometry.packing.volume_packer import pack_volume
from tests.geometry.packing.shapes import cuboid

BRICK = (40, 30, 30)


def bricks(*sizes, policy="upright"):
    """A model for each size, of which one copy is wanted."""
    return [
        PackItem(f"b{i}", cuboid(*size), 1, orientations(policy)) for i, size in enumerate(sizes)
    ]


@pytest.mark.parametrize(
    ("sizes", "volume", "distance"),
    [
        ([BRICK] * 3, (91, 41, 31), 0.0),
        ([BRICK] * 3, (90, 40, 30), 0.0),
        ([BRICK] * 3, (91, 41, 31), 0.5),
        ([(30, 40, 30)] * 3, (41, 91, 31), 0.0),
        ([BRICK] * 6, (91, 41, 61), 0.0),
        ([(20, 10, 10)] * 4, (40, 20, 10), 0.0),
        ([(20, 10, 10)] * 4, (40.5, 20.5, 10), 0.5),
        ([(40, 10, 10)] * 5, (51, 41, 11), 0.0),
        ([(40, 10, 10)] * 5, (52, 41, 11), 0.5),
        ([BRICK] * 12, (92, 82, 62), 0.5),
        ([BRICK] * 27, (91, 121, 91), 0.0),
        ([(50, 30, 10)] * 4, (80, 80, 10), 0.0),  # round a hole of 20 mm
        ([(50, 30, 10)] * 4 + [(20, 20, 10)], (80, 80, 10), 0.0),
        ([(60, 20, 10), (30, 20, 10), (30, 20, 10), (40, 60, 10)], (60, 101, 10), 0.0),
    ],
)
@pytest.mark.parametrize("policy", ["upright", "free"])
def test_tightly_fitting_boxes_are_all_placed(sizes, volume, distance, policy):
    pieces = bricks(*sizes, policy=policy)

    packing = pack_tightly(pieces, Volume(*volume), distance)

    assert packing is not None
    assert packing.unplaced == ()
    assert len({(each.piece, each.copy) for each in packing.placements}) == len(sizes)
    assert certify(pieces, packing, Volume(*volume), distance).valid


@pytest.mark.parametrize("pack", [pack_volume, pack_plate])
def test_both_packers_place_tight_boxes_in_the_second_packing(pack):
    pieces = bricks(*[BRICK] * 3)
    volume = Volume(91, 41, 31)

    found = [packing.unplaced for packing in pack(pieces, volume, 0.0, work=Budget.QUICK)]

    assert len(found[0]) == 1  # by boxes that are turned to end low
    assert found[1] == ()


def test_copies_and_other_models_are_placed_together():
    pieces = [
        PackItem("two", cuboid(40, 30, 30), 2, orientations("upright")),
        PackItem("one", cuboid(30, 40, 30), 1, orientations("as_is")),
    ]

    packing = pack_tightly(pieces, Volume(91, 41, 31), 0.0)

    assert packing is not None
    assert sorted((each.piece, each.copy) for each in packing.placements) == [
        (0, 0),
        (0, 1),
        (1, 0),
    ]


@pytest.mark.parametrize(
    ("sizes", "volume", "policy"),
    [
        ([BRICK] * 3, (91, 41, 31), "as_is"),
        ([BRICK] * 4, (91, 41, 31), "free"),
        ([(50, 30, 10)] * 5, (81, 81, 11), "free"),
        ([(10, 10, 10)] * 65, (100, 100, 100), "free"),
    ],
)
def test_tight_packing_fails_when_not_all_fit_or_there_are_too_many(sizes, volume, policy):
    assert pack_tightly(bricks(*sizes, policy=policy), Volume(*volume), 0.0) is None


@pytest.mark.slow
def test_tight_search_is_bounded_and_deterministic():
    random = np.random.default_rng(5)
    sizes = random.integers(11, 40, (40, 3)).tolist()
    volume = float(np.prod(sizes, axis=1).sum() * 1.02) ** (1 / 3)

    found = [pack_tightly(bricks(*sizes), Volume(volume, volume, volume), 0.0) for _ in range(2)]

    assert found == [None, None]
    assert pack_boxes(bricks(*sizes), Volume(volume, volume, volume), 0.0).unplaced
