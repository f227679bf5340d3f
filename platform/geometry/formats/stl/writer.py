"""Binary STL in its canonical form: constant header, normals from the corners, no attributes."""

import os
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from geometry.formats.stl.detection import FACET_BYTES
from geometry.mesh import InvalidMesh

HEADER = "binary STL, millimetres"
HEADER_TEXT = 80  # bytes; the number of facets follows
CHUNK_FACETS = 4096


def write_binary(triangles: ArrayLike, path: str | os.PathLike) -> None:
    """Write triangles, (m, 3, 3) in mm, as canonical binary STL.

    Raises InvalidMesh (not-finite) where a coordinate does not fit into a finite float32; then
    no file is left.
    """
    rows = np.asarray(triangles).reshape(-1, 9)
    with BinaryWriter(path) as writer:
        for start in range(0, len(rows), CHUNK_FACETS):
            with np.errstate(over="ignore"):
                facets = rows[start : start + CHUNK_FACETS].T.astype(np.float32)
            if not np.isfinite(facets).all():
                raise InvalidMesh(
                    "not-finite",
                    f"A coordinate after triangle {start:,} is not finite, or is beyond the "
                    "3.4e38 of STL's 32-bit numbers. Make the model smaller.",
                )
            writer.append(facets)


class BinaryWriter:
    """A canonical binary STL that grows; on an error nothing is left of it.

    header : ASCII; what is beyond 80 characters is cut off
    """

    def __init__(self, path: str | os.PathLike, header: str = HEADER):
        self.path = path
        self.header = header.encode("ascii", "replace")[:HEADER_TEXT].ljust(HEADER_TEXT)
        self.count = 0

    def __enter__(self) -> Self:
        self._file = open(self.path, "wb")
        self._file.write(self.header + bytes(4))
        return self

    def append(self, facets: NDArray[np.float32]) -> None:
        """Add facets, (9, k) float32: a column a facet."""
        from geometry.mesh import facet_kernels  # not above: web processes import this module

        numbers = np.empty((12, facets.shape[1]), dtype=np.float32)
        numbers[3:] = facets
        facet_kernels.normals(numbers[3:], numbers[:3])
        records = np.empty((facets.shape[1], FACET_BYTES // 2), dtype="<u2")
        facet_kernels.interleave(numbers.view(np.uint32), records)
        self._file.write(records.data)
        self.count += len(records)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is None:
            self._file.seek(HEADER_TEXT)
            self._file.write(self.count.to_bytes(4, "little"))
        self._file.close()
        if error is not None:
            os.unlink(self.path)
