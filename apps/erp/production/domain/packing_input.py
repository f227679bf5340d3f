"""Input of a packing job: parts by model, volume, allowed orientations."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from apps.erp.organisation.models.equipment import PrinterType
from apps.erp.production.models.runs import Piece, Run
from apps.warehouse import interface as warehouse
from apps.warehouse.interface import StoredModel
from core.errors import Conflict
from geometry.bed_shape import largest_box
from geometry.packing.bed_mask import BedMask
from geometry.packing.bounds import Outline, Packer, PackingSpace
from geometry.packing.box_packer import Mode
from geometry.packing.request import Policy, Volume

# From the narrowest on.
POLICIES = ("as_is", "upright", "free")
# What a run is to those who set prices.
PRICED = {"namespace": "erp", "action": "run"}


class ModelsNotReady(Conflict):
    """Pieces whose model is not judged, or not well."""

    code = "model-not-ready"


@dataclass(frozen=True)
class Part:
    """Pieces of one model that may be turned in the same way.

    policy : free, upright or as_is
    """

    model: StoredModel
    policy: str
    pieces: list[Piece]

    @property
    def outline(self) -> Outline:
        """The part as its bounds need it."""
        return outline_of(self.model, self.policy, len(self.pieces))

    @property
    def triangles(self) -> int:
        """Of all its copies."""
        return (self.model.triangles or 0) * len(self.pieces)

    @property
    def names(self) -> list[str]:
        """What each copy is called."""
        return [
            f"{piece.line_item.name or self.model.name} #{piece.number}" for piece in self.pieces
        ]


def parts_of(pieces: Iterable[Piece], printer_type: PrinterType) -> list[Part]:
    """The parts that these pieces are, in an order that only they decide.

    `line_item` of each is read. Raises ModelsNotReady, naming the pieces.
    """
    pieces = list(pieces)
    models = warehouse.get_models_unchecked(
        {piece.model_uri for piece in pieces if piece.model_uri}
    )
    _require_ready(pieces, models)
    groups: dict[tuple[str, str], Part] = {}
    for piece in sorted(pieces, key=lambda piece: (piece.line_item_id, piece.number)):
        model = models[str(piece.model_uri)]
        policy = policy_of(model, printer_type, word=piece.line_item.orientation)
        part = groups.setdefault((str(model.sha256), policy), Part(model, policy, []))
        part.pieces.append(piece)
    return [groups[key] for key in sorted(groups)]


def policy_of(model: StoredModel, printer_type: PrinterType, *, word: str | None = None) -> str:
    """How a model may be turned: a person's word before its own, narrowed by the printer's.

    On a plate the premium packer turns parts about z only.
    """
    own = word or ("free" if model.may_rotate else "as_is")
    flat = printer_type.packing_mode == PrinterType.Packing.PLATE
    premium = printer_type.build_packer_type == PrinterType.Packer.PREMIUM
    widest = "upright" if flat and premium else printer_type.allowed_orientations
    return min(own, widest, printer_type.allowed_orientations, key=POLICIES.index)


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


def _within(outline: Sequence[Sequence[float]], volume: Volume) -> list[tuple[float, float]]:
    """A bed's outline in the coordinates of a volume whose middle is the bed's."""
    width, depth = (max(corner[axis] for corner in outline) for axis in (0, 1))
    left, front = (volume.x - width) / 2, (volume.y - depth) / 2
    return [(x + left, y + front) for x, y in outline]


def outline_of(model: StoredModel, policy: str, quantity: int = 1) -> Outline:
    """A processed model as its bounds need it."""
    size = model.size or (0.0, 0.0, 0.0)
    return Outline(model.name, size, model.volume, cast(Policy, policy), quantity)


def stop(run: Run) -> None:
    """End the search of a run that is calculating; the best so far is measured and kept.

    The worker hears of it within a second. The caller has locked the row.
    """
    run.packing["stop"] = True
    run.save(update_fields=["packing", "updated"])


def _require_ready(pieces: Iterable[Piece], models: dict[str, StoredModel]) -> None:
    waiting: dict[str, list[str]] = {}
    for piece in pieces:
        model = models.get(piece.model_uri or "")
        state = model.status if model else "not there"
        if state != "processed":
            waiting.setdefault(state, []).append(piece.uri)
    if waiting:
        words = "; ".join(f"{state}: {_some(uris)}" for state, uris in sorted(waiting.items()))
        raise ModelsNotReady(
            "Only pieces with a model that is processed can be packed. The models of these are "
            f"{words}. Wait until they are analysed, or give their line items other models.",
            field="pieces",
            details={"pieces": [uri for uris in waiting.values() for uri in uris][:100]},
        )


def _some(uris: list[str]) -> str:
    return ", ".join(uris[:5]) + (f" and {len(uris) - 5} more" if len(uris) > 5 else "")


def request_of(printer_type: PrinterType, reach: float = 0.0) -> dict[str, Any]:
    """The printer type's side of a job, as JSON; `reach` as in room_of."""
    room = room_of(printer_type, reach)
    return {
        "volume": list(room.volume),
        "distance": room.distance,
        "mode": room.mode,
        "floor": room.floor and room.floor._asdict(),
    }
