"""What is refused before any packing begins, with the reason and what would mend it."""

from collections.abc import Sequence

import numpy as np

from geometry.packing.rows import Piece, Refused, Volume, orientations
from geometry.packing.written import turned_bounds


def check_pieces(pieces: Sequence[Piece]) -> None:
    """Raises Refused: nothing-to-pack, mesh-empty, mesh-invalid."""
    if not pieces or any(piece.quantity < 1 for piece in pieces):
        raise Refused("nothing-to-pack", "There is nothing to pack. Ask for at least one piece.")
    for piece in pieces:
        if not len(piece.triangles):
            raise Refused(
                "mesh-empty",
                f"{piece.name} has no triangles. Upload the model again.",
                piece=piece.name,
            )
        if not np.isfinite(piece.triangles).all():
            raise Refused(
                "mesh-invalid",
                f"{piece.name} has a coordinate that is not finite. Repair the model.",
                piece=piece.name,
            )


def check_sizes(pieces: Sequence[Piece], room: Volume) -> None:
    """`room` is what the walls leave. Raises Refused: piece-too-large, orientation-forbids."""
    for piece in pieces:
        if not _fits(piece, piece.rotations, room):
            raise _too_large(piece, room)


def _fits(piece: Piece, rotations, room: Volume) -> bool:
    bounds = turned_bounds(piece.triangles, rotations)
    return bool((bounds[:, 1] - bounds[:, 0] <= np.array(room)).all(axis=1).any())


def _too_large(piece: Piece, room: Volume) -> Refused:
    (low, high) = turned_bounds(piece.triangles, np.eye(3)[None])[0]
    details = {"piece": piece.name, "size": (high - low).tolist(), "volume": list(room)}
    what, where = f"{piece.name} is {_size(high - low)} mm", f"{_size(room)} mm"
    if _fits(piece, orientations("free"), room):
        return Refused(
            "orientation-forbids",
            f"{what}; it fits {where} only if it is turned in a way that is not allowed for it. "
            "Allow more orientations, or turn the model.",
            **details,
        )
    count = len(piece.rotations)
    allowed = f"in none of its {count} orientations" if count > 1 else "as it lies"
    does = "does it fit" if count > 1 else "it does not fit"
    return Refused(
        "piece-too-large",
        f"{what}; {allowed} {does} {where}. Make it smaller, divide it, or take a larger printer.",
        **details,
    )


def _size(lengths) -> str:
    return " x ".join(f"{round(float(length), 3):g}" for length in lengths)
