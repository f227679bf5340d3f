"""Result type, limits and errors shared by all readers."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.mesh import InvalidMesh
from geometry.mesh.half_edges import has_three_corners
from input_errors import InputError

# The bytes of a file that came with the model, by its relative name; None where there is none.
SiblingReader = Callable[[str], bytes | None]

MAX_FACETS = 2_000_000
MAX_CORNERS = 1_000  # of a polygon
MAX_NAMED = 5  # faces that are named by their numbers
MAX_BYTES = 200 * 1024**2  # of a model file


class ReadMesh(NamedTuple):
    """The surface that a file holds.

    vertices : (n, 3) float64, in the file's unit
    faces    : (m, 3) int64, indices into `vertices`, counter-clockwise from outside
    unit     : what the file says that it is; None where its format has no word for it
    lost     : what else the file holds and no conversion keeps
    exact_volume : of the solids as they are defined, in the cube of the unit; None of meshes
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    unit: str | None
    lost: frozenset[str]
    exact_volume: float | None = None


def unreadable(format: str, reason: str) -> InputError:
    title = f"The file could not be read as {format.upper()}: {reason}."
    return InputError("unreadable", title, {"format": format})


def truncated(promised: int, things: str, held: int) -> InputError:
    title = f"The file promises {promised:,} {things} but holds {held:,}. Export it again."
    return InputError("truncated", title, {"promised": promised, "held": held})


def external_reference(uri: str) -> InputError:
    title = (
        f"The file refers to {uri[:80]!r}, which is not part of the upload. Upload both in one "
        "zip, or export a file that holds everything."
    )
    return InputError("external-reference", title)


def unsupported_feature(name: str) -> InputError:
    title = f"The file needs {name[:200]}, which is not supported. Export it without."
    return InputError("unsupported-feature", title)


def check_facets(count: int) -> None:
    """Raises TooLarge; call it before that many facets take memory."""
    if count > MAX_FACETS:
        title = f"The model has {count:,} facets; the limit is {MAX_FACETS:,}. Make it simpler."
        raise InputError("too-large", title, {"facets": count, "limit": MAX_FACETS})


def check_corners(format: str, sizes: NDArray[np.int64]) -> None:
    """Polygons not of absurdly many corners."""
    if not len(sizes):
        return
    if sizes.min() < 0:
        raise unreadable(format, "it has a face of a negative number of corners")
    if sizes.max() > MAX_CORNERS:
        reason = f"it has a face of {sizes.max():,} corners, and the limit is {MAX_CORNERS:,}"
        raise unreadable(format, reason)
    check_facets(int((sizes - 2).clip(0).sum()))


def short_faces(sizes: NDArray[np.int64], corners: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(k,): which of the polygons that follow one another have fewer than three corners.

    Of triangles also those with two equal corners.
    """
    short = sizes < 3
    three = np.flatnonzero(sizes == 3)
    starts = (np.cumsum(sizes) - sizes)[three]
    short[three] = ~has_three_corners(corners[starts[:, None] + np.arange(3)])
    return short


def name_faces(short: NDArray[np.bool_]) -> set[str]:
    """What is lost with faces that are left out: their numbers, from 1 on."""
    numbers = (np.flatnonzero(short) + 1).tolist()
    if not numbers:
        return set()
    more = f" and {len(numbers) - MAX_NAMED:,} more" if len(numbers) > MAX_NAMED else ""
    return {f"faces of fewer than three corners: {', '.join(map(str, numbers[:MAX_NAMED]))}{more}"}


def check_indices(format: str, indices: NDArray[np.int64], vertices: int) -> None:
    """Every index names one of the vertices."""
    if len(indices) and (indices.min() < 0 or indices.max() >= vertices):
        wrong = int(indices.max() if indices.max() >= vertices else indices.min())
        reason = f"a face refers to vertex {wrong:,}, counted from 0, of {vertices:,}"
        raise unreadable(format, reason)


def in_single_precision(vertices: NDArray) -> NDArray[np.float32]:
    """(n, 3), for formats that hold no more. Raises InvalidMesh (not-finite)."""
    with np.errstate(over="ignore"):
        single = np.ascontiguousarray(vertices, dtype="<f4")
    if not np.isfinite(single).all():
        raise InvalidMesh(
            "not-finite",
            "A coordinate is not finite, or is beyond the 3.4e38 of the format's 32-bit numbers. "
            "Make the model smaller.",
        )
    return single


def check_content(content: ReadMesh) -> None:
    """Something to convert, all of it finite."""
    if not len(content.faces):
        title = "The file holds no facets. Export the model as a mesh."
        raise InputError("nothing-solid", title)
    check_facets(len(content.faces))
    if not np.isfinite(content.vertices[content.faces.reshape(-1)]).all():
        title = "The file holds a coordinate that is not a number. Repair it and export it again."
        raise InputError("not-finite", title)
