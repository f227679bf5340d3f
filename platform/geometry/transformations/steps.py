"""The seven transformation steps and their parameters."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geometry.transformations import auto_orient, bracket_frame
from geometry.transformations.rotations import from_degrees, to_degrees
from geometry.transformations.streamed_mesh import Body, CannotShape

Build = tuple[float, float, float]  # mm: x, y, z of a build volume

# A coordinate is rounded to within 2^-24 of itself in the file, a size to twice that.
ROUNDING = 2.0**-23

REASONS = {
    "as-it-stands": "Left as it stands: nothing that fits is better.",
    "better": "Turned to print better.",
    "to-fit": "Turned to fit the build volume, which it does not as it stood.",
    "diagonal": "Laid diagonally: it fits the build volume only so.",
}


@dataclass(frozen=True)
class Translate:
    """Move by (x, y, z) mm."""

    x: float
    y: float
    z: float

    def __post_init__(self) -> None:
        _check_numbers(self)

    def apply(self, body: Body) -> dict[str, object]:
        body.move(np.array([self.x, self.y, self.z], dtype=float))
        return {
            "offset": [self.x, self.y, self.z],
            "summary": f"Moved by {_triple((self.x, self.y, self.z))} mm.",
        }


@dataclass(frozen=True)
class Rotate:
    """Turn by degrees, right-handed, about the fixed axes through the origin: x, then y, then z."""

    x: float
    y: float
    z: float

    def __post_init__(self) -> None:
        _check_numbers(self)

    def apply(self, body: Body) -> dict[str, object]:
        matrix = from_degrees(self.x, self.y, self.z)
        body.turn(matrix)
        return {
            "matrix": matrix.tolist(),
            "summary": f"Turned by {self.x:g}° about x, {self.y:g}° about y, {self.z:g}° about z.",
        }


@dataclass(frozen=True)
class Scale:
    """Scale about the origin, in percent along each axis: 100 leaves it as it is."""

    x: float
    y: float
    z: float

    def __post_init__(self) -> None:
        _check_numbers(self, positive=("x", "y", "z"))

    def apply(self, body: Body) -> dict[str, object]:
        factors = np.array([self.x, self.y, self.z], dtype=float) / 100.0
        body.turn(np.diag(factors))
        return {
            "factors": factors.tolist(),
            "summary": f"Scaled to {_triple((self.x, self.y, self.z))} %.",
        }


@dataclass(frozen=True)
class AutoTranslate:
    """Move the lowest corner of the box to the origin; with `build`, stand in its middle.

    build : mm; then the box is centred on (x / 2, y / 2) and stands on z = 0
    """

    build: Build | None = None

    def __post_init__(self) -> None:
        if self.build is not None:
            _check_build(self)

    def apply(self, body: Body) -> dict[str, object]:
        low, high = body.bounds()
        corner, where = np.zeros(3), "at the origin"
        if self.build is not None:
            build = np.array(self.build, dtype=float)
            _check_fits(low, high, build)
            corner[:2] = (build[:2] - (high - low)[:2]) / 2
            where = f"in the middle of {_triple(build)} mm"
        body.place(corner)
        offset = corner - low
        summary = f"Moved by {_triple(offset)} mm to stand {where}."
        return {"offset": offset.tolist(), "summary": summary}


@dataclass(frozen=True)
class AutoScale:
    """Scale evenly about the origin, up or down, to the largest size that fits `build`, in mm."""

    build: Build

    def __post_init__(self) -> None:
        _check_build(self)

    def apply(self, body: Body) -> dict[str, object]:
        low, high = body.bounds()
        size, build = high - low, np.array(self.build, dtype=float)
        extended = size > 0
        if not extended.any():
            raise CannotShape(
                "no-extent",
                "All corners of the model lie in one point, so that no scale fills a volume. "
                "Repair the model.",
            )
        # Room for what rounding in the file may add.
        needed = size + np.maximum(np.abs(low), np.abs(high)) * ROUNDING
        factors = np.where(extended, build / np.where(extended, needed, 1.0), np.inf)
        axis = int(factors.argmin())
        factor = float(factors[axis])
        body.turn(np.diag([factor] * 3))
        summary = (
            f"Scaled to {100 * factor:.6g} %, where {'xyz'[axis]} fills the {build[axis]:g} mm "
            "of the build volume."
        )
        return {"factor": factor, "summary": summary}


@dataclass(frozen=True)
class AutoRotate:
    """Turn about the origin so that it prints well, and fits `build`, in mm."""

    build: Build

    def __post_init__(self) -> None:
        _check_build(self)

    def apply(self, body: Body) -> dict[str, object]:
        found = auto_orient.choose(body, np.array(self.build, dtype=float))
        body.turn(found.matrix)
        before, after = found.before, found.after
        return {
            "matrix": found.matrix.tolist(),
            "angles": list(to_degrees(found.matrix)),
            "size": found.size.tolist(),
            "height": float(found.size[2]),
            "overhang_before": before.overhang,
            "overhang_after": after.overhang,
            "contact_before": before.contact,
            "contact_after": after.contact,
            "support_before": before.support,
            "support_after": after.support,
            "reason": found.reason,
            "summary": f"{REASONS[found.reason]} Overhang {before.overhang:.4g} -> "
            f"{after.overhang:.4g} mm², on the bed {before.contact:.4g} -> {after.contact:.4g} "
            f"mm², {found.size[2]:.4g} mm high.",
        }


@dataclass(frozen=True)
class Bracket:
    """Put a rectangular frame round the model, on its lowest z.

    width     : mm, of the frame's bars in x and y
    gap       : mm, between the model's box and the frame; 0 joins them to one solid
    thickness : mm, of the frame in z
    """

    width: float
    gap: float
    thickness: float

    def __post_init__(self) -> None:
        _check_numbers(self, positive=("width", "thickness"), not_negative=("gap",))

    def apply(self, body: Body) -> dict[str, object]:
        low, high = body.bounds()
        inner = low[:2] - self.gap, high[:2] + self.gap
        outer = inner[0] - self.width, inner[1] + self.width
        bottom, top = float(low[2]), float(low[2] + self.thickness)
        facets = bracket_frame.frame(inner, outer, bottom, top)
        rounding = ROUNDING * float(np.abs(facets).max())
        joined = False
        if self.gap <= rounding:
            # Where they only touch, an edge would belong to both; so the frame reaches in.
            reach = np.minimum(max(bracket_frame.OVERLAP, 8 * rounding), (high - low)[:2] / 4)
            reaching = inner[0] + reach, inner[1] - reach
            joined = bracket_frame.join(body, bracket_frame.frame(reaching, outer, bottom, top))
        if not joined:
            body.add(facets)
        size = outer[1] - outer[0]
        return {
            "inner": [corner.tolist() for corner in inner],
            "outer": [corner.tolist() for corner in outer],
            "bottom": bottom,
            "top": top,
            "joined": joined,
            "summary": f"A frame of {size[0]:.6g} x {size[1]:.6g} x {self.thickness:g} mm was "
            + ("joined to the model." if joined else "put round the model."),
        }


Step = Translate | Rotate | Scale | AutoTranslate | AutoScale | AutoRotate | Bracket

TYPES: dict[str, type[Step]] = {
    "bracket": Bracket,
    "auto-rotate": AutoRotate,
    "rotate": Rotate,
    "auto-scale": AutoScale,
    "scale": Scale,
    "auto-translate": AutoTranslate,
    "translate": Translate,
}
NAMES: dict[type[Step], str] = {kind: name for name, kind in TYPES.items()}


def steps_of(items: Sequence[Mapping[str, Any]]) -> list[Step]:
    """Steps from JSON: {"type": "rotate", "x": 90, ...}, where a build is [x, y, z].

    Raises ValueError with a sentence that says which item is wrong, and how.
    """
    steps = []
    for number, item in enumerate(items, start=1):
        kind = TYPES.get(str(item.get("type")))
        if kind is None:
            raise ValueError(
                f"Transformation {number} has the type {item.get('type')!r}; "
                f"there are: {', '.join(TYPES)}."
            )
        fields = {name: value for name, value in item.items() if name != "type"}
        if isinstance(fields.get("build"), list):
            fields["build"] = tuple(fields["build"])
        known = {field.name: field for field in dataclasses.fields(kind)}
        needed = [name for name, field in known.items() if field.default is dataclasses.MISSING]
        if set(fields) - set(known) or set(needed) - set(fields):
            raise ValueError(
                f"Transformation {number} ({item['type']}) takes {', '.join(known)}; "
                f"it has {', '.join(fields) or 'nothing'}."
            )
        try:
            steps.append(kind(**fields))
        except ValueError as error:
            raise ValueError(f"Transformation {number} ({item['type']}): {error}") from error
    return steps


def _check_numbers(
    step: Any, *, positive: Sequence[str] = (), not_negative: Sequence[str] = ()
) -> None:
    for field in dataclasses.fields(step):
        value = getattr(step, field.name)
        _check_finite(field.name, value)
        if field.name in positive and value <= 0:
            raise ValueError(f"{field.name} must be greater than 0, not {value:g}.")
        if field.name in not_negative and value < 0:
            raise ValueError(f"{field.name} must not be less than 0, as {value:g} is.")


def _check_build(step: Any) -> None:
    build = step.build
    if not isinstance(build, tuple) or len(build) != 3:
        raise ValueError("build must be three lengths in mm: x, y and z.")
    for axis, value in zip("xyz", build, strict=True):
        _check_finite(f"build.{axis}", value)
        if value <= 0:
            raise ValueError(f"build.{axis} must be greater than 0, not {value:g}.")


def _check_finite(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name} must be a number.")
    try:
        finite = math.isfinite(value)
    except OverflowError:  # an integer beyond all floats
        finite = False
    if not finite:
        raise ValueError(f"{name} must be a finite number.")


def _check_fits(low: NDArray[np.float64], high: NDArray[np.float64], build: NDArray) -> None:
    size = high - low
    rounding = np.maximum(np.abs(low), np.abs(high)) * ROUNDING
    if (size - rounding <= build).all():
        return
    axis = int((size / build).argmax())
    raise CannotShape(
        "does-not-fit",
        f"The model is {_triple(size)} mm and does not fit into {_triple(build)} mm: "
        f"{'xyz'[axis]} is too long. At {100 * build[axis] / size[axis]:.4g} % of its size it "
        "would fit; auto-scale or auto-rotate before it may help.",
    )


def _triple(values: Sequence[float] | NDArray[np.float64]) -> str:
    return " x ".join(f"{value:.6g}" for value in values)
