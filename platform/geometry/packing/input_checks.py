"""Input checks before packing, with reason and remedy."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from geometry.packing.metrics import turned_bounds
from geometry.packing.request import PackItem, Volume, orientations
from input_errors import InputError

# By how many orientations are allowed.
NOWHERE = {
    24: "in none of its 24 orientations{oblique} does it fit",
    4: "however it is turned about z it does not fit",
    1: "as it lies it does not fit",
}
OBLIQUE = ", nor at any angle about z,"


def check_pieces(pieces: Sequence[PackItem]) -> None:
    """Raises InputError: nothing-to-pack, mesh-empty, mesh-invalid."""
    if not pieces or any(piece.quantity < 1 for piece in pieces):
        raise InputError("nothing-to-pack", "There is nothing to pack. Ask for at least one piece.")
    for piece in pieces:
        if not len(piece.triangles):
            raise InputError(
                "mesh-empty",
                f"{piece.name} has no triangles. Upload the model again.",
                {"piece": piece.name},
            )
        if not np.isfinite(piece.triangles).all():
            raise InputError(
                "mesh-invalid",
                f"{piece.name} has a coordinate that is not finite. Repair the model.",
                {"piece": piece.name},
            )


def check_sizes(pieces: Sequence[PackItem], room: Volume) -> None:
    """`room` is what the walls leave. Raises InputError: piece-too-large, orientation-forbids."""
    for piece in pieces:
        size = extents(piece)
        if not len(fitting_boxes(size, piece.rotations, room)):
            raise too_large(piece.name, size, piece.rotations, room)


def extents(piece: PackItem) -> NDArray[np.float64]:
    """(3,), mm, as it lies."""
    low, high = turned_bounds(piece.triangles, np.eye(3)[None])[0]
    return high - low


def fitting_boxes(
    size: ArrayLike, rotations: NDArray[np.float64], room: Volume
) -> NDArray[np.float64]:
    """(k, 3), mm: the box in each of the orientations in which it is not longer than the room.

    size      : (3,), mm, as the part lies
    rotations : (r, 3, 3), of `orientations`
    """
    boxes = np.asarray(size, dtype=np.float64)[np.abs(rotations).argmax(axis=2)]
    return boxes[(boxes <= np.array(room)).all(axis=1)]


def oblique_rotations(
    size: ArrayLike, rotations: NDArray[np.float64], room: Volume
) -> NDArray[np.float64]:
    """(k, 3, 3): orientations from which a part may fit once it is turned about z, as `size` says.

    One for each side that stands upright; none where turning about z is not allowed. Of a part
    that fits an x by y rectangle turned by t, no side is longer than x cos t + y sin t, nor the
    other than x sin t + y cos t; and whatever fills that rectangle is as large.

    size, rotations : as in `fitting_boxes`
    """
    x, y, z = room
    if (rotations[:, 2, 2] == 1.0).sum() < 4 or min(room) <= 0:
        return rotations[:0]
    diagonal, lean = math.hypot(x, y), math.atan2(y, x)
    found: dict[int, NDArray[np.float64]] = {}
    for rotation in rotations:
        axes = np.abs(rotation).argmax(axis=1)
        width, depth, height = np.asarray(size, dtype=np.float64)[axes].tolist()
        if height <= z and max(width, depth) <= diagonal:
            play = math.acos(width / diagonal) + math.acos(depth / diagonal)
            if abs(2 * lean - math.pi / 2) <= play:
                found.setdefault(int(axes[2]), rotation)
    return np.array(list(found.values())).reshape(-1, 3, 3)


def too_large(
    name: str,
    size: ArrayLike,
    rotations: NDArray[np.float64],
    room: Volume,
    *,
    oblique: bool = False,
) -> InputError:
    """Why a part fits in none of the orientations that are allowed for it.

    oblique : nor at any other angle about z
    """
    lengths = np.asarray(size, dtype=np.float64).tolist()
    details = {"piece": name, "size": lengths, "volume": list(room)}
    what, where = f"{name} is {_written(lengths)} mm", f"{_written(room)} mm"
    if len(fitting_boxes(size, orientations("free"), room)):
        return InputError(
            "orientation-forbids",
            f"{what}; it fits {where} only if it is turned in a way that is not allowed for it. "
            "Allow more orientations, or turn the model.",
            details,
        )
    nowhere = NOWHERE[len(rotations)].format(oblique=OBLIQUE if oblique else "")
    may_turn = len(oblique_rotations(size, orientations("free"), room)) and len(rotations) < 24
    mend = "Let it be turned in more ways, make it smaller" if may_turn else "Make it smaller"
    return InputError(
        "piece-too-large",
        f"{what}; {nowhere} {where}. {mend}, divide it, or take a larger printer.",
        details,
    )


def _written(lengths: Sequence[float]) -> str:
    return " x ".join(f"{round(length, 3):g}" for length in lengths)
