"""Packing request and result types."""

import itertools
from collections.abc import Callable
from enum import IntEnum
from typing import Literal, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

Direction = tuple[int, int, int]  # one of the six axis directions
Policy = Literal["free", "upright", "as_is"]


class PackItem(NamedTuple):
    """One line of the request: a model and how many of it.

    name      : what messages and files call it
    triangles : (n, 3, 3) float32, mm
    quantity  : at least 1
    rotations : (r, 3, 3) float64, the allowed ones, determinant +1, from `orientations`
    """

    name: str
    triangles: NDArray[np.float32]
    quantity: int
    rotations: NDArray[np.float64]


class Volume(NamedTuple):
    """The build volume, mm: a piece stands at 0 <= x <= volume.x, and so on."""

    x: float
    y: float
    z: float


class Placement(NamedTuple):
    """Where one copy of a piece stands.

    piece         : index into the pieces of the request
    copy          : 0 .. quantity - 1
    transform     : (4, 4) float64, model -> build, rigid, determinant +1
    out_direction : the axis along which it is drawn out, None where it has to be worked out
                    step by step
    """

    piece: int
    copy: int
    transform: NDArray[np.float64]
    out_direction: Direction | None


class Packing(NamedTuple):
    """Pieces in a volume, no two nearer than the distance asked for.

    placements : in the order in which they can be taken out
    unplaced   : (piece, copy) of those for which no place was found
    height     : mm, the exact top of what is placed
    density    : volumes of the placed pieces / (volume.x * volume.y * height)
    work       : units of work spent until it was found
    stopped    : done | work | time | cancelled
    packer     : box_packer | premium_packer
    pitch      : mm, the edge of a cell; 0 for boxes
    """

    placements: tuple[Placement, ...]
    unplaced: tuple[tuple[int, int], ...]
    height: float
    density: float
    work: int
    stopped: str
    packer: str
    pitch: float


class PackingProgress(TypedDict, total=False):
    """How far a search is.

    phase    : what it does
    share    : of the budget that is used up, 0..1
    height   : mm, of the best packing so far; likewise `density`, and how many pieces are `placed`
    seconds  : since it began
    """

    phase: str
    share: float
    height: float
    density: float
    placed: int
    seconds: float


Progress = Callable[[PackingProgress], None]


class Budget(IntEnum):
    """How long to search, in units of work: the same on every machine, unlike seconds."""

    QUICK = 4_000_000_000  # some 4 s of one core
    STANDARD = 50_000_000_000  # 45 s
    THOROUGH = 300_000_000_000  # 270 s


def orientations(policy: Policy) -> NDArray[np.float64]:
    """The rotations that a policy allows, the identity first.

    free    : (24, 3, 3), all rotations that exchange and reverse axes
    upright : (4, 3, 3), those about z
    as_is   : (1, 3, 3)
    """
    turns = _axis_rotations()
    if policy == "free":
        return turns
    if policy == "upright":
        return turns[turns[:, 2, 2] == 1.0]
    return turns[:1]


def _axis_rotations() -> NDArray[np.float64]:
    turns = []
    for axes in itertools.permutations(range(3)):
        for signs in itertools.product((1.0, -1.0), repeat=3):
            turn = np.zeros((3, 3))
            turn[range(3), axes] = signs
            if np.linalg.det(turn) > 0:
                turns.append(turn)
    return np.array(turns)
