"""Sandboxed job: capacity."""

from collections.abc import Callable

from apps.erp.production.jobs.messages import FloorMessage
from geometry.formats.stl import read_triangles
from geometry.packing.bed_mask import BedMask
from geometry.packing.bounds import Packer
from geometry.packing.boxes.box_packer import Mode
from geometry.packing.capacity import how_many
from geometry.packing.request import Budget, PackItem, Policy, Volume, orientations


def count_file(
    *,
    path: str,
    name: str,
    policy: Policy,
    volume: list[float],
    distance: float,
    mode: Mode,
    packer: Packer,
    progress: Callable[..., None],
    floor: FloorMessage | None = None,
) -> dict[str, int | str]:
    """Count how many copies of the canonical STL at `path` fit: `at_least`, `at_most`, `reason`.

    What is known is sent with the progress, which says nothing of its own.

    Raises InputError
    """
    piece = PackItem(name, read_triangles(path), 1, orientations(policy))
    found: dict[str, int | str] = {}
    # Runs wait in the same queue: seconds have to do.
    counts = how_many(
        piece,
        Volume(*volume),
        distance,
        mode,
        floor=BedMask(**floor) if floor else None,
        packer=packer,
        work=Budget.QUICK,
    )
    for count in counts:
        found = {"at_least": count.at_least, "at_most": count.at_most, "reason": count.reason}
        progress(0.0, 1.0, **found)
    return found


count_file.tells_progress = True  # type: ignore[attr-defined]
