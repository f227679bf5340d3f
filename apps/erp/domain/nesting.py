"""Room in runs that are not begun: how many more of a part certainly go into one."""

from typing import cast

import numpy as np
from numpy.typing import NDArray

from apps.erp.domain.packing import ModelsNotReady, parts_of, policy_of, room_of
from apps.erp.models import Material, Piece, PrinterType, Run
from apps.warehouse.interface import StoredModel
from geometry.packing.bounds import Room
from geometry.packing.boxes import pack_boxes
from geometry.packing.request import Piece as Box
from geometry.packing.request import Policy, orientations
from refusal import Refusal

MOST_RUNS = 20  # that are looked at
MOST_BOXES = 300  # that are packed while somebody waits
_SIDES = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5]]  # a box's floor and lid: all its corners
_CORNERS = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], np.float32)


def open_run(printer_type: PrinterType, material: Material) -> Run | None:
    """The oldest run of a type of printer that is not begun and has this material alone."""
    runs = Run.objects.filter(
        bureau=printer_type.bureau_id,
        printer_type=printer_type,
        operation=Run.Operation.PRINTING,
        status__in=(Run.Status.CREATED, Run.Status.CALCULATED),
    )
    for run in runs.order_by("pk")[:MOST_RUNS]:
        held = run.places.values_list("piece__line_item__base_material", flat=True)
        if set(held) == {material.pk}:
            return run
    return None


def room_for(model: StoredModel, run: Run, printer_type: PrinterType, *, most: int) -> int:
    """How many copies of a model, up to `most`, fit beside all that is in a run, by their boxes.

    What is certain at once: a packer that looks at the shapes may find room for more.
    """
    pieces = Piece.objects.filter(places__run=run).select_related("line_item")
    room = room_of(printer_type, run.packing.get("reach", 0.0))
    try:
        parts = parts_of(pieces, printer_type)
        held = [_box(part.model, part.policy, len(part.pieces)) for part in parts]
        most = min(most, MOST_BOXES - sum(box.quantity for box in held))
        while most > 0:
            placed = _placed(held, _box(model, policy_of(model, printer_type), most), room)
            if placed is not None:
                return placed
            most //= 2  # they took the place of what is in the run
    except (Refusal, ModelsNotReady):
        return 0
    return 0


def _placed(held: list[Box], more: Box, room: Room) -> int | None:
    """How many of `more` are placed; None where something of the run is not."""
    packing = pack_boxes([*held, more], room.volume, room.distance, mode=room.mode)
    if any(piece < len(held) for piece, _ in packing.unplaced):
        return None
    return more.quantity - len(packing.unplaced)


def _box(model: StoredModel, policy: str, quantity: int) -> Box:
    return Box(model.name, _corners(model), quantity, orientations(cast(Policy, policy)))


def _corners(model: StoredModel) -> NDArray[np.float32]:
    """(4, 3, 3) float32, mm: floor and lid of a model's box."""
    size = np.array(model.size or (0.0, 0.0, 0.0), np.float32)
    return (_CORNERS * size)[_SIDES]
