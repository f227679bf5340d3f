"""Mesh under transformation: source file plus pending affine map and added frames."""

from collections.abc import Iterator
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from geometry.formats.stl.detection import inspect
from geometry.formats.stl.reader import CHUNK_FACETS, MAX_TRIANGLES, stream_facets
from geometry.formats.stl.writer import BinaryWriter
from geometry.mesh import InvalidMesh
from geometry.transformations.rotations import IDENTITY, product

Bounds = tuple[NDArray[np.float64], NDArray[np.float64]]  # lowest and highest corner, (3,) each


class CannotShape(InvalidMesh):
    """A step that cannot be done to this mesh: does-not-fit, not-finite, no-extent."""


class Body:
    """Facets of a file under one affine map, and of frames that were put round it.

    Steps compose in float64; nothing is rounded before `write`, and the file is never held whole.
    The map is computed element by element: equal corners stay equal, so that no crack opens.
    """

    def __init__(self, source: str | PathLike):
        self._layout = inspect(source, max_triangles=MAX_TRIANGLES)
        self._held: NDArray[np.float64] | None = None  # (9, k): takes the file's place
        self._frames: list[NDArray[np.float64]] = []  # (9, k) each, as they stand now
        self._linear = IDENTITY
        self._offset = np.zeros(3)
        self._linear_bounds: Bounds | None = None

    def turn(self, linear: NDArray[np.float64]) -> None:
        """Rotate or scale about the origin, by a (3, 3) matrix."""
        self._linear = product(linear, self._linear)
        self._offset = product(linear, self._offset[:, None])[:, 0]
        self._frames = [_linear_map(frame, linear) for frame in self._frames]
        self._linear_bounds = None
        check_finite(self._linear, self._offset)

    def move(self, by: NDArray[np.float64]) -> None:
        """Translate by (3,) mm."""
        self._offset = self._offset + by
        self._frames = [_moved(frame, by) for frame in self._frames]
        check_finite(self._offset)

    def place(self, corner: NDArray[np.float64]) -> None:
        """Translate the lowest corner of the box to (3,) mm, exactly: a zero becomes a zero."""
        low, _ = self.bounds()
        linear_low, _ = self._bounds_of_linear_part()
        self._offset = (linear_low + self._offset - low + corner) - linear_low
        self._frames = [_moved(_moved(frame, -low), corner) for frame in self._frames]
        check_finite(self._offset)

    def add(self, frame: NDArray[np.float64]) -> None:
        """Put (9, k) facets beside the mesh, as a shell of their own."""
        self._frames.append(frame)

    def replace(self, facets: NDArray[np.float64]) -> None:
        """Go on with (9, k) facets instead of all that was there."""
        self._held, self._frames = facets, []
        self._linear, self._offset, self._linear_bounds = IDENTITY, np.zeros(3), None

    def facets(self) -> Iterator[NDArray[np.float64]]:
        """(9, k) at a time: x, y, z of three corners a column, in mm, as they stand now."""
        for chunk in self._file_facets():
            yield _moved(_linear_map(chunk, self._linear), self._offset)
        yield from self._frames

    def bounds(self) -> Bounds:
        """The box of what `facets` yields, exactly."""
        low, high = self._bounds_of_linear_part()
        box = low + self._offset, high + self._offset
        low, high = _joined([box, *(_box(frame) for frame in self._frames)])
        check_finite(low, high)
        return low, high

    def write(self, out: str | PathLike) -> None:
        """Write it as canonical binary STL; coordinates are rounded to float32 here, once."""
        with BinaryWriter(out) as writer:
            for facets in self._rounded():
                check_finite(facets)
                writer.append(facets)

    def _rounded(self) -> Iterator[NDArray[np.float32]]:
        """What `facets` yields, as float32."""
        if self._held is not None:
            yield from map(_as_written, self.facets())
            return
        from geometry.mesh.facet_kernels import affine  # not above: web processes import the steps

        for chunk in stream_facets(self._layout):
            out = np.empty_like(chunk)
            affine(chunk, self._linear, self._offset, out)
            yield out
        yield from map(_as_written, self._frames)

    def _bounds_of_linear_part(self) -> Bounds:
        """Without the offset: minus this corner is the offset that puts it on zero."""
        if self._linear_bounds is None:
            boxes = [_box(_linear_map(chunk, self._linear)) for chunk in self._file_facets()]
            self._linear_bounds = _joined(boxes)
        return self._linear_bounds

    def _file_facets(self) -> Iterator[NDArray[np.float64]]:
        if self._held is None:
            for chunk in stream_facets(self._layout):
                yield chunk.astype(np.float64)
        else:
            for start in range(0, self._held.shape[1], CHUNK_FACETS):
                yield self._held[:, start : start + CHUNK_FACETS]


def check_finite(*values: NDArray[np.floating]) -> None:
    """Refuse what a float32 cannot hold; what passes here cannot overflow a float64 later on."""
    if not all(np.isfinite(value.astype(np.float32, copy=False)).all() for value in values):
        raise CannotShape(
            "not-finite",
            "A coordinate becomes larger than the 3.4e38 mm that an STL can hold. "
            "Scale or move the model by less.",
        )


def _linear_map(facets: NDArray[np.float64], linear: NDArray[np.float64]) -> NDArray[np.float64]:
    """The matrix times each corner of (9, k); terms that are zero are left out, which is exact."""
    if (linear == IDENTITY).all():
        return facets
    corners = facets.reshape(3, 3, -1)  # corner, axis, facet
    mapped, term = np.empty_like(corners), np.empty_like(corners[:, 0])
    for row in range(3):
        # A rotation's or scale's row is never all zero, unless a factor underflowed.
        first, *others = np.flatnonzero(linear[row]).tolist() or [0]
        np.multiply(corners[:, first], linear[row, first], out=mapped[:, row])
        for column in others:
            np.multiply(corners[:, column], linear[row, column], out=term)
            mapped[:, row] += term
    return mapped.reshape(9, -1)


def _as_written(facets: NDArray[np.float64]) -> NDArray[np.float32]:
    return facets.astype(np.float32) + np.float32(0.0)  # -0.0 becomes 0.0, as everywhere


def _moved(facets: NDArray[np.float64], by: NDArray[np.float64]) -> NDArray[np.float64]:
    return facets + np.tile(by, 3)[:, None] if by.any() else facets


def flipped(facets: NDArray[np.float64]) -> NDArray[np.float64]:
    """(9, k) facets that look to the other side."""
    return facets[[0, 1, 2, 6, 7, 8, 3, 4, 5]]


def _box(facets: NDArray[np.float64]) -> Bounds:
    low, high = facets.min(axis=1).reshape(3, 3), facets.max(axis=1).reshape(3, 3)
    return low.min(axis=0), high.max(axis=0)


def _joined(boxes: list[Bounds]) -> Bounds:
    return np.min([low for low, _ in boxes], axis=0), np.max([high for _, high in boxes], axis=0)
