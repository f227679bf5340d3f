"""Packing space of a printer type, and how a model may be turned in it."""

from collections.abc import Sequence
from typing import cast

from apps.erp.organisation.models.equipment import PrinterType
from apps.warehouse.interface import StoredModel
from geometry.bed_shape import centred_corner, largest_box
from geometry.packing.bed_mask import BedMask
from geometry.packing.bounds import Outline, Packer, PackingSpace
from geometry.packing.boxes.box_packer import Mode
from geometry.packing.request import Policy, Volume

# From the narrowest on.
POLICIES = ("as_is", "upright", "free")


def policy_of(model: StoredModel, printer_type: PrinterType, *, word: str | None = None) -> Policy:
    """How a model may be turned: a person's word before its own, narrowed by the printer's.

    On a plate the premium packer turns parts about z only.
    """
    own = word or ("free" if model.may_rotate else "as_is")
    flat = printer_type.packing_mode == PrinterType.Packing.PLATE
    premium = printer_type.build_packer_type == PrinterType.Packer.PREMIUM
    widest = "upright" if flat and premium else printer_type.allowed_orientations
    narrowest = min(own, widest, printer_type.allowed_orientations, key=POLICIES.index)
    return cast(Policy, narrowest)


def room_of(printer_type: PrinterType, reach: float = 0.0) -> PackingSpace:
    """What runs of this type of printer are packed into.

    Of a bed that is no rectangle only the premium packer's plates are packed to the edge.

    reach : mm that must stay free around each part, for supports, a raft or a brim
    """
    x, y, z = printer_type.volume
    mode, packer = cast(Mode, printer_type.packing_mode), printer_type.build_packer_type
    volume, floor = Volume(x - 2 * reach, y - 2 * reach, z), None
    if printer_type.outline:
        outline = _within(printer_type.outline, volume)
        if mode == PrinterType.Packing.PLATE and packer == PrinterType.Packer.PREMIUM:
            floor = BedMask(outline, reach)
        else:
            left, front, right, back = largest_box(outline, reach)
            volume = Volume(min(volume.x, right - left), min(volume.y, back - front), z)
    distance = max(printer_type.minimum_packing_distance, 2 * reach)
    return PackingSpace(volume, distance, mode, cast(Packer, packer), floor)


def build_corner(printer_type: PrinterType, reach: float = 0.0) -> tuple[float, float]:
    """Return where the corner of a packed build stands, mm from the corner of the bed's box.

    reach : as in room_of
    """
    x, y, _ = printer_type.volume
    volume = room_of(printer_type, reach).volume
    return centred_corner([(0.0, 0.0), (x, y)], volume.x, volume.y)


def _within(outline: Sequence[Sequence[float]], volume: Volume) -> list[tuple[float, float]]:
    """A bed's outline in the coordinates of a volume whose middle is the bed's."""
    width, depth = (max(corner[axis] for corner in outline) for axis in (0, 1))
    left, front = (volume.x - width) / 2, (volume.y - depth) / 2
    return [(x + left, y + front) for x, y in outline]


def outline_of(model: StoredModel, policy: Policy, quantity: int = 1) -> Outline:
    """A processed model as its bounds need it."""
    size = model.size or (0.0, 0.0, 0.0)
    return Outline(model.name, size, model.volume, policy, quantity)
