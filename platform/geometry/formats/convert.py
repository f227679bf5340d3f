"""Converts a model file between formats, with read-back verification."""

import importlib.util
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import numpy as np

from geometry.formats import gltf, gltf_writer, obj, off, ply
from geometry.formats.archive import Archive
from geometry.formats.normalize import ShapeFigures, compact, figures_of
from geometry.formats.reader_checks import (
    MAX_BYTES,
    ReadMesh,
    SiblingReader,
    check_content,
    unreadable,
)
from geometry.formats.stl import content as stl
from geometry.formats.stl.detection import LOOKED_AT, is_ascii_stl
from geometry.formats.stl.other_formats import recognise
from geometry.formats.threemf import objects as threemf_objects
from geometry.formats.threemf import writer as threemf_writer
from geometry.formats.units import MILLIMETRES
from geometry.mesh import Mesh
from input_errors import InputError


class _Format(NamedTuple):
    read: Callable[[Path, SiblingReader], ReadMesh]
    write: Callable[[Mesh, Path], None]


def _cad(name: str) -> _Format:
    """STEP or IGES: the kernel's 0.8 GB of address space are taken only for such a file."""

    def read(path: Path, beside: SiblingReader) -> ReadMesh:
        from geometry.formats import cad

        return (cad.read_step if name == "step" else cad.read_iges)(path, beside)

    def write(mesh: Mesh, path: Path) -> None:
        from geometry.formats import cad

        (cad.write_step if name == "step" else cad.write_iges)(mesh, path)

    return _Format(read, write)


FORMATS = {
    "stl": _Format(stl.read, stl.write),
    "obj": _Format(obj.read, obj.write),
    "ply": _Format(ply.read, ply.write),
    "off": _Format(off.read, off.write),
    "gltf": _Format(gltf.read, gltf_writer.write_text),
    "glb": _Format(gltf.read, gltf_writer.write_binary),
    "3mf": _Format(threemf_objects.read_merged, threemf_writer.write),
}
if importlib.util.find_spec("OCP"):
    FORMATS |= {"step": _cad("step"), "iges": _cad("iges")}
ALIASES = {"stp": "step", "igs": "iges"}
# What systems add to archives.
CLUTTER_FOLDER, CLUTTER_PREFIX = "__MACOSX", "._"
CLUTTER_FILES = (".ds_store", "thumbs.db", "desktop.ini")


def formats() -> list[str]:
    """The formats that are read and written here."""
    return list(FORMATS)


def convert(
    path: str,
    out: str,
    *,
    source: str,
    format: str = "stl",
    unit: str = "mm",
    main: str | None = None,
) -> dict[str, object]:
    """Write the model at `path` to `out` in another format, in millimetres.

    The surface is kept as it is: what is open stays open. glTF is written in metres with y up, as
    its specification wants.

    Parameters
    ----------
    source : one of `formats()`, or "zip" for an archive that holds the model
    format : one of `formats()`
    unit   : of the source's coordinates; a unit that the file itself names goes before it
    main   : which of the archive's models to take, by its name there

    Returns
    -------
    dict : the receipt
        source, format, file (the entry taken from an archive); unit {source, declared, result};
        triangles, vertices; size [x, y, z] in mm; volume in mm^3, None unless closed; manifold;
        exact_volume in mm^3 and volume_error, relative: of CAD solids and of their triangles;
        lost [what the result does not hold]; precision {size, volume}: how far the result, read
        back, is off, relative

    Raises
    ------
    InputError: unreadable, unsupported-format, unsupported-unit, truncated, not-finite, too-large,
    archive-limit, ambiguous-archive, unsafe-archive, external-reference, unsupported-feature,
    nothing-solid, too-many-facets-for-step. InvalidMesh as `read_triangles` does. Nothing is left
    at `out` then.
    """
    target = format_of(format)
    kind, content, taken = _read(Path(path), checked_source(path, source, unit), main)
    scale = MILLIMETRES[content.unit or unit]
    mesh = compact(content, scale)
    if not len(mesh.faces):
        raise InputError("nothing-solid", "The model holds no facet with three corners.")
    figures, precision = _write(mesh, Path(out), target)
    exact, closed = content.exact_volume, figures.manifold
    return {
        "source": kind,
        "format": format,
        "file": taken,
        "unit": {
            "source": content.unit or unit,
            "declared": content.unit is not None,
            "result": "m" if format in ("gltf", "glb") else "mm",
        },
        "triangles": len(mesh.faces),
        "vertices": len(mesh.vertices),
        "size": figures.size.tolist(),
        "volume": figures.volume if closed else None,
        "manifold": figures.manifold,
        "exact_volume": exact,
        "volume_error": abs(figures.volume / exact - 1.0) if exact and closed else None,
        "lost": sorted(content.lost),
        "precision": precision,
    }


def checked_source(path: str, source: str, unit: str) -> str:
    """The format of a file that may be read. Raises InputError: see `convert`."""
    if unit not in MILLIMETRES:
        known = ", ".join(MILLIMETRES)
        raise InputError("unsupported-unit", f"{unit[:20]!r} is not a unit. Known: {known}.")
    name = source.lower().lstrip(".")
    kind = ALIASES.get(name, name)
    size = Path(path).stat().st_size
    if size > MAX_BYTES:
        raise InputError("too-large", f"The file has {size:,} bytes; the limit is {MAX_BYTES:,}.")
    if not size:
        raise unreadable(kind, "it is empty")
    return kind


@contextmanager
def unpacked(archive: Archive, name: str, folder: Path) -> Iterator[tuple[Path, SiblingReader]]:
    """An entry of an archive as a file below `folder`, and the way to those that lie beside it."""
    around = PurePosixPath(name).parent
    with tempfile.TemporaryDirectory(dir=folder) as place:
        file = Path(place) / f"model.{kind_of(name)}"
        file.write_bytes(archive[name])
        yield file, lambda uri: archive.get(str(around / uri))


@contextmanager
def other_formats_named(file: Path, kind: str) -> Iterator[None]:
    """Say of a file that cannot be read as its type which other type it seems to be of."""
    try:
        yield
    except InputError as error:
        if error.code not in ("unreadable", "nothing-solid"):
            raise
        with file.open("rb") as content:
            head = content.read(LOOKED_AT)
        if is_ascii_stl(head):
            raise unreadable(kind, "it looks like an STL; upload it as type 'stl'") from error
        other = recognise(head)
        is_package = kind in ("3mf", "zip") and head.startswith(b"PK")
        if other is None or other.type == kind or is_package:
            raise
        advice = other.advice.removesuffix(".")
        raise unreadable(kind, f"it looks like {other.name}. {advice}") from error


def alone(name: str) -> None:
    """A file that came without others."""


def format_of(name: str) -> _Format:
    """Raises InputError: unsupported-format."""
    if name not in FORMATS:
        title = f"Files of type {name[:20]!r} cannot be converted. Supported: {', '.join(FORMATS)}."
        raise InputError("unsupported-format", title)
    return FORMATS[name]


def _read(path: Path, source: str, main: str | None) -> tuple[str, ReadMesh, str | None]:
    """The format that was read, what it holds, and the entry's name if it was in an archive."""
    if source != "zip":
        with other_formats_named(path, source):
            content = format_of(source).read(path, alone)
            check_content(content)
        return source, content, None
    archive = Archive(path)
    name = _main(archive, main)
    kind = kind_of(name)
    with unpacked(archive, name, path.parent) as (file, beside), other_formats_named(file, kind):
        content = format_of(kind).read(file, beside)
        check_content(content)
        return kind, content, name


def kind_of(name: str) -> str:
    """The format that an entry's name ends in."""
    suffix = PurePosixPath(name).suffix[1:].lower()
    return ALIASES.get(suffix, suffix)


def is_clutter(name: str) -> bool:
    """Whether a system added an entry to an archive: nothing that its sender put there."""
    path = PurePosixPath(name)
    return (
        CLUTTER_FOLDER in path.parts
        or path.name.startswith(CLUTTER_PREFIX)
        or path.name.lower() in CLUTTER_FILES
    )


def _main(archive: Archive, main: str | None) -> str:
    """The archive's model: the only one, or the one that is named."""
    models = [name for name in archive if kind_of(name) in FORMATS and not is_clutter(name)]
    if main is not None and main in models:
        return main
    if main is None and len(models) == 1:
        return models[0]
    held = ", ".join(models[:5]) or "none"
    title = f"The archive holds {len(models)} models ({held}); name one of them in `main`."
    raise InputError("ambiguous-archive", title, {"models": models})


def _write(mesh: Mesh, out: Path, target: _Format) -> tuple[ShapeFigures, dict[str, float | None]]:
    """Write a mesh, and read it back; where that fails, nothing is left at `out`."""
    try:
        target.write(mesh, out)
        figures = figures_of(mesh)
        return figures, _precision(figures, target.read(out, alone))
    except BaseException:
        out.unlink(missing_ok=True)
        raise


def _precision(figures: ShapeFigures, result: ReadMesh) -> dict[str, float | None]:
    """How far what was written is off, as another program would read it."""
    written = figures_of(compact(result, MILLIMETRES[result.unit or "mm"]))
    extent = figures.size.max()
    size = float(np.abs(written.size - figures.size).max() / extent) if extent else 0.0
    if not (figures.manifold and figures.volume):
        return {"size": size, "volume": None}
    return {"size": size, "volume": abs(written.volume / figures.volume - 1.0)}
