"""Arguments and result of the packing job, as JSON."""

from pathlib import Path
from typing import TypedDict

from geometry.packing.boxes.box_packer import Mode
from geometry.packing.request import Policy


class PieceMessage(TypedDict):
    """Copies of one model: its file, how it may be turned, and what each copy is called."""

    name: str
    path: Path | str
    policy: Policy
    names: list[str]


class FloorMessage(TypedDict):
    """A plate that is no rectangle; see BedMask."""

    outline: list[tuple[float, float]]
    inset: float


class SpaceMessage(TypedDict):
    """What is packed into; see PackingSpace."""

    volume: list[float]
    distance: float
    mode: Mode
    floor: FloorMessage | None


class Search(TypedDict):
    """How hard to look: `seconds` is a safety net, `budget` what decides."""

    packer: str
    seed: int
    budget: str
    seconds: float


class PlacementMessage(TypedDict):
    """Where a copy of a piece stands, and which way it comes out."""

    piece: int
    copy: int
    transform: list[list[float]]
    direction: str | None
    box: list[list[float]]


class Packed(TypedDict):
    """A packing.

    placements : in the order in which they come out
    unplaced   : piece, copy, reason
    pair       : the two placements that are nearest to each other
    report     : figures of the packing and its certificate
    """

    placements: list[PlacementMessage]
    unplaced: list[tuple[int, int, str]]
    pair: tuple[int, int] | None
    report: dict[str, object]
