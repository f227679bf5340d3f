"""Create runs that print uploaded G-code."""

from typing import NamedTuple

from django.db import transaction

from apps.erp.base.domain.events import emit_status
from apps.erp.base.models.access import share_gcode
from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.services.foreign_uris import readable
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.models.equipment import Printer, PrinterType
from apps.erp.organisation.models.master_data import Material
from apps.erp.printing.domain import gcode_matching
from apps.erp.printing.domain.gcode_matching import ObjectMatch, TypeMatch
from apps.erp.printing.models.slicer_uploads import ReceivedFile
from apps.erp.production.domain import reservations
from apps.erp.production.models.runs import Run
from apps.erp.production.services.runs import RunRefused, create_run
from apps.slicing import interface as slicing
from apps.slicing.interface import StoredGcode
from core.auth_user import Person
from core.errors import Conflict, ServiceError, UnknownResource

MAX_NAME = 200


class GcodeNotReady(Conflict):
    """The G-code is not analysed, or was rejected."""

    code = "gcode-not-ready"


class Matches(NamedTuple):
    """What uploaded G-code is for in a bureau; printer types with the best first."""

    gcode: StoredGcode
    types: list[TypeMatch]
    material: Material | None
    objects: list[ObjectMatch]


@transaction.atomic
def create_gcode_run(
    *,
    actor: Person,
    gcode_uri: str,
    printer_type: PrinterType | None = None,
    printer: Printer | None = None,
    run_name: str = "",
    material: Material | None = None,
    pieces: list[Piece] | None = None,
    is_queued: bool = False,
) -> Run:
    """A run of a printer type, or of one printer, that prints uploaded G-code.

    material  : of a run without pieces; None: that of the filament type which the G-code states
    pieces    : that the G-code makes; they are queued by the run
    is_queued : whether the run is queued at once

    Raises UnknownResource, GcodeNotReady, RunRefused, NotShareable.
    """
    printer_type = _type_of(printer_type, printer)
    gcode = ready_gcode(gcode_uri, user=actor)
    bureau = printer_type.bureau
    _require_fit(printer_type, gcode)
    for named, field in ((printer, "printer"), (material, "material")):
        if named is not None and named.bureau_id != bureau.pk:
            title = f"{named.uri} belongs to another bureau than the printer type."
            raise ServiceError(title, code="wrong-bureau", field=field)
    share_gcode(gcode.uri, bureau=bureau, user=actor, field="gcode")
    run = create_run(
        actor=actor,
        bureau=bureau,
        name=(run_name or _name_of(gcode))[:MAX_NAME],
        operation=Run.Operation.PRINTING,
        pieces=pieces or [],
        printer=printer,
        printer_type=printer_type,
        any_of_type=printer is None,
        gcode_uri=gcode.uri,
        material=material or gcode_matching.match_material(bureau, gcode),
        status=Run.Status.CALCULATED,
        progress=1.0,
        estimates=_estimates(printer_type, gcode),
    )
    gcode_matching.label_places(run, gcode)
    reservations.reserve(run)
    for received in ReceivedFile.objects.filter(bureau=bureau, gcode_uri=gcode.uri, run=None):
        received.move(ReceivedFile.Status.DONE, run=run)
    if is_queued:
        run.move(Run.Status.QUEUED)
    emit_status(run)
    return run


def match_gcode(*, user: Person, bureau: Bureau, gcode_uri: str) -> Matches:
    """What uploaded G-code is for in a bureau: printer types, material and waiting pieces."""
    gcode = ready_gcode(gcode_uri, user=user)
    types = gcode_matching.match_types(bureau, gcode)
    chosen = gcode_matching.only_type(types)
    return Matches(
        gcode,
        types,
        gcode_matching.match_material(bureau, gcode),
        gcode_matching.match_pieces(bureau, gcode, chosen),
    )


def ready_gcode(uri: str, *, user: Person) -> StoredGcode:
    """G-code that `user` reads and that is analysed. Raises UnknownResource, GcodeNotReady."""
    gcode = None
    if readable(uri, kind="gcode", user=user):
        gcode = slicing.get_gcode_unchecked(uri)
    if gcode is None:
        raise UnknownResource(f"{uri} is not G-code that you may read.", field="gcode")
    if gcode.status != "processed":
        raise GcodeNotReady(
            f"The G-code is {gcode.status}: upload a file, and wait until it is processed.",
            field="gcode",
        )
    return gcode


def _type_of(printer_type: PrinterType | None, printer: Printer | None) -> PrinterType:
    if printer is None:
        if printer_type is None:
            title = "Send the printer, or the printer_type, that prints the G-code."
            raise ServiceError(title, code="missing-parameter", field="printer_type")
        return printer_type
    if printer_type not in (None, printer.printer_type):
        title = f"{printer.uri} is of another type: leave printer_type out."
        raise ServiceError(title, code="request-validation-error", field="printer_type")
    return printer.printer_type


def _require_fit(printer_type: PrinterType, gcode: StoredGcode) -> None:
    """Raise RunRefused for what no person can know better: the size of the print."""
    faults: list[ServiceError] = [
        Conflict(obstacle.title, code=obstacle.code, field="gcode")
        for obstacle in gcode_matching.obstacles_of(printer_type, gcode)
        if obstacle.code == "does-not-fit"
    ]
    if faults:
        raise RunRefused(faults)


def _name_of(gcode: StoredGcode) -> str:
    name = gcode.name or "G-code"
    return f"{name}, plate {gcode.plate}" if gcode.plate else name


def _estimates(printer_type: PrinterType, gcode: StoredGcode) -> dict[str, object]:
    """What the run takes: our own print time by the shop's factor, and what comes beside it."""
    figures, stated = gcode.figures or {}, gcode.metadata or {}
    seconds = figures["build_time_seconds"]
    return {
        "print_time": seconds * printer_type.time_factor + printer_type.time_per_run,
        "material": figures["build_volume_cc"],
        "support_material": figures["support_volume_cc"],
        "sliced_time": seconds,
        "stated_time": stated.get("stated_seconds"),
        "time_factor": printer_type.time_factor,
        "time_per_run": printer_type.time_per_run,
        "layer_height": stated.get("layer_height"),
        "presets": None,
    }
