"""Healing pipeline: exact and cheap steps first, acceptance check last."""

import shutil
import time

import numpy as np

from geometry.formats.stl import read_triangles, write_binary
from geometry.healing import hole_filling, receipt, sheets, stitching, winding
from geometry.healing.duplicate_faces import drop_doubles
from geometry.healing.shells import find_shells, join_overlapping
from geometry.healing.snap_rounding import as_written, rounded, settle
from geometry.healing.working_mesh import KEPT, WorkingMesh, surface_of
from input_errors import InputError

MAX_FACETS = 2_000_000
KERNEL = 2  # of the cascade, so that receipts of different ones can be distinguished
FILLINGS = 3
NO_VOLUME = 1e-9  # of the cube of the diagonal
SHOWN_PLACES = 20


def heal(
    path: str,
    out: str,
    *,
    max_volume_change: float = 0.02,
    max_filled_area: float = 0.25,
    merge: bool = True,
) -> dict[str, object]:
    """Make a closed, outward surface of the STL at `path`, and write it to `out`.

    What is sound already is copied byte for byte; else `out` is canonical binary STL.

    Parameters
    ----------
    max_volume_change : float
        Of the volume: how much filling holes may move it.
    max_filled_area : float
        Of the healed surface: how much of it may be invented.
    merge : bool
        Whether solids that overlap become one.

    Returns
    -------
    The receipt, as JSON values; docs/healing.md names its fields.

    Raises
    ------
    InputError: nothing-solid, not-mendable, volume-moved, too-much-filled; the last two with the
    receipt as details. InvalidMesh as `read_triangles` does. Then `out` is not there.
    """
    triangles = read_triangles(path, max_triangles=MAX_FACETS)
    steps = receipt.Steps()
    surface = surface_of(triangles)
    mended = _mend(surface, steps)
    solid = _solid(mended, len(triangles))
    invented = receipt.invented(solid)
    final, merged = _join(solid, steps) if merge else (solid, None)
    removed = receipt.volume(solid) - receipt.volume(final) if merged else 0.0
    final = _settled(final, steps)

    facets = as_written(final)
    untouched = not steps.done
    if untouched:
        shutil.copyfile(path, out)
    report: dict[str, object] = {
        "kernel": KERNEL,
        "nothing_to_do": untouched,
        "before": receipt.figures(path, triangles),
        "steps": steps.done,
        **invented,
        "overlap_removed": removed,
        "merged": merged,
    }
    if not untouched:
        _gate(invented, report, max_volume_change, max_filled_area)
        write_binary(facets, out)
    report["after"] = receipt.figures(out, facets)
    return report | receipt.difference(triangles, facets, final.fill != KEPT)


def _mend(surface: WorkingMesh, steps: receipt.Steps) -> WorkingMesh:
    """Closed and wound outward, if that can be done; stops as soon as nothing is wrong."""
    for name, step in [
        ("doubles", drop_doubles),
        ("noise", stitching.weld_noise),
        ("junctions", stitching.split_at_junctions),
        ("cracks", stitching.weld_wider),
        ("junctions", stitching.split_at_junctions),
        ("scraps", stitching.drop_scraps),
        ("doubles", drop_doubles),
        ("sheets", sheets.drop_sheets),
        ("winding", winding.wind_alike),
    ]:
        if surface.edges.sound:
            break
        surface = steps.run(name, step, surface)
    for _ in range(FILLINGS):
        if not surface.edges.open.any():
            break
        surface = steps.run("holes", hole_filling.fill_holes, surface)
        surface = steps.run("doubles", drop_doubles, surface)
        surface = steps.run("winding", winding.wind_alike, surface)
        surface = steps.run("sheets", sheets.drop_two_sided, surface)
    surface = steps.run("outward", winding.wind_outward, surface)
    if surface.edges.nonmanifold.any():
        surface = steps.run("touching", settle, surface)
        surface = steps.run("outward", winding.wind_outward, surface)
    return surface


def _solid(surface: WorkingMesh, facets: int) -> WorkingMesh:
    """The surface, if it is closed and encloses something."""
    _check_sound(surface)
    enclosed = np.abs(find_shells(surface).volumes).sum()
    if not len(surface.faces) or enclosed <= NO_VOLUME * surface.diagonal**3:
        raise InputError(
            "nothing-solid",
            f"The model encloses no volume: {facets:,} loose facets. Export it as a solid.",
            {"triangles": facets},
        )
    return surface


def _check_sound(surface: WorkingMesh) -> None:
    """Refuse what is not closed. Solids that touch and could not be moved apart are closed."""
    edges = surface.edges
    if edges.balanced.all():
        return
    bad = edges.open | edges.nonmanifold | edges.misoriented
    counts = {
        "open_edges": int(edges.open.sum()),
        "nonmanifold_edges": int(edges.nonmanifold.sum()),
        "misoriented_edges": int(edges.misoriented.sum()),
    }
    raise InputError(
        "not-mendable",
        f"{counts['open_edges']} edges are still open, {counts['nonmanifold_edges']} shared by "
        f"more than two facets and {counts['misoriented_edges']} between facets of opposite "
        "winding after repair. Mend the model where it was made.",
        counts | {"edges": surface.vertices[edges.ends[bad][:SHOWN_PLACES]].tolist()},
    )


def _join(surface: WorkingMesh, steps: receipt.Steps) -> tuple[WorkingMesh, bool]:
    begun = time.perf_counter()
    joined = join_overlapping(surface)
    if joined is None or joined is surface:
        return surface, False
    steps.note("overlap", surface, joined, time.perf_counter() - begun)
    return joined, True


def _settled(surface: WorkingMesh, steps: receipt.Steps) -> WorkingMesh:
    """As float32 holds it, and still sound."""
    written = rounded(surface)
    if not written.edges.sound:
        written = steps.run("rounding", settle, surface)
    _check_sound(written)
    return written


def _gate(
    invented: dict[str, float],
    report: dict[str, object],
    max_volume_change: float,
    max_filled_area: float,
) -> None:
    moved, filled = abs(invented["volume_change"]), invented["filled_area_share"]
    if moved > max_volume_change:
        raise InputError(
            "volume-moved",
            f"Repair would change the volume by {moved:.1%}, more than the "
            f"{max_volume_change:.1%} allowed. Close the model where it was made.",
            report,
        )
    if filled > max_filled_area:
        raise InputError(
            "too-much-filled",
            f"Repair would invent {filled:.1%} of the surface, more than the "
            f"{max_filled_area:.1%} allowed. Close the model where it was made.",
            report,
        )
