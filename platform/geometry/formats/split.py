"""Splits a model file into objects, each as an STL."""

import zipfile
from collections import Counter
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import orjson

from geometry.formats import gltf, obj
from geometry.formats.archive import Archive
from geometry.formats.convert import (
    FORMATS,
    alone,
    checked_source,
    convert,
    format_of,
    is_clutter,
    kind_of,
    other_formats_named,
    unpacked,
)
from geometry.formats.normalize import compact, figures_of
from geometry.formats.objects import HERE, Instance, Notes, Part, Taken, label
from geometry.formats.reader_checks import SiblingReader, check_content
from geometry.formats.stl import content as stl
from geometry.formats.threemf import objects as threemf_objects
from geometry.formats.thumbnails import Picture
from geometry.formats.units import MILLIMETRES
from input_errors import InputError

MAX_PARTS = 500
MAX_FACETS = 10_000_000  # of all files of an archive together
INEXACT = 1e-3  # of a solid's volume: a larger deviation of its triangles is reported
MAX_LISTED, MAX_BYTES_LISTED = 100, 1 << 16  # lines of each list of a receipt
GCODE = ("gcode", "bgcode")
PARTS = "parts.json"  # beside the STL files: the report of each
PICTURE = "picture.ppm"  # beside them, where the file has a picture of itself


def _cad(kind: str) -> Callable[[Path, SiblingReader], Taken]:
    """STEP or IGES."""

    def read(path: Path, beside: SiblingReader) -> Taken:
        from geometry.formats import cad_assembly  # as `convert.FORMATS` has it

        return (cad_assembly.read_step if kind == "step" else cad_assembly.read_iges)(path, beside)

    return read


# Of formats with more than one object in a file.
READERS = {
    "3mf": threemf_objects.read,
    "obj": obj.read_parts,
    "gltf": gltf.read_parts,
    "glb": gltf.read_parts,
    "step": _cad("step"),
    "iges": _cad("iges"),
}


def separate(
    path: str, out: str, *, source: str, unit: str = "mm", main: str | None = None
) -> dict[str, object]:
    """Write the objects of the model at `path` to `out`, a zip of STL files, in millimetres.

    In the zip is `picture.ppm`, where the file has a picture of itself, and `parts.json`: for each
    object, in the file's order, `entry` (its STL) and

        file, object, name, unit, color, material : as in the source; null where it has none
        instances : [{plate, transform}], transform (3, 4), x' = R x + t, in mm
        triangles, volume (mm^3, null unless closed)
        exact_volume (mm^3, of a CAD solid as it is defined; null of meshes)

    Parameters
    ----------
    source : one of `convert.formats()`, or "zip" for an archive of such files
    unit   : of the source's coordinates; a unit that a file itself names goes before it
    main   : the only one of an archive's files to take, by its name there

    Returns
    -------
    dict : the receipt
        source, format; unit {source, declared, result}; objects, instances, triangles; picture
        (the entry that it was drawn from); joined, left_out, inexact, settings, plates,
        thumbnails, gcode as `parts.Notes`, each cut to 100 lines; left_out_counts {what: number}
        of all lines; unlisted [{list, what, count}]: those that were cut

    Raises
    ------
    InputError and InvalidMesh as `convert` does; of an archive only where none of its files can be
    read. Nothing is left at `out` then.
    """
    kind, file = checked_source(path, source, unit), Path(path)
    result = Path(out)
    try:
        with zipfile.ZipFile(result, "w") as archive:
            taking = _Taking(archive, file.parent, unit)
            if kind == "zip":
                taking.take_archive(Archive(file), main)
            else:
                taking.take(kind, file, alone)
            archive.writestr(PARTS, orjson.dumps(taking.reported))
            if taking.picture:
                archive.writestr(PICTURE, taking.picture.as_ppm())
    except BaseException:
        result.unlink(missing_ok=True)
        raise
    return taking.receipt(kind)


def convert_as_asked(
    path: str, out: str, *, parts: str = "merge", **given: Any
) -> dict[str, object]:
    """`separate` where `parts` is "separate", else `convert`."""
    if parts != "separate":
        return convert(path, out, **given)
    if given.pop("format", "stl") != "stl":
        raise InputError(
            "unsupported-format", "Separate parts are written as STL: leave out format."
        )
    return separate(path, out, **given)


class _Taking:
    """Takes files apart, one after the other: only one part at a time is in memory twice."""

    def __init__(self, archive: zipfile.ZipFile, folder: Path, unit: str):
        self._archive, self._folder, self._unit = archive, folder, unit
        self._notes = Notes.empty()
        self._pictures: list[Picture | None] = []
        self._units: list[tuple[str, bool]] = []
        self._triangles = 0
        self.reported: list[dict[str, object]] = []
        self._instances = 0

    def take_archive(self, archive: Archive, main: str | None) -> None:
        """Every model that is in it; what cannot be read is named, unless nothing can."""
        refused: InputError | None = None
        models = [n for n in archive if kind_of(n) in FORMATS and not is_clutter(n)]
        labels = _labels(models)
        for name in archive:
            if is_clutter(name) or main not in (None, name):
                continue
            kind = kind_of(name)
            if kind in GCODE:
                self._notes.gcode.append(name)
                continue
            if kind not in FORMATS:
                self._notes.leave_out("entry that is no model", file=name[:255])
                continue
            with unpacked(archive, name, self._folder) as (file, beside):
                before = len(self.reported)
                try:
                    self.take(kind, file, beside, name, labels[name])
                except InputError as error:
                    if len(self.reported) > before or error.code == "too-large":
                        raise  # a file is taken as a whole or not at all
                    refused = refused or error
                    self._notes.leave_out("file that cannot be read", file=name, why=error.title)
        if not self.reported:
            title = "The archive holds no model file. Pack STL, OBJ, 3MF or other models."
            raise refused or InputError("nothing-solid", title)

    def take(
        self,
        kind: str,
        file: Path,
        beside: SiblingReader,
        name: str | None = None,
        called: str | None = None,
    ) -> None:
        """Every object of a file. Of an entry of an archive: its name, and what it is called."""
        with other_formats_named(file, kind):
            parts = self._parts(kind, file, beside)
            if not parts:
                title = "The file holds no object that is to be printed. Export the model again."
                raise InputError("nothing-solid", title)
        if len(self.reported) + len(parts) > MAX_PARTS:
            title = f"The file holds more than {MAX_PARTS} objects. Send it in several files."
            raise InputError("too-large", title, {"limit": MAX_PARTS})
        for part in parts:
            check_content(part.content)
        for part, own in zip(parts, _names(parts, called), strict=True):
            self._write(part._replace(name=own), name)

    def _parts(self, kind: str, file: Path, beside: SiblingReader) -> list[Part]:
        merged = format_of(kind)
        if kind in READERS:
            taken = READERS[kind](file, beside)
            self._notes.add(taken.notes)
            self._pictures.append(taken.picture)
            return taken.parts
        content = merged.read(file, beside)
        for what in sorted(content.lost):
            self._notes.leave_out(what)
        self._pictures.append(None)
        return [Part(None, None, content, [Instance(None, HERE)])]

    def _write(self, part: Part, name: str | None) -> None:
        unit = part.content.unit or self._unit
        scale = MILLIMETRES[unit]
        mesh = compact(part.content, scale)
        if not len(mesh.faces):
            title = "The model holds no facet with three corners."
            raise InputError("nothing-solid", title)
        self._triangles += len(mesh.faces)
        if self._triangles > MAX_FACETS:
            title = f"The archive has more than {MAX_FACETS:,} facets. Send it in several files."
            raise InputError("too-large", title, {"limit": MAX_FACETS})
        entry = f"{len(self.reported) + 1}.stl"
        written = self._folder / "part.stl"
        try:
            stl.write(mesh, written)
            self._archive.write(written, entry)
        finally:
            written.unlink(missing_ok=True)
        self._units.append((unit, part.content.unit is not None))
        figures, exact = figures_of(mesh), part.content.exact_volume
        volume = figures.volume if figures.manifold else None
        if exact and (volume is None or abs(volume / (exact * scale**3) - 1.0) > INEXACT):
            error = None if volume is None else volume / (exact * scale**3) - 1.0
            self._notes.inexact.append({"object": part.name, "volume_error": error})
        self._instances += len(part.instances)
        self.reported.append(
            {
                "entry": entry,
                "file": name,
                "object": part.object,
                "name": part.name,
                "unit": unit,
                "color": part.color,
                "material": part.material,
                "instances": [_placed(instance, scale) for instance in part.instances],
                "triangles": len(mesh.faces),
                "volume": volume,
                "exact_volume": exact and exact * scale**3,
            }
        )

    @property
    def picture(self) -> Picture | None:
        """The only file's own; one of many does not show them all."""
        return self._pictures[0] if len(self._pictures) == 1 else None

    def receipt(self, kind: str) -> dict[str, object]:
        """What `separate` returns."""
        lists = self._notes._asdict()
        listed = {name: _cut(lines) for name, lines in lists.items()}
        unit, declared = self._units[0]
        return {
            "source": kind,
            "format": "stl",
            "unit": {"source": unit, "declared": declared, "result": "mm"},
            "objects": len(self.reported),
            "instances": self._instances,
            "triangles": self._triangles,
            "picture": self.picture and self.picture.entry,
            **listed,
            "left_out_counts": _kinds(lists["left_out"]),
            "unlisted": [
                {"list": name, "what": what, "count": count}
                for name, lines in lists.items()
                for what, count in _kinds(lines[len(listed[name]) :]).items()
            ],
        }


def _labels(entries: list[str]) -> dict[str, str | None]:
    """What files of an archive are called; with folder and ending where their names are equal."""
    labels: dict[str, str | None] = {}
    for form in (lambda path: path.stem, lambda path: path.with_suffix(""), str):
        labels |= {entry: label(str(form(PurePosixPath(entry)))) for entry in entries}
        names = Counter((labels[entry] or "").casefold() for entry in entries)
        entries = [entry for entry in entries if names[(labels[entry] or "").casefold()] > 1]
    return labels


def _names(parts: list[Part], file: str | None) -> list[str | None]:
    """What the parts are called: by themselves, else by the file of an archive that holds them."""
    names = [part.name and label(part.name) for part in parts]
    if file is None:
        return names
    if len(parts) == 1:
        return [names[0] or file]
    return [name or f"{file} {number}" for number, name in enumerate(names, 1)]


def _cut(lines: list) -> list:
    """As many as a receipt holds."""
    sizes = accumulate(len(orjson.dumps(line)) for line in lines[:MAX_LISTED])
    return lines[: sum(size <= MAX_BYTES_LISTED for size in sizes)]


def _kinds(lines: list) -> dict[str | None, int]:
    """How many there are of each `what`; None of lines that say none."""
    return dict(Counter(line.get("what") if isinstance(line, dict) else None for line in lines))


def _placed(instance: Instance, scale: float) -> dict[str, object]:
    transform = instance.transform.copy()
    transform[:, 3] *= scale
    return {"plate": instance.plate, "transform": (np.round(transform, 9) + 0.0).tolist()}
