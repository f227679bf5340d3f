"""Cost drivers: the measured quantities that prices depend on."""

from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

# Name -> what it is. Of one piece, but for the last ones.
NAMES: Mapping[str, str] = {
    "volume": "volume of the part, cm³",
    "area": "surface of the part, cm²",
    "x": "extent along x, mm",
    "y": "extent along y, mm",
    "z": "extent along z, mm",
    "longest": "longest side of its box, mm",
    "box": "volume of its box, cm³",
    "hull": "volume of its convex hull, cm³",
    "shells": "surfaces that do not hang together",
    "triangles": "triangles of the file",
    "overhang": "surface that needs supports, cm²",
    "thin_wall": "thinnest wall, mm",
    "contact": "surface on the plate, cm²",
    "hours": "machine time of one piece, h",
    "grams": "material of one piece, g",
    "cc": "material of one piece, cm³",
    "cc_support": "material of its supports, cm³",
    "layers": "layers",
    "fits": "pieces that fit one build",
    "cost": "what making one piece costs the bureau",
    "quantity": "pieces of the line",
    "builds": "builds that the line needs",
    "share": "the part of a build that one piece takes",
    "lines": "lines of the order",
    "weekdays": "working days until the due date",
    "weight": "weight of the line, g",
}
DIGITS = 6
# Prices are computed with no larger number: columns of money hold as much.
LARGEST = Decimal(10) ** 12


class UnknownDriver(NamedTuple):
    """A number that is not there, and the sentence that says why.

    sentence : what the customer reads instead of it, of `pricing.manual_review`
    """

    why: str
    sentence: str = ""


NOT_SAID = UnknownDriver("nobody said.")
KnownDriver = Decimal | UnknownDriver
Numbers = Mapping[str, KnownDriver]


def significant(value: float | Decimal) -> KnownDriver:
    """A number rounded to six significant digits, so that 99.99999997 g and 100 g cost the same.

    Unknown where it is beyond LARGEST.
    """
    if not -LARGEST <= value <= LARGEST:
        return UnknownDriver(f"it is more than {LARGEST:,f}.")
    return Decimal(f"{value:.{DIGITS - 1}e}").normalize() + 0
