"""Free capacity of open runs, by bounding boxes."""

from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.domain.packing_space import room_of
from apps.erp.organisation.models.equipment import PrinterType
from apps.erp.organisation.models.master_data import Material
from apps.erp.production.domain.packing_input import ModelsNotReady, parts_of
from apps.erp.production.models.runs import Run
from apps.warehouse.interface import StoredModel
from geometry.packing.bounds import PackingSpace
from geometry.packing.boxes.box_packer import pack_boxes
from geometry.packing.request import PackItem as Box
from geometry.packing.request import Policy, orientations
from input_errors import InputError

MAX_RUNS = 20  # that are looked at
MAX_BOXES = 100  # that are packed while somebody waits: some 50 ms
MAX_TRIES = 3
MAX_PAIRS = 12  # of models and materials, each with its tries
_SIDES = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5]]  # a box's floor and lid: all its corners
_CORNERS = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], np.float32)


class OpenRun(NamedTuple):
    """A run that is not begun: the boxes of what is in it, and the room that they share."""

    boxes: list[Box]
    room: PackingSpace


def open_run(printer_type: PrinterType, material: Material) -> OpenRun | None:
    """The oldest run of a type of printer that is not begun and has this material alone.

    None, too, where what is in it cannot be packed.
    """
    runs = Run.objects.filter(
        bureau=printer_type.bureau_id,
        printer_type=printer_type,
        operation=Run.Operation.PRINTING,
        status__in=(Run.Status.CREATED, Run.Status.CALCULATED),
    )
    for run in runs.order_by("pk")[:MAX_RUNS]:
        held = run.places.values_list("piece__line_item__base_material", flat=True)
        if set(held) == {material.pk}:
            return _opened(run, printer_type)
    return None


def _opened(run: Run, printer_type: PrinterType) -> OpenRun | None:
    pieces = Piece.objects.filter(places__run=run).select_related("line_item")
    try:
        parts = parts_of(pieces, printer_type)
    except ModelsNotReady:
        return None
    boxes = [_box(part.model, part.policy, len(part.pieces)) for part in parts]
    return OpenRun(boxes, room_of(printer_type, run.packing.get("reach", 0.0)))


def room_for(model: StoredModel, policy: str, run: OpenRun, *, most: int) -> int:
    """How many copies of a model, up to `most`, fit beside all that is in a run, by their boxes.

    What is certain at once: a packer that looks at the shapes may find room for more.

    policy : how the model may be turned, as `policy_of` says
    """
    most = min(most, MAX_BOXES - sum(box.quantity for box in run.boxes))
    for _ in range(MAX_TRIES):
        if most <= 0:
            break
        placed = _placed(run, _box(model, policy, most))
        if placed is not None:
            return placed
        most //= 4  # they took the place of what is in the run
    return 0


def _placed(run: OpenRun, more: Box) -> int | None:
    """How many of `more` are placed; None where something of the run is not."""
    room = run.room
    try:
        packing = pack_boxes(
            [*run.boxes, more], room.volume, room.distance, mode=room.mode, floor=room.floor
        )
    except InputError:
        return 0
    if any(piece < len(run.boxes) for piece, _ in packing.unplaced):
        return None
    return more.quantity - len(packing.unplaced)


def _box(model: StoredModel, policy: str, quantity: int) -> Box:
    return Box(model.name, _corners(model), quantity, orientations(cast(Policy, policy)))


def _corners(model: StoredModel) -> NDArray[np.float32]:
    """(4, 3, 3) float32, mm: floor and lid of a model's box."""
    size = np.array(model.size or (0.0, 0.0, 0.0), np.float32)
    return (_CORNERS * size)[_SIDES]
