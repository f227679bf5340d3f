"""Marking pipeline: nozzle and layer checks, placement, engraving, verification."""

import math
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from manifold3d import Manifold
from numpy.typing import NDArray

from geometry.analysis import Analysis, analyse
from geometry.formats.stl import read_triangles, write_binary
from geometry.marking.engraving import (
    Cut,
    cut,
    find_obstacles,
    is_free_in_front,
    is_solid_behind,
    to_solid,
    to_triangles,
    wall_behind,
)
from geometry.marking.glyph_outlines import FONT, Line, line
from geometry.marking.planar_faces import find_faces
from geometry.marking.text_placement import MARGIN, TextPlace, around, find_places
from geometry.mesh import Mesh
from geometry.mesh.welding import weld
from input_errors import InputError

USUAL_SIZE, USUAL_DEPTH = 5.0, 0.6  # mm
MAX_FACETS = 2_000_000
MIN_DEPTH, MAX_DEPTH = 0.2, 5.0  # mm
MAX_LENGTH = 1000.0  # mm, of any parameter
LAYERS = 2  # that a text on a level face takes at least
WALL_LINES = 2  # nozzles of wall that stay behind the text
ENGRAVED_GAP = 0.75  # nozzles; raised letters need a whole one
WALL_DEPTH = 0.75  # nozzles, on an upright face
ROUNDING = 1e-9


def mark(
    path: str,
    out: str,
    *,
    text: str,
    mode: str = "engrave",
    size: float | None = None,
    depth: float | None = None,
    position: list[float] | None = None,
    normal: list[float] | None = None,
    layer_height: float = 0.2,
    nozzle: float = 0.4,
) -> dict[str, object]:
    """Write the part at `path`, an STL, with a line of text to `out`, as binary STL.

    Parameters
    ----------
    text     : 1 to 32 characters of ASCII
    mode     : "engrave" cuts it in, "emboss" raises it
    size     : mm, the height of capitals; where not given 5, or less where only that fits
    depth    : mm; where not given 0.6. On a level face it is rounded to whole layers
    position : [x, y, z] in mm, within 1 mm of a flat face; where not given a place is chosen
    normal   : the direction [x, y, z] that the face looks to, within 5 degrees

    Returns
    -------
    dict : the receipt
        text, mode, font, size, depth, stroke and gap (the finest, mm), width and height (mm),
        position, normal, direction (that the text reads along), face ("top", "wall", "bottom"),
        volume_change (mm^3), triangles {before, after}, manifold

    Raises
    ------
    InputError: not-manifold, invalid-text, glyph-missing, text-too-fine, text-too-shallow,
    text-too-deep, no-flat-face, no-place, invalid-parameter. InvalidMesh as `analyse` does.
    Nothing is left at `out`.
    """
    _check_parameters(mode, [size, depth, layer_height, nozzle], [position, normal])
    letters = line(text)
    smallest = _smallest(letters, mode, nozzle, layer_height)
    if size is not None and size < smallest - ROUNDING:
        raise _too_fine(letters, mode, size, smallest, nozzle)
    wanted = max(USUAL_SIZE, smallest) if size is None else size
    _check_depth(depth, layer_height)
    mesh, before = _read(Path(path), Path(out).parent)
    # Near the part: digits are not spent on its distance from the origin.
    centre = (mesh.vertices.min(axis=0) + mesh.vertices.max(axis=0)) / 2
    mesh = Mesh(mesh.vertices - centre, mesh.faces)
    part = to_solid(mesh)
    if part is None:
        raise _not_manifold()
    at = None if position is None else np.array(position, dtype=np.float64) - centre
    places = find_places(find_faces(mesh), letters, wanted, at, _unit(normal))
    least = smallest if size is None else wanted
    fitting = [place for place in places if place.size >= least - ROUNDING]
    if not fitting:
        raise _no_place(letters, places)
    job = _Marking(part, letters, mode, wanted, least, depth, layer_height, nozzle, at)
    place, result = _first_cut(job, fitting)
    after = _write(result, centre, Path(out))
    return {"text": text} | _receipt(job, place, centre, result, before, after)


def _check_parameters(
    mode: str, lengths: list[float | None], places: list[list[float] | None]
) -> None:
    """What a schema would have refused: this comes first, so that no figure below is absurd."""
    if mode not in ("engrave", "emboss"):
        raise InputError("invalid-parameter", f"mode is engrave or emboss, not {mode[:20]!r}.")
    if any(length is not None and not 0 < length <= MAX_LENGTH for length in lengths):
        title = f"size, depth, layer_height and nozzle are more than 0 and at most {MAX_LENGTH}."
        raise InputError("invalid-parameter", title)
    for place in places:
        if place is not None and not (len(place) == 3 and all(map(math.isfinite, place))):
            raise InputError("invalid-parameter", "position and normal are three numbers each.")


def _smallest(letters: Line, mode: str, nozzle: float, layer_height: float) -> float:
    """The cap height at which the finest stroke and the finest gap are still printed."""
    stroke = max(nozzle, LAYERS * layer_height)
    gap = nozzle if mode == "emboss" else ENGRAVED_GAP * nozzle
    return max(stroke / letters.stroke, gap / letters.gap)


def _check_depth(depth: float | None, layer_height: float) -> None:
    if depth is None:
        return
    least = max(MIN_DEPTH, LAYERS * layer_height)
    if depth < least - ROUNDING:
        title = f"The text would be {depth:g} mm deep; it must be at least {least:g} mm."
        raise InputError("text-too-shallow", title, {"least": least})
    if depth > MAX_DEPTH:
        title = f"The text would be {depth:g} mm deep; the most is {MAX_DEPTH:g} mm."
        raise InputError("text-too-deep", title, {"most": MAX_DEPTH})


def _read(path: Path, folder: Path) -> tuple[Mesh, Analysis]:
    """The closed part; cracks of float noise are welded on the way."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        canonical = Path(place) / "part.stl"
        analysis = analyse(path, canonical, max_triangles=MAX_FACETS)
        if not analysis.manifold or analysis.inverted:
            raise _not_manifold()
        return weld(read_triangles(canonical)).mesh, analysis


def _unit(normal: list[float] | None) -> NDArray[np.float64] | None:
    if normal is None:
        return None
    direction = np.array(normal, dtype=np.float64)
    length = float(np.linalg.norm(direction))
    if not length:
        raise InputError(
            "invalid-parameter", "The normal must point somewhere: [0, 0, 1] is upwards."
        )
    return direction / length


class _Marking(NamedTuple):
    """What is wanted of every place alike."""

    part: Manifold
    letters: Line
    mode: str
    size: float
    least: float
    depth: float | None
    layer_height: float
    nozzle: float
    position: NDArray[np.float64] | None

    def depth_at(self, place: TextPlace) -> float:
        """mm; whole layers on a level face, and what a nozzle can show on a wall."""
        if place.kind == "wall":
            return max(self.depth or USUAL_DEPTH, WALL_DEPTH * self.nozzle)
        layers = round((self.depth or USUAL_DEPTH) / self.layer_height)
        return max(layers, LAYERS) * self.layer_height

    def room(self, place: TextPlace) -> tuple[float, float]:
        """mm of material that must lie behind the surface, and of text that stands before it."""
        wall, deep = WALL_LINES * self.nozzle, self.depth_at(place)
        return (wall + deep, 0.0) if self.mode == "engrave" else (wall, deep)

    def cut_at(self, place: TextPlace) -> Cut | None:
        """None where something is in the way, or too little behind."""
        width, height = self.letters.width * place.size, self.letters.height * place.size
        behind, before = self.room(place)
        if not is_free_in_front(self.part, place, width, height, before):
            return None
        if not is_solid_behind(self.part, place, width, height, behind):
            return None
        shape = self.letters.shape.scale((place.size, place.size))
        return cut(self.part, place, shape, self.depth_at(place), self.mode)

    def move(self, place: TextPlace) -> TextPlace | None:
        """To where nothing is in the way; None where that leaves no room."""
        obstacles = find_obstacles(self.part, place, *self.room(place))
        moved = around(place, obstacles, self.letters, self.size, self.position)
        return moved if moved and moved.size >= self.least - ROUNDING else None


def _receipt(
    job: _Marking,
    place: TextPlace,
    centre: NDArray[np.float64],
    result: Cut,
    before: Analysis,
    after: Analysis,
) -> dict[str, object]:
    scale = place.size
    return {
        "mode": job.mode,
        "font": FONT,
        "size": scale,
        "depth": job.depth_at(place),
        "stroke": job.letters.stroke * scale,
        "gap": job.letters.gap * scale,
        "width": job.letters.width * scale,
        "height": job.letters.height * scale,
        "position": (place.origin + centre).tolist(),
        "normal": place.frame.z.tolist(),
        "direction": place.frame.x.tolist(),
        "face": place.kind,
        "volume_change": result.volume_change,
        "triangles": {"before": before.triangles, "after": after.triangles},
        "manifold": after.manifold,
    }


def _first_cut(job: _Marking, places: list[TextPlace]) -> tuple[TextPlace, Cut]:
    """The first of the places where the text comes out well, and the result."""
    for place in places:
        result = job.cut_at(place)
        if result is not None:
            return place, result
    # It costs more to look for obstacles than to fall over them.
    for place in filter(None, map(job.move, places)):
        result = job.cut_at(place)
        if result is not None:
            return place, result
    walls = [(wall_behind(job.part, place), job.room(place)[0], place) for place in places]
    thin = [found for found in walls if found[0] < found[1]]
    if not thin:
        raise InputError("no-place", "No flat place is free for the text. Make it smaller.")
    wall, needed, place = max(thin, key=lambda found: found[0])
    deep, stays = job.depth_at(place), WALL_LINES * job.nozzle
    title = (
        f"The wall is {wall:.2f} mm thick; depth {deep:g} leaves less than {stays:g} mm. Make the "
        "text less deep, or the wall thicker."
    )
    raise InputError("text-too-deep", title, {"wall": wall, "depth": deep, "least": stays})


def _write(result: Cut, centre: NDArray[np.float64], out: Path) -> Analysis:
    """The result as it will be read: rounded to 32 bits, and judged from the file."""
    write_binary(to_triangles(result.solid) + centre, out)
    analysis = analyse(out)
    if not analysis.manifold:
        out.unlink()
        title = "The text cannot be cut here without damage to the part. Name another position."
        raise InputError("no-place", title)
    return analysis


def _not_manifold() -> InputError:
    title = (
        "The model must be closed, and its facets must face outward, before text can be cut; run "
        "model-healing first."
    )
    return InputError("not-manifold", title)


def _too_fine(letters: Line, mode: str, size: float, smallest: float, nozzle: float) -> InputError:
    least = math.ceil(smallest * 100 - 1e-6) / 100
    title = (
        f"Strokes would be {letters.stroke * size:.2f} mm wide and gaps {letters.gap * size:.2f} "
        f"mm, too fine for a nozzle of {nozzle:g} mm; use a size of at least {least:g} mm."
    )
    return InputError("text-too-fine", title, {"least_size": least, "mode": mode})


def _no_place(letters: Line, places: list[TextPlace]) -> InputError:
    most = max((place.size for place in places), default=0.0)
    width, height = letters.width * most, letters.height * most
    title = (
        f"No flat place is large enough for the text; largest: {width:.1f} x {height:.1f} mm, "
        f"with {MARGIN:g} mm free about it. Shorten the text or make it smaller."
    )
    return InputError("no-place", title, {"largest_size": most})
