"""Create packed runs; limits."""

from django.conf import settings
from django.db import transaction
from django.db.models import prefetch_related_objects

from apps.erp.base.models.bureaus import Feature
from apps.erp.base.services.foreign_uris import readable
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.domain.packing_space import room_of
from apps.erp.organisation.models.equipment import Printer, PrinterType
from apps.erp.organisation.services.printer_types import require_feature
from apps.erp.production.actors.packing import pack_run
from apps.erp.production.domain.packing_input import PRICED, Part, parts_of
from apps.erp.production.domain.run_slicing import configs_of
from apps.erp.production.models.runs import Run
from apps.erp.production.services.runs import create_run
from apps.payment import interface as payment
from apps.slicing import interface as slicing
from core.auth_user import Person
from core.errors import Conflict, ServiceError, UnknownResource
from core.queue.row_jobs import enqueue
from geometry.packing.bounds import PackingSpace, most_together
from geometry.packing.budget import UNITS_PER_SECOND
from geometry.packing.request import Budget
from geometry.packing.request_limits import MAX_SIDE

BUDGETS = ("quick", "standard", "thorough")


class QuantityExceeds(Conflict):
    """More pieces than the build volume can hold."""

    code = "quantity-exceeds"


class LimitExceeded(ServiceError):
    """More than this installation packs at once."""

    code = "limit-exceeded"


@transaction.atomic
def create_packed_run(
    *,
    actor: Person,
    printer: Printer,
    run_name: str,
    pieces: list[Piece],
    do_build_volume_check: bool = True,
    config_uri: str | None = None,
    seed: int = 0,
    budget: str = "standard",
    automatic: bool = False,
) -> Run:
    """A run of a printer, which is packed in the background.

    do_build_volume_check : all of them or none; otherwise as many as go
    automatic             : whether it is sliced and queued automatically, for any printer of a type
    """
    printer_type = printer.printer_type
    if printer_type.build_packer_type == PrinterType.Packer.PREMIUM:
        require_feature(printer.bureau, Feature.PREMIUM_PACKER)
    if config_uri and not readable(config_uri, kind="config", user=actor):
        raise UnknownResource(f"{config_uri} is not a config that you may read.", field="config")
    prefetch_related_objects(pieces, "line_item__base_material")
    parts = parts_of(pieces, printer_type)
    sliced = printer_type.slice_runs or automatic
    reach = _reach_of(printer_type, config_uri, pieces if sliced else [], actor=actor)
    room = room_of(printer_type, reach)
    _require_within_limits(parts, room)
    if do_build_volume_check:
        _require_room(parts, room)
    run = create_run(
        actor=actor,
        bureau=printer.bureau,
        name=run_name,
        operation=Run.Operation.PRINTING,
        pieces=pieces,
        printer=printer,
        printer_type=printer_type,
        config_uri=config_uri,
        do_build_volume_check=do_build_volume_check,
        any_of_type=automatic,
        packing={"seed": seed, "budget": budget, "reach": reach, "automatic": automatic},
    )
    payment.authorise(owner=actor, source=run.uri, **PRICED)
    enqueue(pack_run, run, owner=actor.pk, cost=_cost(parts, room, budget))
    return run


def _cost(parts: list[Part], room: PackingSpace, budget: str) -> float:
    """Seconds that packing is expected to take: reading, certificate and files, and the search."""
    pieces = sum(len(part.pieces) for part in parts)
    around = 1.0 + 0.02 * pieces + 2e-6 * sum(part.triangles for part in parts)
    if room.packer == PrinterType.Packer.BOX:
        return around
    return around + 0.1 * pieces + Budget[budget.upper()] / UNITS_PER_SECOND


def _require_within_limits(parts: list[Part], room: PackingSpace) -> None:
    counts = {
        "PACKING_PIECES": (sum(len(part.pieces) for part in parts), "pieces"),
        "PACKING_MODELS": (len({part.model.sha256 for part in parts}), "different models"),
        "PACKING_TRIANGLES": (sum(part.triangles for part in parts), "triangles in all"),
    }
    for limit, (count, what) in counts.items():
        most = getattr(settings, limit)
        if count > most:
            raise LimitExceeded(
                f"These are {count:,} {what}; a run has at most {most:,} here ({limit}). Make "
                "several runs, or ask the operator.",
                field="pieces",
                details={"limit": limit, "most": most, "asked": count},
            )

    if room.packer == PrinterType.Packer.PREMIUM and max(room.volume) > MAX_SIDE:
        raise LimitExceeded(
            f"The premium packer packs volumes of at most {MAX_SIDE:,g} mm a side: make the "
            "printer type's smaller, or let its runs be packed by boxes.",
            field="printer",
            details={"most": MAX_SIDE, "asked": max(room.volume)},
        )


def _reach_of(
    printer_type: PrinterType, config: str | None, pieces: list[Piece], *, actor: Person
) -> float:
    """mm to leave free around each part of a plate, for what the slice will lay down there."""
    if printer_type.packing_mode != PrinterType.Packing.PLATE:
        return 0.0
    configs = {config} if config else set()
    if config is None and pieces:
        configs = _configs_of_type(printer_type, pieces, actor=actor)
    reach = max((slicing.config_reach(config=each) for each in configs), default=0.0)
    return reach if 2 * reach < min(printer_type.volume[:2]) else 0.0


def _configs_of_type(printer_type: PrinterType, pieces: list[Piece], *, actor: Person) -> set[str]:
    """What the run will be sliced with by itself; none where nothing says so: then an error."""
    try:
        with transaction.atomic():
            return set(configs_of(printer_type, pieces, owner=actor).values())
    except ServiceError:
        return set()


def _require_room(parts: list[Part], room: PackingSpace) -> None:
    asked = sum(len(part.pieces) for part in parts)
    fit = most_together([part.outline for part in parts], room)
    if fit.at_most < asked:
        raise QuantityExceeds(
            f"{asked:,} pieces were asked for; at most {fit.at_most:,} can fit. {fit.reason}",
            field="pieces",
            details={"asked": asked, "at_most": fit.at_most, "reason": fit.reason},
        )
