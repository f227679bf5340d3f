"""Plates that are no rectangles: packed to their edge, and counted by what they are."""

import math

import numpy as np
import pytest

from geometry.packing.bed_mask import BedMask
from geometry.packing.bounds import Outline, PackingSpace, outline_bounds, shape_bound
from geometry.packing.boxes.box_packer import pack_boxes
from geometry.packing.capacity import how_many
from geometry.packing.plate_packer import pack_plate
from geometry.packing.request import Packing, Placement, Volume
from geometry.packing.verification.certificate import certify
from tests.geometry.packing.shapes import cuboid, piece

PLATE = Volume(160, 160, 100)
ROUND = tuple(
    (80 + 80 * math.cos(math.radians(angle)), 80 + 80 * math.sin(math.radians(angle)))
    for angle in range(0, 360, 5)
)
FLOOR = BedMask(ROUND)
TILES = [piece(cuboid(30, 30, 5), 30, "upright")]


def faults(packing: Packing, floor: BedMask = FLOOR) -> list[str]:
    proof = certify(TILES, packing, PLATE, 2.0, mode="plate", floor=floor)
    return [fault.code for fault in proof.violations]


@pytest.mark.parametrize("inset", [6.0, pytest.param(0.0, marks=pytest.mark.slow)])
def test_round_bed_holds_more_than_its_inner_rectangle(inset):
    floor = BedMask(ROUND, inset)
    boxes = pack_boxes(TILES, PLATE, 2.0, mode="plate", floor=floor)

    *_, last = pack_plate(TILES, PLATE, 2.0, floor=floor, work=60_000_000)

    assert len(last.placements) > len(boxes.placements) == 9
    assert faults(boxes, floor) == faults(last, floor) == []


def test_placement_over_the_edge_of_the_bed_is_reported():
    def at(x: float, y: float) -> Packing:
        transform = np.eye(4)
        transform[:2, 3] = x, y
        left = tuple((0, copy) for copy in range(1, 30))
        placed = (Placement(0, 0, transform, (0, 0, 1)),)
        return Packing(placed, left, 5.0, 0.1, 0, "done", "box_packer", 0.0)

    assert faults(at(65, 65)) == []
    assert faults(at(10, 10)) == ["out-of-volume"]
    assert faults(at(120, 65)) == []
    assert faults(at(120, 65), BedMask(ROUND, 10.0)) == ["out-of-volume"]


@pytest.mark.slow
def test_capacity_bound_uses_the_area_of_the_bed():
    tile = TILES[0]
    square = shape_bound(tile, PLATE, 2.0, mode="plate").at_most

    bound = shape_bound(tile, PLATE, 2.0, mode="plate", floor=FLOOR).at_most
    *_, count = how_many(tile, PLATE, 2.0, "plate", floor=FLOOR)

    assert bound == math.floor(math.pi * 81**2 / (30**2 + 4 * 30 + math.pi)) < square
    assert (count.at_least, count.at_most) == (9, bound)
    room = PackingSpace(PLATE, 2.0, "plate", "premium_packer", FLOOR)
    told = outline_bounds(Outline("tile", (30, 30, 5), 4500.0, "upright"), room)
    assert told.at_least == 9 and told.at_most >= bound


def test_long_part_is_placed_across_the_middle_of_a_round_bed():
    long = [piece(cuboid(150, 10, 5), 1, "upright")]

    *_, last = pack_plate(long, PLATE, 2.0, floor=FLOOR, work=300_000_000)

    assert last.unplaced == ()
    proof = certify(long, last, PLATE, 2.0, mode="plate", floor=FLOOR)
    assert proof.violations == ()
