"""Exports a packing: one STL, and a 3MF with build items."""

import os
from collections.abc import Iterator, Mapping, Sequence

from geometry.formats.stl.writer import CHUNK_FACETS, BinaryWriter
from geometry.formats.threemf import writer as threemf_writer
from geometry.formats.threemf.writer import Item, PackageObject
from geometry.mesh.half_edges import has_three_corners
from geometry.mesh.welding import weld
from geometry.packing.compiled.placed_mesh import transformed
from geometry.packing.request import Packing, PackItem


def write_stl(
    pieces: Sequence[PackItem], packing: Packing, path: str | os.PathLike, header: str
) -> None:
    """One placement after the other, in the packing's order, each whole.

    header : what the first 80 bytes say, ASCII; it is cut off there
    """
    with BinaryWriter(path, header) as writer:
        for placement in packing.placements:
            triangles = transformed(pieces[placement.piece].triangles, placement.transform)
            for start in range(0, len(triangles), CHUNK_FACETS):
                writer.append(triangles[start : start + CHUNK_FACETS].reshape(-1, 9).T)


def write_3mf(
    pieces: Sequence[PackItem],
    packing: Packing,
    path: str | os.PathLike,
    names: Sequence[str],
    metadata: Mapping[str, str],
) -> None:
    """One object per model that is placed, and one build item per placement.

    names : the part number of each placement, in the packing's order
    """
    used = sorted({placement.piece for placement in packing.placements})
    items = [
        Item(placement.piece + 1, placement.transform, name)
        for placement, name in zip(packing.placements, names, strict=True)
    ]
    threemf_writer.write_package(path, _solids(pieces, used), items, metadata)


def _solids(pieces: Sequence[PackItem], used: Sequence[int]) -> Iterator[PackageObject]:
    for i in used:
        vertices, faces = weld(pieces[i].triangles)
        yield PackageObject(i + 1, pieces[i].name, vertices, faces[has_three_corners(faces)])
