"""Places the model on the bed and verifies the sliced result."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from apps.slicing.configs.priming import SIDES, excursions, has_computed_moves
from apps.slicing.engines.base import Bed, SliceFailed, layers_file
from gcode import Figures, InvalidGcode, MachineLimits, figures
from geometry import bed_shape
from geometry.convex_hull import hull
from geometry.formats.stl.detection import HEADER_BYTES, RECORD

SMALLEST = 0.1  # mm, an extent below this is no object
COMPLETE = 0.9  # of the model's height; layers lost to holes make it less
TOLERANCE = 0.5  # mm, about one width of a line
# mm, how far beside the bed a start gcode of one's own may clean the nozzle at places that only the
# engine computes, and above the build volume.
PRIMING = 15.0


class Around(NamedTuple):
    """mm beside each side of the bed, and above the build volume, where filament may be laid."""

    left: float = TOLERANCE
    front: float = TOLERANCE
    right: float = TOLERANCE
    back: float = TOLERANCE
    above: float = TOLERANCE


ON_BED = Around()


def reachable(start_gcode: str, bed: Bed, *, then: str = "") -> Around:
    """Where filament may be laid: as far beside the bed as the moves of a config's own G-code go.

    then : G-code that is run after the start, such as that of a tool change
    """
    beside = excursions(f"{start_gcode}\nG90\n{then}", bed.corners)
    margin = PRIMING if has_computed_moves(start_gcode) else TOLERANCE
    left, front, right, back = (
        max(margin, beside[side].reach + TOLERANCE) if side in beside else margin for side in SIDES
    )
    return Around(left, front, right, back, above=PRIMING)


class Model(NamedTuple):
    """The file that an engine is given: a binary STL that stands on z = 0.

    size : (x, y, z) extents, mm
    hull : (k, 2) mm, of what it covers, on a bed that is no rectangle
    """

    path: Path
    size: tuple[float, float, float]
    hull: NDArray[np.float64] | None = None


def must_turn(size: tuple[float, float, float], *, bed: Bed, margin: float, may_turn: bool) -> bool:
    """Whether a model must be turned by 90 degrees about z to fit into the build volume.

    size   : (x, y, z) extents, mm
    margin : mm that must stay free on every side, for a raft

    Raises SliceFailed where it does not fit in any way that is allowed.
    """
    x, y, z = size
    measures = f"The model measures {x:.4g} x {y:.4g} x {z:.4g} mm"
    if min(size) < SMALLEST:
        title = f"{measures}: too small to print. Sizes are read as millimetres; scale it up."
        raise SliceFailed("model-too-small", title)
    if _fits(x, y, z, bed, margin):
        return False
    fits_turned = _fits(y, x, z, bed, margin)
    if fits_turned and may_turn:
        return True
    raft = f" and {margin:g} mm around it for the raft" if margin else ""
    volume = f"the build volume {bed.width:g} x {bed.depth:g} x {bed.height:g} mm"
    mend = "Scale, turn or divide the model."
    if fits_turned:
        mend = (
            "It would fit turned by 90 degrees about the vertical: turn it, or allow that with "
            "the model's allowed_transformations.rotation."
        )
    raise SliceFailed("model-too-large", f"{measures}{raft}, {volume}. {mend}")


def _fits(x: float, y: float, z: float, bed: Bed, margin: float) -> bool:
    return x + 2 * margin <= bed.width and y + 2 * margin <= bed.depth and z <= bed.height


def place(
    stl: Path,
    to: Path,
    *,
    bed: Bed,
    centre: tuple[float, float],
    margin: float,
    turned: bool = False,
) -> Model:
    """Write the model anew, standing on the bed with the middle of its bounds at `centre`.

    stl    : a canonical binary STL file
    margin : mm that must stay free on every side, for a raft
    turned : by 90 degrees about z, first

    Raises SliceFailed.
    """
    with stl.open("rb") as file:
        header = file.read(HEADER_BYTES)
        facets = np.fromfile(file, RECORD)
    if not len(facets):
        title = "No triangle of the model has an area: there is nothing to print. Export it again."
        raise SliceFailed("nothing-to-print", title)
    corners = facets["corners"]  # (n, 3, 3), a view
    if turned:
        for vectors in (corners, facets["normal"]):
            x_before = vectors[..., 0].copy()
            vectors[..., 0] = -vectors[..., 1]
            vectors[..., 1] = x_before
    lowest = corners.min(axis=(0, 1)).astype(np.float64)
    highest = corners.max(axis=(0, 1)).astype(np.float64)
    x, y, z = (highest - lowest).tolist()
    must_turn((x, y, z), bed=bed, margin=margin, may_turn=False)
    middle = (lowest + highest) / 2.0
    shift = (middle[0] - centre[0], middle[1] - centre[1], lowest[2])
    for axis, distance in enumerate(shift):  # one by one: of a large model, double is much
        corners[:, :, axis] = corners[:, :, axis].astype(np.float64) - distance
    covered = _require_on_bed(corners, bed, centre, margin) if bed.outline else None
    with to.open("wb") as file:
        file.write(header)
        facets.tofile(file)
    return Model(to, (x, y, z), covered)


def _require_on_bed(
    corners: NDArray[np.float32], bed: Bed, centre: tuple[float, float], margin: float
) -> NDArray[np.float64]:
    """The hull of what a model covers, in the bed's coordinates; SliceFailed beside the bed."""
    shift = np.array(bed.centre) - centre
    covered = hull(corners[:, :, :2].reshape(-1, 2)) + shift
    over = bed_shape.overhang(bed.outline, covered) + margin
    if over > bed_shape.CLOSE:
        title = (
            f"The model reaches {over:.3g} mm over the edge of the bed, which is no rectangle. "
            "Scale, turn or divide the model."
        )
        raise SliceFailed("model-too-large", title)
    return covered


def has_room(model: Model, bed: Bed, margin: float) -> bool:
    """Whether a skirt of this width around the model stays on the bed."""
    x, y, _ = model.size
    if model.hull is not None:
        return bed_shape.overhang(bed.outline, model.hull) <= -margin
    return x + 2 * margin <= bed.width and y + 2 * margin <= bed.depth


def check(
    gcode: Path,
    model: Model,
    *,
    bed: Bed,
    filament_diameter: float,
    log: str,
    around: Around = ON_BED,
    limits: MachineLimits | None = None,
    volumetric: bool = False,
) -> Figures:
    """Read what an engine wrote; its exit status alone proves nothing.

    limits     : of the printer, where they are known
    volumetric : whether E is mm^3

    Raises SliceFailed.
    """
    try:
        facts = figures(
            gcode,
            filament_diameter=filament_diameter,
            layers=layers_file(gcode),
            limits=limits,
            volumetric=volumetric,
        )
    except FileNotFoundError as error:
        raise nothing_to_print(log) from error
    except InvalidGcode as error:
        if error.code in ("empty-file", "no-commands", "no-moves"):
            raise nothing_to_print(log) from error
        title = f"The engine wrote something that is not gcode: {error.title}"
        raise SliceFailed("invalid-gcode", title, log) from error
    if facts.bounds is None:
        raise nothing_to_print(log)
    _, highest = facts.bounds
    if beside := _beside(facts.bounds, bed, around):
        title = (
            "The model fits into the build volume, but not with what is printed around it: "
            f"support, raft, brim or skirt. The G-code extrudes at {beside}. "
            "Scale, turn or divide the model."
        )
        raise SliceFailed("model-too-large", title, log)
    if highest[2] < COMPLETE * model.size[2]:
        title = (
            f"Only {highest[2]:.4g} of {model.size[2]:.4g} mm of the model's height could be "
            "sliced: its surface is open or too thin there. Repair the model."
        )
        raise SliceFailed("incomplete", title, log)
    return facts


def _beside(
    bounds: tuple[tuple[float, float, float], tuple[float, float, float]], bed: Bed, around: Around
) -> str:
    """The coordinates beside the build volume, such as X-3.4; nothing where there are none."""
    (left, front, below), (right, back, top) = bounds
    places = [
        ("X", left, bed.left - around.left - left),
        ("Y", front, bed.front - around.front - front),
        ("Z", below, -around.above - below),
        ("X", right, right - bed.left - bed.width - around.right),
        ("Y", back, back - bed.front - bed.depth - around.back),
        ("Z", top, top - bed.height - around.above),
    ]
    return ", ".join(f"{axis}{at:.5g}" for axis, at, over in places if over > 0)


def nothing_to_print(log: str) -> SliceFailed:
    title = (
        "No layer of the model can be printed: its walls are thinner than the nozzle, or its "
        "surface is open. Repair or scale the model."
    )
    return SliceFailed("nothing-to-print", title, log)
