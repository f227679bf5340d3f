"""Finds positions for a text line on planar faces."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from manifold3d import CrossSection
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from geometry.marking.glyph_outlines import Line
from geometry.marking.planar_faces import Face
from input_errors import InputError

CELLS = 320  # across a face
MARGIN = 0.8  # mm between the text and the rim
HORIZONTAL = float(np.cos(np.radians(30.0)))
SNAP_DISTANCE, SNAP_ANGLE = 1.0, float(np.cos(np.radians(5.0)))  # mm
STEPS = 12  # of halving, towards the largest size
TRIED = 10


class Frame(NamedTuple):
    """How a text lies: it reads along x, y points to its top, z outward; (3,) each, of length 1."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    z: NDArray[np.float64]


class TextPlace(NamedTuple):
    """Room for a line of text.

    origin : (3,) mm, the middle of the text, on the surface
    size   : mm, the cap height that fits, at most what was wanted
    """

    face: Face
    frame: Frame
    origin: NDArray[np.float64]
    size: float
    upright: bool

    @property
    def kind(self) -> str:
        """ "top", "bottom" or "wall"."""
        height = self.frame.z[2]
        return "wall" if abs(height) < HORIZONTAL else "top" if height > 0 else "bottom"


def find_places(
    faces: list[Face],
    line: Line,
    size: float,
    position: NDArray[np.float64] | None,
    normal: NDArray[np.float64] | None,
) -> list[TextPlace]:
    """The best places, the best first: large, not below, on a wall, upright.

    Raises InputError: no-flat-face, where a position or a normal is given and no face is there.
    """
    faces = _asked_for(faces, position, normal)
    places = [place for face in faces for place in _on(face, line, size, position)]
    places.sort(key=lambda place: _rank(place, size))
    return places[:TRIED]


def around(
    place: TextPlace,
    obstacles: CrossSection,
    line: Line,
    size: float,
    position: NDArray[np.float64] | None,
) -> TextPlace | None:
    """The best place on the same face, in the same direction, that leaves the obstacles out.

    obstacles : mm along the frame's x and y, from where the part's own origin is
    """
    found = _largest(place.face, place.frame, line, size, position, obstacles)
    return None if found is None else place._replace(origin=found[0], size=found[1])


def _rank(place: TextPlace, size: float) -> tuple:
    smaller = -round(place.size / size, 2)
    return smaller, place.kind == "bottom", place.kind != "wall", not place.upright


def _asked_for(
    faces: list[Face], position: NDArray[np.float64] | None, normal: NDArray[np.float64] | None
) -> list[Face]:
    if normal is not None:
        faces = [face for face in faces if face.normal @ normal >= SNAP_ANGLE]
    if position is not None:
        faces = [face for face in faces if _is_at(face, position)]
    if not faces and (position is not None or normal is not None):
        title = "There is no flat face at the given place. Name a point within 1 mm of one."
        raise InputError("no-flat-face", title)
    return faces


def _is_at(face: Face, position: NDArray[np.float64]) -> bool:
    """Whether the face covers the foot of the position on its plane, or nearly so."""
    height = float(position @ face.normal) - face.offset
    if abs(height) > SNAP_DISTANCE:
        return False
    foot = position - height * face.normal
    a, b, c = face.triangles.transpose(1, 0, 2)
    # Within a triangle, or no further beyond a side than the snap: signed distances to its sides.
    beyond = np.full(len(a), -np.inf)
    for start, end in ((a, b), (b, c), (c, a)):
        outward = np.cross(end - start, face.normal)
        length = np.linalg.norm(outward, axis=1)
        outward /= np.where(length > 0, length, 1.0)[:, None]
        beyond = np.maximum(beyond, ((foot - start) * outward).sum(axis=1))
    return bool((beyond <= SNAP_DISTANCE).any())


def _on(
    face: Face, line: Line, size: float, position: NDArray[np.float64] | None
) -> Iterator[TextPlace]:
    """The best place in each reading direction."""
    for number, frame in enumerate(_frames(face)):
        place = _largest(face, frame, line, size, position)
        if place is not None:
            origin, fits = place
            yield TextPlace(face, frame, origin, fits, number == 0)


def _frames(face: Face) -> list[Frame]:
    """Upright, a quarter on, along the longest rim edge, and a quarter on from there."""
    upward = np.array([0.0, 0.0, 1.0] if abs(face.normal[2]) < HORIZONTAL else [0.0, 1.0, 0.0])
    y = upward - (upward @ face.normal) * face.normal
    x = np.cross(y, face.normal)
    first = x / np.linalg.norm(x)
    along = face.edge if face.edge @ first >= -1e-9 else -face.edge
    quarters = [first, np.cross(face.normal, first), along, np.cross(face.normal, along)]
    frames: list[Frame] = []
    for x in quarters:
        if all(x @ frame.x < 1.0 - 1e-6 for frame in frames):
            frames.append(Frame(x, np.cross(face.normal, x), face.normal))
    return frames


def _largest(
    face: Face,
    frame: Frame,
    line: Line,
    size: float,
    position: NDArray[np.float64] | None,
    obstacles: CrossSection | None = None,
) -> tuple[NDArray[np.float64], float] | None:
    """Where the text is largest: its middle, mm, and its cap height."""
    flat = face.triangles @ np.stack([frame.x, frame.y], axis=1)  # (k, 3, 2)
    low, high = flat.min(axis=(0, 1)), flat.max(axis=(0, 1))
    cell = float((high - low).max()) / CELLS
    shape = np.ceil((high - low) / cell).astype(int) + 1
    raster = _raster(flat, low, cell, shape)
    if obstacles is not None:
        raster &= ~_obstructed(obstacles, low, cell, shape)
    sums = _summed(raster)

    def free(scale: float) -> NDArray[np.bool_] | None:
        """Where the corner of the text's rectangle may lie."""
        box = np.array([line.width, line.height]) * size * scale + 2 * MARGIN
        # A cell counts as covered as soon as the face touches it: one more on each side.
        columns, rows = (np.ceil(box / cell).astype(int) + 2).tolist()
        if columns >= sums.shape[1] or rows >= sums.shape[0]:
            return None
        inner = sums[rows:, columns:] - sums[:-rows, columns:]
        whole = inner - (sums[rows:, :-columns] - sums[:-rows, :-columns]) == rows * columns
        return whole if whole.any() else None

    best, spots = 1.0, free(1.0)
    if spots is None:
        best = 0.0
        step = 0.5
        for _ in range(STEPS):
            tried = free(best + step)
            if tried is not None:
                best, spots = best + step, tried
            step /= 2
    if spots is None:
        return None
    box = np.ceil((np.array([line.width, line.height]) * size * best + 2 * MARGIN) / cell) + 2
    middles = low + (np.argwhere(spots)[:, ::-1] + box / 2) * cell  # (n, 2)
    wanted = middles.mean(axis=0)
    if position is not None:
        wanted = np.array([position @ frame.x, position @ frame.y])
    x, y = middles[((middles - wanted) ** 2).sum(axis=1).argmin()]
    return x * frame.x + y * frame.y + face.offset * frame.z, size * best


def _raster(
    flat: NDArray[np.float64], low: NDArray[np.float64], cell: float, shape: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """(rows, columns): True where the triangles, (k, 3, 2), touch a cell."""
    image = Image.new("L", (int(shape[0]), int(shape[1])))
    draw = ImageDraw.Draw(image)
    for corners in ((flat - low) / cell).reshape(-1, 6).tolist():  # Pillow takes one at a time
        draw.polygon(corners, fill=1)
    return np.asarray(image) > 0


def _obstructed(
    obstacles: CrossSection, low: NDArray[np.float64], cell: float, shape: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """(rows, columns): True within the obstacles."""
    image = Image.new("L", (int(shape[0]), int(shape[1])))
    draw = ImageDraw.Draw(image)
    contours = [(contour - low) / cell for contour in obstacles.to_polygons()]
    # The largest first: a hole is cleared after what it lies in, and before what lies in it.
    for contour in sorted(contours, key=lambda contour: -abs(_area(contour))):
        draw.polygon(contour.reshape(-1).tolist(), fill=int(_area(contour) > 0))
    return np.asarray(image) > 0


def _area(contour: NDArray[np.float64]) -> float:
    """Of (n, 2), positive if counter-clockwise."""
    x, y = contour.T
    return float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum() / 2)


def _summed(raster: NDArray[np.bool_]) -> NDArray[np.int32]:
    """(rows + 1, columns + 1): the sum of all cells before each."""
    return np.pad(raster.cumsum(axis=0, dtype=np.int32).cumsum(axis=1), ((1, 0), (1, 0)))
