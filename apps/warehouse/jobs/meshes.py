"""Sandboxed mesh jobs: analyse, transform, printability, preview, convert."""

from geometry.analysis import analyse, require_size
from geometry.preview_mesh import write_preview
from geometry.printability import assess
from geometry.transformations import shape, steps_of


def analyse_file(path: str, canonical: str) -> dict[str, object]:
    """Judge the file at `path` and write it to `canonical` as the STL that all else reads."""
    analysis = analyse(path, canonical)
    require_size(analysis)
    return analysis._asdict()


def shape_file(path: str, out: str, steps: list[dict[str, object]]) -> list[dict[str, object]]:
    """Transform the canonical STL at `path` into another at `out`; what each step did."""
    return shape(path, steps_of(steps), out)


def assess_file(path: str, *, closed: bool) -> dict[str, object]:
    """Say how well the canonical STL at `path` can be printed."""
    return assess(path, closed=closed)._asdict()


def find_in_file(
    path: str, *, closed: bool, limits: dict[str, float], picture: tuple[int, int]
) -> dict[str, object]:
    """Find the walls and gaps of the canonical STL at `path` that are below limits in mm.

    picture : width and height of the default picture of a model, which they are marked in
    """
    # With libraries that no verdict needs.
    from geometry.print_findings import ThicknessLimits, find_thin_places
    from geometry.rendering.view import View

    places = find_thin_places(
        path, closed=closed, limits=ThicknessLimits(**limits), view=View(*picture)
    )
    return places._asdict() | {"findings": [each._asdict() for each in places.findings]}


def write_preview_file(path: str, out: str, *, triangles: int) -> int:
    """Write a mesh of at most so many of the triangles of the canonical STL at `path`, as GLB.

    Returns how many it has.
    """
    return write_preview(path, out, triangles=triangles)


def write_in_format(path: str, out: str, *, format: str) -> None:
    """Write the canonical STL at `path` in another of `geometry.formats.convert.formats()`."""
    from geometry.formats.convert import convert  # with libraries that no verdict needs

    convert(path, out, source="stl", format=format)
