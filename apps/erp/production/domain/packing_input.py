"""Input of a packing job: parts by model, volume, allowed orientations."""

from collections.abc import Iterable
from dataclasses import dataclass

from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.domain.packing_space import outline_of, policy_of, room_of
from apps.erp.organisation.models.equipment import PrinterType
from apps.erp.production.jobs.messages import SpaceMessage
from apps.erp.production.models.runs import Run
from apps.warehouse import interface as warehouse
from apps.warehouse.interface import StoredModel
from core.errors import Conflict
from geometry.packing.bounds import Outline
from geometry.packing.request import Policy

# What a run is to those who set prices.
PRICED = {"namespace": "erp", "action": "run"}


class ModelsNotReady(Conflict):
    """Pieces whose model is not judged, or not well."""

    code = "model-not-ready"


@dataclass(frozen=True)
class Part:
    """Pieces of one model that may be turned in the same way."""

    model: StoredModel
    policy: Policy
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
    groups: dict[tuple[str, Policy], Part] = {}
    for piece in sorted(pieces, key=lambda piece: (piece.line_item_id, piece.number)):
        model = models[str(piece.model_uri)]
        policy = policy_of(model, printer_type, word=piece.line_item.orientation)
        part = groups.setdefault((str(model.sha256), policy), Part(model, policy, []))
        part.pieces.append(piece)
    return [groups[key] for key in sorted(groups)]


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


def request_of(printer_type: PrinterType, reach: float = 0.0) -> SpaceMessage:
    """The printer type's side of a job, as JSON; `reach` as in room_of."""
    room = room_of(printer_type, reach)
    return {
        "volume": list(room.volume),
        "distance": room.distance,
        "mode": room.mode,
        "floor": room.floor and {"outline": list(room.floor.outline), "inset": room.floor.inset},
    }
