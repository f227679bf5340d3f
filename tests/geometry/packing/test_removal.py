"""Taking pieces out: what leaves straight on, and who is in whose way."""

import numpy as np
import pytest

from geometry.packing.boxes.box_packer import pack_boxes
from geometry.packing.metrics import bounds_of
from geometry.packing.request import Packing, PackItem, Placement, Volume, orientations
from geometry.packing.verification.certificate import certify
from geometry.packing.verification.disassembly_check import Blocked, replay
from tests.geometry.shapes import ball, box

UP, DOWN, ASIDE = (0, 0, 1), (0, 0, -1), (1, 0, 0)
CUP = np.concatenate(
    [
        box((0, 0, 0), (40, 40, 4)),
        box((0, 0, 4), (4, 40, 30)),
        box((36, 0, 4), (40, 40, 30)),
        box((4, 0, 4), (36, 4, 30)),
        box((4, 36, 4), (36, 40, 30)),
    ]
)
LID = box((-2, -2, 33), (42, 42, 36))
BALL = ball(8) + np.float32([20, 20, 17])


def blocked(*steps):
    """Who is blocked when these solids leave in turn, each (solid, direction)."""
    solids = [solid for solid, _ in steps]
    bounds = np.array([bounds_of(solid) for solid in solids])
    order = range(len(solids))
    return list(replay(solids, order, solids.__getitem__, bounds, [way for _, way in steps]))


def test_part_in_a_cup_leaves_upward_after_the_lid():
    assert blocked((LID, UP), (BALL, UP), (CUP, UP)) == []
    assert blocked((LID, ASIDE), (BALL, UP), (CUP, DOWN)) == []


@pytest.mark.parametrize("way", [ASIDE, DOWN, (0, -1, 0), (-1, 0, 0), (0, 1, 0)])
def test_part_in_a_cup_is_blocked_in_every_other_direction(way):
    assert blocked((LID, UP), (BALL, way), (CUP, UP)) == [Blocked(1, 2)]


def test_lid_blocks_parts_until_it_is_removed():
    assert blocked((BALL, UP), (LID, UP), (CUP, UP)) == [Blocked(0, 1)]
    assert blocked((CUP, UP), (LID, UP)) == [Blocked(0, 1)]


def test_hook_is_blocked_by_a_ring():
    ring = np.concatenate(
        [
            box((0, 0, 0), (30, 4, 4)),
            box((0, 26, 0), (30, 30, 4)),
            box((0, 4, 0), (4, 26, 4)),
            box((26, 4, 0), (30, 26, 4)),
        ]
    )
    hook = np.concatenate(
        [
            box((12, 12, -20), (16, 16, 20)),
            box((12, 12, 16), (16, 60, 20)),
            box((12, 12, -20), (16, 60, -16)),
        ]
    )

    assert all(blocked((hook, way), (ring, UP)) for way in (UP, DOWN, ASIDE))
    assert blocked((hook, (0, 1, 0)), (ring, UP)) == [Blocked(0, 1)]


def test_parts_can_touch_while_they_pass():
    low, beside = box((0, 0, 0), (10, 10, 10)), box((10, 0, 5), (20, 10, 40))

    assert blocked((low, UP), (beside, UP)) == []
    assert blocked((low, ASIDE), (beside, UP)) == [Blocked(0, 1)]


def test_part_without_a_direction_is_not_checked():
    assert blocked((BALL, None), (LID, UP), (CUP, UP)) == []


def packing_of(*ways):
    placements = tuple(Placement(i, 0, np.eye(4), way) for i, way in enumerate(ways))
    return Packing(placements, (), 36.0, 0.0, 0, "done", "test", 0.0)


def test_certificate_reports_whether_parts_are_removable():
    as_is = orientations("as_is")
    move = np.float32([5, 5, 0])
    pieces = [
        PackItem(name, solid + move, 1, as_is)
        for name, solid in (("lid", LID), ("ball", BALL), ("cup", CUP))
    ]
    room = Volume(60, 60, 60)

    free = certify(pieces, packing_of(UP, UP, UP), room, 1.0)
    led = certify(pieces, packing_of(UP, None, UP), room, 1.0)
    stuck = certify(pieces, packing_of(UP, ASIDE, UP), room, 1.0)

    assert (free.valid, free.removable) == (True, True)
    assert (led.valid, led.removable) == (True, False)
    assert (stuck.valid, stuck.removable) == (False, False)
    assert [(v.code, v.title) for v in stuck.violations] == [
        ("in-the-way", "cup (copy 1) is in the way of ball (copy 1) as that is taken out.")
    ]


def test_box_packer_result_is_removable():
    pieces = [
        PackItem("ball", ball(6), 20, orientations("free")),
        PackItem("plate", box((0, 0, 0), (30, 20, 3)), 30, orientations("free")),
    ]

    packing = pack_boxes(pieces, Volume(70, 70, 200), 1.0)

    assert certify(pieces, packing, Volume(70, 70, 200), 1.0).removable
