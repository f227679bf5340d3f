"""Priming line: how far start G-code extrudes beside the bed.

Some makers use one start gcode for beds of different sizes: Geeetech's of PrusaSlicer 2.9.2 draws
its line to Y200 on beds that are 130 to 180 mm deep. The firmware stops at the end of the axis,
and PrusaSlicer leaves custom gcode out where it checks that a print stays on the bed.
"""

import re
from functools import lru_cache

from apps.slicing.configs.slic3r import bed_outline, bounds_of, whole_corners

MOVE = re.compile(r"\s*G0*[01](?!\d)([^;]*)", re.IGNORECASE)
TARGET = re.compile(r"([XY])\s*([-+]?(?:\d+\.?\d*|\.\d+))", re.IGNORECASE)
RELATIVE, ABSOLUTE = re.compile(r"\s*G91(?!\d)"), re.compile(r"\s*G90(?!\d)")
FARTHEST = 100.0  # mm; no axis goes on that long behind a bed


@lru_cache(maxsize=1000)
def reach_beside_bed(start_gcode: str, bed_shape: str) -> float:
    """Return how many mm beside the bed the moves of a start gcode go, at most FARTHEST.

    Only absolute moves to written numbers count.

    start_gcode : as in an ini file, with the two characters \\n between lines
    """
    outline = bed_outline(whole_corners(bed_shape))
    if outline is None:
        return 0.0
    left, front, right, back = bounds_of(outline)
    sides = {"X": (left, right), "Y": (front, back)}
    reach, relative = 0.0, False
    for line in start_gcode.split("\\n"):
        if RELATIVE.match(line) or ABSOLUTE.match(line):
            relative = RELATIVE.match(line) is not None
        elif (move := MOVE.match(line)) and not relative:
            for axis, number in TARGET.findall(move[1]):
                low, high = sides[axis.upper()]
                reach = max(reach, low - float(number), float(number) - high)
    return min(reach, FARTHEST)
