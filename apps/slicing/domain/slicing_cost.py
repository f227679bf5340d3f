"""Estimated run time of an engine, from the settings that it is sent.

Measured with PrusaSlicer 2.5 and CuraEngine 4.13 on boxes of 20 to 100 mm and spheres of 84,000
triangles: within a factor of three. Layers and triangles cost what they do anywhere; infill costs
by its corners, of which a pattern of straight lines has two a line, and a curve that fills the
plane one for each square of its line distance.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from apps.slicing.configs.slic3r import numbers

USUAL_LAYER = 0.2  # mm
START = 1.0  # s
PER_TRIANGLE = 6e-5  # s, in layers of the usual height with two perimeters
PER_LITRE = 2.0  # s, of the bounding box
PER_CORNER = 5e-6  # s, of the path of an infill
NOZZLE, WIDTH_FACTOR = 0.4, 1.125  # mm; a line is that much wider than its nozzle
# Patterns of straight lines from one perimeter to the other; every other one is counted as a curve.
STRAIGHT = {
    *("rectilinear", "alignedrectilinear", "monotonic", "monotoniclines", "zigzag", "lines"),
    *("grid", "triangles", "trihexagon", "stars", "cubic", "adaptivecubic", "supportcubic"),
    *("cubicsubdiv", "tetrahedral", "quarter_cubic", "lightning", "concentric"),
}


class SlicingLoad(NamedTuple):
    """What of a config decides how long an engine works.

    layer      : height of a layer, mm
    perimeters : how many
    infill     : lines per mm; 0 for none
    curved     : whether the infill's pattern is a curve
    supports   : whether there are supports
    """

    layer: float = USUAL_LAYER
    perimeters: float = 2.0
    infill: float = 0.0
    curved: bool = False
    supports: bool = False


def slicing_load(engine: str, settings: Mapping[str, str]) -> SlicingLoad:
    """The load of settings as an engine is sent them."""
    return _of_cura(settings) if engine == "cura" else _of_slic3r(settings)


def slicing_cost(load: SlicingLoad, *, size: Sequence[float], triangles: int) -> float:
    """Seconds that an engine takes for a model of this size, mm, within a factor of three."""
    width, depth, height = size
    layers = height / load.layer
    wall_factor = 0.5 + load.perimeters / 4
    along = math.sqrt(width * depth) * load.infill  # lines across a layer
    corners = layers * (along**2 if load.curved else along)
    finer = USUAL_LAYER / load.layer
    litres = width * depth * height / 1e6
    body = finer * (PER_TRIANGLE * triangles * wall_factor + PER_LITRE * litres)
    return START + (1 + load.supports) * body + PER_CORNER * corners


def _of_slic3r(settings: Mapping[str, str]) -> SlicingLoad:
    nozzle = _smallest(settings, "nozzle_diameter", NOZZLE)
    width = _smallest(settings, "extrusion_width", WIDTH_FACTOR * nozzle, of=nozzle)
    width = _smallest(settings, "infill_extrusion_width", width, of=nozzle)
    density = (
        0.0 if settings.get("spiral_vase") == "1" else _largest(settings, "fill_density") / 100
    )
    return SlicingLoad(
        layer=_smallest(settings, "layer_height", USUAL_LAYER),
        perimeters=_largest(settings, "perimeters"),
        infill=density / width,
        curved=settings.get("fill_pattern", "") not in STRAIGHT,
        supports=_largest(settings, "support_material") > 0,
    )


def _of_cura(settings: Mapping[str, str]) -> SlicingLoad:
    distance = _largest(settings, "infill_line_distance")
    return SlicingLoad(
        layer=_smallest(settings, "layer_height", USUAL_LAYER),
        perimeters=_largest(settings, "wall_line_count"),
        infill=1 / distance if distance > 0 else 0.0,
        curved=settings.get("infill_pattern", "") not in STRAIGHT,
        supports=settings.get("support_enable") == "true",
    )


def _smallest(settings: Mapping[str, str], key: str, default: float, *, of: float = 0.0) -> float:
    """The smallest of a setting's positive values; percentages are of `of`."""
    text = settings.get(key, "")
    values = [value for value in numbers(text) or [] if value > 0]
    smallest = min(values, default=default)
    return smallest / 100 * of if values and "%" in text else smallest


def _largest(settings: Mapping[str, str], key: str) -> float:
    return max(numbers(settings.get(key, "")) or [], default=0.0)
