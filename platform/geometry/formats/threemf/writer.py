"""3MF writer: objects and build items, deterministic bytes."""

import os
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from geometry.formats.reader_checks import in_single_precision
from geometry.mesh import Mesh

LINES_A_BLOCK = 1 << 14
CORE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
OWN = "urn:manufacturing:packing"  # the namespace of metadata that the core does not define
OF_CORE = frozenset(
    "Title Designer Description Copyright LicenseTerms Rating CreationDate ModificationDate "
    "Application".split()
)
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
OLDEST = (1980, 1, 1, 0, 0, 0)  # of a ZIP

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


class PackageObject(NamedTuple):
    """An object of a package.

    number   : from 1 on
    vertices : (n, 3) float32, mm
    faces    : (m, 3), each of three different vertices, as 3MF demands
    """

    number: int
    name: str
    vertices: NDArray[np.float32]
    faces: NDArray


class Item(NamedTuple):
    """An object that is built: its number, its (4, 4) transform, and what this copy is called."""

    number: int
    transform: NDArray[np.float64]
    part_number: str


def write(mesh: Mesh, path: Path) -> None:
    """One object as it lies, of float32 coordinates. Raises InvalidMesh (not-finite)."""
    solid = PackageObject(1, "model", in_single_precision(mesh.vertices), mesh.faces)
    write_package(path, [solid], [Item(1, np.eye(4), "model")])


def write_package(
    path: str | os.PathLike,
    solids: Iterable[PackageObject],
    items: Iterable[Item],
    metadata: Mapping[str, str] | None = None,
    files: Iterable[tuple[str, str]] = (),
) -> None:
    """Stream a package to a file, of which nothing is left on an error.

    solids   : may be an iterator: one is held at a time
    files    : paths and texts of further files; read after the solids
    metadata : what the core specification does not name is put into a namespace of our own
    """
    try:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as package:
            package.writestr(_entry("[Content_Types].xml"), CONTENT_TYPES)
            package.writestr(_entry("_rels/.rels"), RELATIONSHIPS)
            with package.open(_entry("3D/3dmodel.model"), "w") as model:
                for block in _model(solids, items, metadata or {}):
                    model.write(block.encode())
            for name, text in files:
                package.writestr(_entry(name), text)
    except BaseException:
        os.unlink(path)
        raise


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, OLDEST)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _model(
    solids: Iterable[PackageObject], items: Iterable[Item], metadata: Mapping[str, str]
) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<model unit="millimeter" xml:lang="en" xmlns="{CORE}" xmlns:packing="{OWN}">\n'
    for name, value in metadata.items():
        known = name if name in OF_CORE else f"packing:{name}"
        yield f"<metadata name={_attribute(known)}>{escape(_legal(value))}</metadata>\n"
    yield "<resources>\n"
    for solid in solids:
        yield from _object(solid)
    yield "</resources>\n<build>\n"
    for item in items:
        # 3MF multiplies rows by matrices: ours transposed, without the last column.
        numbers = " ".join(f"{x:.17g}" for x in item.transform[:3].T.reshape(-1).tolist())
        yield (
            f'<item objectid="{item.number}" transform="{numbers}" '
            f"partnumber={_attribute(item.part_number)}/>\n"
        )
    yield "</build>\n</model>\n"


def _object(solid: PackageObject) -> Iterator[str]:
    name = _attribute(solid.name)
    yield f'<object id="{solid.number}" type="model" name={name}>\n<mesh>\n<vertices>\n'
    yield from _lines('<vertex x="%.9g" y="%.9g" z="%.9g"/>\n', solid.vertices)
    yield "</vertices>\n<triangles>\n"
    yield from _lines('<triangle v1="%d" v2="%d" v3="%d"/>\n', solid.faces)
    yield "</triangles>\n</mesh>\n</object>\n"


def _lines(template: str, rows: NDArray) -> Iterator[str]:
    for start in range(0, len(rows), LINES_A_BLOCK):
        block = rows[start : start + LINES_A_BLOCK]
        yield template * len(block) % tuple(block.reshape(-1).tolist())


def _attribute(text: str) -> str:
    return quoteattr(_legal(text))


def _legal(text: str) -> str:
    """Without the characters that XML cannot hold."""
    return NOT_XML.sub("\ufffd", text)
