"""Objects of a model file: mesh, name, instances."""

import unicodedata
from collections.abc import Hashable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.formats.reader_checks import ReadMesh
from geometry.formats.thumbnails import Picture
from input_errors import InputError


class Instance(NamedTuple):
    """A place of an object.

    plate     : number of the slicer's plate that it lies on
    transform : (3, 4): x' = R x + t; R turns, and t is in the file's unit
    """

    plate: int | None
    transform: NDArray[np.float64]


class Part(NamedTuple):
    """An object of a file, in its own coordinates and the file's unit.

    object : its id in the file, where its format has ids
    color  : #RRGGBB or #RRGGBBAA
    """

    object: str | None
    name: str | None
    content: ReadMesh
    instances: list[Instance]
    color: str | None = None
    material: str | None = None


HERE = np.eye(4)[:3]  # the place of an object that its file has once and where it is


class Notes(NamedTuple):
    """What is reported of a file beside its parts; lists of plain values.

    joined     : {object, pieces}: objects of several pieces that became one part
    left_out   : {what, and of which object or file, or how many}
    inexact    : {object, volume_error}: CAD solids whose triangles hold another volume, relative
    settings   : {object, settings}: how a slicer was to print it
    plates     : {number, name} of a slicer's plates
    profiles   : {program, printer, print, filament}: names of the presets in a slicer's project
    thumbnails : entries of the package
    gcode      : the same; listed, and never run
    """

    joined: list[dict[str, object]]
    left_out: list[dict[str, object]]
    inexact: list[dict[str, object]]
    settings: list[dict[str, object]]
    plates: list[dict[str, object]]
    profiles: list[dict[str, object]]
    thumbnails: list[str]
    gcode: list[str]

    @classmethod
    def empty(cls) -> "Notes":
        return cls(*([] for _ in cls._fields))

    def add(self, notes: "Notes") -> None:
        """Take over what is reported of a further file."""
        for ours, theirs in zip(self._asdict().values(), notes._asdict().values(), strict=True):
            ours.extend(theirs)

    def leave_out(self, what: str, **of: Any) -> None:
        """Name what no part holds."""
        self.left_out.append({"what": what, **of})


class Taken(NamedTuple):
    """What a file is taken apart into.

    picture : the file's own of itself, drawn anew, where it has one
    """

    parts: list[Part]
    notes: Notes
    picture: Picture | None = None


FLATTENED = "place that flattens its object"
FLAT = 1e-9  # of the largest extent that a place gives a unit cube


def label(text: str) -> str | None:
    """A name from a file: composed (NFC), so that equal names are equal texts; None where empty."""
    return unicodedata.normalize("NFC", text[:1000]).strip()[:255] or None


def flattens(matrix: NDArray[np.float64]) -> bool:
    """Whether a place by a (3, 4) or (4, 4) matrix leaves a solid no volume."""
    sizes = np.linalg.svd(matrix[:3, :3], compute_uv=False)
    return bool(sizes[2] <= FLAT * sizes[0])


MAX_PLACES = 10_000  # of all things of a file
SAME_SHAPE = 6  # digits of what changes a shape, within which two places have the same


class Places:
    """The places of the things of a file, those in one shape together, in order of appearance."""

    def __init__(self) -> None:
        self._found: dict[tuple[Hashable, tuple], tuple[NDArray, list[Instance]]] = {}
        self._count = 0

    def add(self, thing: Any, matrix: NDArray[np.float64], plate: int | None = None) -> None:
        """Place an object by a (3, 4) or (4, 4) matrix. Raises InputError: too-large."""
        self._count += 1
        if self._count > MAX_PLACES:
            title = f"The file places more than {MAX_PLACES:,} objects. Send it in several files."
            raise InputError("too-large", title, {"limit": MAX_PLACES})
        turn, stretch = rigid_and_stretch(matrix[:3, :3])
        shape = tuple((np.round(stretch, SAME_SHAPE) + 0.0).ravel())
        _, instances = self._found.setdefault((thing, shape), (stretch, []))
        instances.append(Instance(plate, np.column_stack([turn, matrix[:3, 3]])))

    def parts(self) -> Iterator[tuple[Any, NDArray[np.float64], list[Instance]]]:
        """Each thing in each shape: the thing, what changes its shape (3, 3), its places."""
        for (thing, _), (stretch, instances) in self._found.items():
            yield thing, stretch, instances


def rigid_and_stretch(matrix: NDArray[np.float64]) -> tuple[NDArray, NDArray]:
    """(3, 3) each: `matrix` as a rotation after what changes the shape: size, shear, mirror."""
    left, sizes, right = np.linalg.svd(matrix)
    turn, stretch = left @ right, (right.T * sizes) @ right
    if np.linalg.det(turn) < 0:
        mirror = np.diag([-1.0, 1.0, 1.0])
        turn, stretch = turn @ mirror, mirror @ stretch
    return turn, stretch
