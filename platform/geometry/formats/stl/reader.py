"""STL reader: streamed or at once."""

import os
from collections.abc import Iterator
from io import FileIO

import numpy as np
from numpy.typing import NDArray

from geometry.formats.stl.detection import FACET_BYTES, StlLayout, inspect, too_many_triangles
from geometry.mesh import InvalidMesh

MAX_TRIANGLES = 20_000_000
CHUNK_FACETS = 4096  # what is computed of them stays in the cache


def read_triangles(
    path: str | os.PathLike, *, max_triangles: int = MAX_TRIANGLES
) -> NDArray[np.float32]:
    """The triangles of a binary or ASCII STL, in the file's order.

    Returns
    -------
    (m, 3, 3) float32: corner positions, m >= 1, finite, and 0.0 where the file says -0.0

    Raises
    ------
    InvalidMesh: empty-file, not-stl, truncated, bad-facet, bad-number, not-finite,
    no-triangles, too-many-triangles
    """
    layout = inspect(path, max_triangles=max_triangles)
    triangles = np.empty((layout.at_most, 9), dtype=np.float32)
    done = 0
    for facets in stream_facets(layout):
        count = facets.shape[1]
        triangles[done : done + count] = facets.T
        done += count
    triangles.resize((done, 9), refcheck=False)  # gives back what a text did not need
    return triangles.reshape(-1, 3, 3)


def stream_facets(layout: StlLayout) -> Iterator[NDArray[np.float32]]:
    """The same as (9, k) float32 arrays: a column a facet, at most CHUNK_FACETS of them.

    An array is valid until the next one is asked for.
    """
    done = 0
    with open(layout.path, "rb", buffering=0) as file:
        for facets in _binary(file, layout) if layout.binary else _text(file, layout):
            with np.errstate(invalid="ignore"):  # a NaN is refused below
                facets += np.float32(0.0)  # -0.0 becomes 0.0: the same place has the same bits
            _check_finite(facets, done, layout)
            done += facets.shape[1]
            if done > layout.at_most:
                raise too_many_triangles(layout.at_most)
            yield facets
    if not done:
        raise InvalidMesh(
            "no-triangles", "The file has a name but no triangles. Export the model again."
        )


def _binary(file: FileIO, layout: StlLayout) -> Iterator[NDArray[np.float32]]:
    records = np.empty(CHUNK_FACETS * FACET_BYTES, dtype=np.uint8)
    columns = np.empty((9, CHUNK_FACETS), dtype=np.float32)
    file.seek(layout.start)
    for done in range(0, layout.at_most, CHUNK_FACETS):
        count = min(CHUNK_FACETS, layout.at_most - done)
        _fill(file, records.data[: count * FACET_BYTES])
        # Bytes 12 to 48 of a record are its corners, after the normal.
        facets = columns[:, :count] if count == CHUNK_FACETS else np.empty((9, count), np.float32)
        corners = np.ndarray((count, 9), "<f4", records, offset=12, strides=(FACET_BYTES, 4))
        np.copyto(facets, corners.T)
        yield facets


def _text(file: FileIO, layout: StlLayout) -> Iterator[NDArray[np.float32]]:
    # Only where it is asked for: it loads numba, which takes longer than most binary files do.
    from geometry.formats.stl.ascii import read_facets

    return read_facets(file, layout.start)


def _fill(file: FileIO, view: memoryview) -> None:
    while view:
        got = file.readinto(view)
        if not got:
            raise InvalidMesh("truncated", "The file became shorter as it was read. Try again.")
        view = view[got:]


def _check_finite(facets: NDArray[np.float32], done: int, layout: StlLayout) -> None:
    finite = np.isfinite(facets)
    if finite.all():
        return
    column = int(np.flatnonzero(~finite.all(axis=0))[0])
    where = f"Triangle {done + column + 1:,}"
    if layout.binary:
        where += f" (byte {layout.start + FACET_BYTES * (done + column):,})"
    raise InvalidMesh(
        "not-finite",
        f"{where}: a coordinate is not finite (NaN, infinite, or beyond the 3.4e38 of STL's "
        "32-bit numbers). Repair the model and export it again.",
    )
