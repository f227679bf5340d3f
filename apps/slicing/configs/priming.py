"""Priming line: how far start G-code goes beside the bed, and where.

Makers draw a line to clean the nozzle beside the bed: Prusa's and Creality's printers go 3 mm in
front of it. So a machine reaches as far as the start gcode of its own preset goes, and no further.

Some makers use one start gcode for beds of different sizes: Geeetech's of PrusaSlicer 2.9.2 draws
its line to Y200 on beds that are 130 to 180 mm deep. The firmware stops at the end of the axis,
and PrusaSlicer leaves custom gcode out where it checks that a print stays on the bed.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from apps.slicing.configs.slic3r import bounds_of

MOVE = re.compile(r"\s*G0*[01](?!\d)([^;]*)", re.IGNORECASE)
TARGET = re.compile(r"([XY])\s*([-+]?(?:\d+\.?\d*|\.\d+))", re.IGNORECASE)
COMPUTED = re.compile(r"[XY]\s*[\[{]", re.IGNORECASE)
RELATIVE, ABSOLUTE = re.compile(r"\s*G91(?!\d)"), re.compile(r"\s*G90(?!\d)")
FARTHEST = 100.0  # mm; no axis goes on that long behind a bed
SIDES = ("left", "front", "right", "back")
LINE_END = re.compile(r"\\n|\n")  # as in an ini file, and as in G-code
Outline = tuple[tuple[float, float], ...]


class Excursion(NamedTuple):
    """The farthest move of a start gcode beside one side of the bed.

    reach      : mm beside that side, at most FARTHEST
    coordinate : where it goes, such as X-20
    line       : the command, without its comment
    number     : of the line, from 1
    """

    reach: float
    coordinate: str
    line: str
    number: int

    @property
    def description(self) -> str:
        """Where it goes, for a sentence."""
        return f"{self.coordinate} in line {self.number} ({self.line}), {self.reach:.3g} mm"


@lru_cache(maxsize=1000)
def excursions(start_gcode: str, outline: Outline) -> dict[str, Excursion]:
    """Return the farthest move beside the bed of each of the SIDES that has one.

    Only absolute moves to written numbers count.

    start_gcode : its lines may also end with the two characters \\n, as in an ini file
    outline     : the corners of the bed, mm; none where they cannot be read
    """
    if not outline:
        return {}
    left, front, right, back = bounds_of(outline)
    farthest: dict[str, Excursion] = {}
    for number, line, targets in _absolute_moves(start_gcode):
        for axis, text in targets:
            at = float(text)
            x, y = axis == "X", axis == "Y"
            beyond = [x * (left - at), y * (front - at), x * (at - right), y * (at - back)]
            for side, over in zip(SIDES, beyond, strict=True):
                reach = min(over, FARTHEST)
                if reach > (farthest[side].reach if side in farthest else 0.0):
                    farthest[side] = Excursion(reach, f"{axis}{at:g}", line, number)
    return farthest


def _absolute_moves(start_gcode: str) -> list[tuple[int, str, list[tuple[str, str]]]]:
    """Number, text and (axis, number) of each absolute move."""
    moves, relative = [], False
    for number, line in enumerate(LINE_END.split(start_gcode), start=1):
        if RELATIVE.match(line) or ABSOLUTE.match(line):
            relative = RELATIVE.match(line) is not None
        elif (move := MOVE.match(line)) and not relative:
            targets = [(axis.upper(), text) for axis, text in TARGET.findall(move[1])]
            moves.append((number, line.partition(";")[0].strip(), targets))
    return moves


@lru_cache(maxsize=1000)
def has_computed_moves(start_gcode: str) -> bool:
    """Return whether places of its moves are known only once the engine has written them.

    These are places that the engine computes, and relative moves.
    """
    relative = False
    for line in LINE_END.split(start_gcode):
        if RELATIVE.match(line) or ABSOLUTE.match(line):
            relative = RELATIVE.match(line) is not None
        elif move := MOVE.match(line):
            if COMPUTED.search(move[1]) or relative and TARGET.search(move[1]):
                return True
    return False


def reach_beside_bed(start_gcode: str, outline: Outline) -> float:
    """Return how many mm beside the bed the moves of a start gcode go, at most FARTHEST."""
    beside = excursions(start_gcode, outline).values()
    return max((excursion.reach for excursion in beside), default=0.0)
