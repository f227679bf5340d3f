"""Sample parts for price-list validation."""

from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

from pricing.cost_drivers import KnownDriver


class Sample(NamedTuple):
    """A part by its box in mm, how much of the box it fills, and how thick its walls are, mm."""

    name: str
    x: float
    y: float
    z: float
    filled: float
    wall: float


SAMPLES = (
    Sample("a washer", 12, 12, 1, 0.6, 1),
    Sample("a dice", 16, 16, 16, 0.95, 16),
    Sample("a clip", 30, 12, 8, 0.3, 1.5),
    Sample("a key ring", 45, 20, 3, 0.6, 3),
    Sample("a small gear", 25, 25, 10, 0.6, 5),
    Sample("a knob", 35, 35, 20, 0.5, 3),
    Sample("a hinge", 60, 40, 12, 0.4, 3),
    Sample("a bracket", 44, 65, 72, 0.19, 4),
    Sample("a thin plate", 120, 80, 1, 1, 1),
    Sample("a phone case", 150, 75, 12, 0.15, 1.2),
    Sample("a pipe elbow", 80, 80, 50, 0.15, 3),
    Sample("a box with a lid", 100, 70, 40, 0.2, 2),
    Sample("a fan shroud", 120, 120, 30, 0.1, 1.5),
    Sample("a vase", 90, 90, 200, 0.05, 1.2),
    Sample("a figure", 60, 55, 150, 0.3, 8),
    Sample("a jig", 200, 150, 30, 0.4, 6),
    Sample("a helmet shell", 240, 210, 170, 0.06, 3),
    Sample("a beam", 480, 30, 30, 0.5, 5),
    Sample("a block", 100, 100, 100, 1, 100),
    Sample("a large housing", 340, 330, 300, 0.05, 3),
)


def numbers_of(sample: Sample) -> dict[str, KnownDriver]:
    """What is known of a sample: figures of a size that real parts of this kind have."""
    box = sample.x * sample.y * sample.z / 1000
    volume = box * sample.filled
    area = max(2 * volume * 10 / sample.wall, 0.1)
    extrudes = min(volume, 0.085 * area + 0.2 * volume)
    layers = max(1, round(sample.z / 0.2))
    values: Mapping[str, float] = {
        "volume": volume,
        "area": area,
        "x": sample.x,
        "y": sample.y,
        "z": sample.z,
        "longest": max(sample.x, sample.y, sample.z),
        "box": box,
        "hull": min(box, volume * 1.6),
        "shells": 1,
        "triangles": 5000,
        "overhang": area / 10,
        "thin_wall": sample.wall,
        "contact": sample.x * sample.y / 200,
        "hours": extrudes / 9 + layers / 600,
        "grams": extrudes * 1.24,
        "cc": extrudes,
        "cc_support": extrudes / 10,
        "layers": layers,
        "fits": max(1, int(12000 / max(box, 1))),
        "cost": extrudes * 0.1 + extrudes / 4 + 1,
    }
    return {name: Decimal(f"{value:.6g}") for name, value in values.items()}
