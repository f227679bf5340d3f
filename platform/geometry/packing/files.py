"""A packing as files: one STL of all that is placed, and a 3MF of models and where they stand."""

import os
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from geometry.formats.stl.writer import CHUNK_FACETS, BinaryWriter
from geometry.packing.rows import Packing, Piece
from geometry.packing.written import placed
from geometry.welding import weld

LINES_A_BLOCK = 1 << 14
CORE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
OWN = "urn:manufacturing:packing"  # the namespace of metadata that the core does not define
OF_CORE = frozenset(
    "Title Designer Description Copyright LicenseTerms Rating CreationDate ModificationDate "
    "Application".split()
)
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
OLDEST = (1980, 1, 1, 0, 0, 0)  # of a ZIP: the same packing gives the same bytes

CONTENT_TYPES = """<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/>
</Types>
"""
RELATIONSHIPS = """<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="model" Target="/3D/3dmodel.model" \
Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/>
</Relationships>
"""


def write_stl(
    pieces: Sequence[Piece], packing: Packing, path: str | os.PathLike, header: str
) -> None:
    """One placement after the other, in the packing's order, each whole.

    header : what the first 80 bytes say, ASCII; it is cut off there
    """
    with BinaryWriter(path, header) as writer:
        for placement in packing.placements:
            triangles = placed(pieces[placement.piece].triangles, placement.transform)
            for start in range(0, len(triangles), CHUNK_FACETS):
                writer.append(triangles[start : start + CHUNK_FACETS].reshape(-1, 9).T)


def write_3mf(
    pieces: Sequence[Piece],
    packing: Packing,
    path: str | os.PathLike,
    names: Sequence[str],
    metadata: Mapping[str, str],
) -> None:
    """One object per model that is placed, and one build item per placement.

    names    : the part number of each placement, in the packing's order
    metadata : what the core specification does not name is put into a namespace of our own
    """
    try:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as package:
            package.writestr(_entry("[Content_Types].xml"), CONTENT_TYPES)
            package.writestr(_entry("_rels/.rels"), RELATIONSHIPS)
            with package.open(_entry("3D/3dmodel.model"), "w") as model:
                for block in _model(pieces, packing, names, metadata):
                    model.write(block.encode())
    except BaseException:
        os.unlink(path)
        raise


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, OLDEST)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _model(
    pieces: Sequence[Piece], packing: Packing, names: Sequence[str], metadata: Mapping[str, str]
) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<model unit="millimeter" xml:lang="en" xmlns="{CORE}" xmlns:packing="{OWN}">\n'
    for name, value in metadata.items():
        known = name if name in OF_CORE else f"packing:{name}"
        yield f"<metadata name={_attribute(known)}>{escape(_legal(value))}</metadata>\n"
    yield "<resources>\n"
    for i in sorted({placement.piece for placement in packing.placements}):
        yield from _object(i + 1, pieces[i])
    yield "</resources>\n<build>\n"
    for placement, name in zip(packing.placements, names, strict=True):
        # 3MF multiplies rows by matrices: ours transposed, without the last column.
        numbers = " ".join(f"{x:.17g}" for x in placement.transform[:3].T.reshape(-1).tolist())
        yield (
            f'<item objectid="{placement.piece + 1}" transform="{numbers}" '
            f"partnumber={_attribute(name)}/>\n"
        )
    yield "</build>\n</model>\n"


def _object(number: int, piece: Piece) -> Iterator[str]:
    vertices, faces = weld(piece.triangles)
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]  # 3MF allows no others
    yield f'<object id="{number}" type="model" name={_attribute(piece.name)}>\n<mesh>\n<vertices>\n'
    yield from _lines('<vertex x="%.9g" y="%.9g" z="%.9g"/>\n', vertices)
    yield "</vertices>\n<triangles>\n"
    yield from _lines('<triangle v1="%d" v2="%d" v3="%d"/>\n', faces)
    yield "</triangles>\n</mesh>\n</object>\n"


def _lines(template: str, rows: NDArray[np.float32] | NDArray[np.int64]) -> Iterator[str]:
    for start in range(0, len(rows), LINES_A_BLOCK):
        block = rows[start : start + LINES_A_BLOCK]
        yield template * len(block) % tuple(block.reshape(-1).tolist())


def _attribute(text: str) -> str:
    return quoteattr(_legal(text))


def _legal(text: str) -> str:
    """Without the characters that XML cannot hold."""
    return NOT_XML.sub("\ufffd", text)
