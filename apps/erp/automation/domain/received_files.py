"""Received G-code that is analysed: its print is queued, or it waits for a person."""

from django.db import transaction

from apps.erp.base.models.access import share_gcode
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.models.equipment import PrinterType
from apps.erp.printing.domain import gcode_matching
from apps.erp.printing.domain.slicer_keys import is_valid_key
from apps.erp.printing.models.slicer_uploads import ReceivedFile
from apps.erp.printing.services.gcode_runs import create_gcode_run
from apps.slicing import interface as slicing
from apps.slicing.interface import StoredGcode
from core.errors import Forbidden, ServiceError


@transaction.atomic
def follow_analysis(gcode_uri: str) -> None:
    """Go on with received G-code that is analysed: queue its print, or let it wait for a person."""
    gcode = slicing.get_gcode_unchecked(gcode_uri)
    row = _received(gcode) if gcode else None
    if gcode is None or row is None or row.status != ReceivedFile.Status.PROCESSING:
        return
    if gcode.status == "error":
        row.move(ReceivedFile.Status.ERROR, errors=list(gcode.errors))
    elif not row.print_requested:
        row.move(ReceivedFile.Status.WAITING)
    else:
        try:
            with transaction.atomic():
                _print(row, gcode)
        except ServiceError as error:
            row.move(ReceivedFile.Status.WAITING, errors=error.entries())


def _received(gcode: StoredGcode) -> ReceivedFile | None:
    """The locked row of G-code that was received; of a further plate one is made."""
    rows = ReceivedFile.objects.select_related("bureau", "creator", "slicer_key__printer_type")
    rows = rows.select_for_update(of=("self",))
    if gcode.first_plate is None:
        return rows.filter(gcode_uri=gcode.uri).first()
    first = rows.filter(gcode_uri=gcode.first_plate).first()
    existing = rows.filter(gcode_uri=gcode.uri).first()
    if first is None or existing is not None:
        return existing
    share_gcode(gcode.uri, bureau=first.bureau, user=first.creator)
    return ReceivedFile.objects.create(
        bureau=first.bureau,
        name=first.name,
        slicer_key=first.slicer_key,
        slicer=first.slicer,
        creator=first.creator,
        print_requested=first.print_requested,
        gcode_uri=gcode.uri,
    )


def _print(row: ReceivedFile, gcode: StoredGcode) -> None:
    """Create the queued run. Raises ServiceError where a person has to choose."""
    if row.slicer_key is None or not is_valid_key(row.slicer_key):
        raise Forbidden("The sender of the file has left the bureau: create a build of it.")
    printer_type = row.slicer_key.printer_type
    if printer_type is None:
        printer_type = gcode_matching.only_type(gcode_matching.match_types(row.bureau, gcode))
    if printer_type is None:
        model = (gcode.metadata or {}).get("printer_model") or "no printer"
        raise ServiceError(
            f"The G-code names {model}, and not exactly one printer type of the bureau is that: "
            "choose the printer type.",
            code="no-printer-type",
            field="printer_type",
        )
    obstacles = gcode_matching.obstacles_of(printer_type, gcode)
    if obstacles:
        first = obstacles[0]
        raise ServiceError(first.title, code=first.code, field="printer_type")
    create_gcode_run(
        actor=row.creator,
        gcode_uri=gcode.uri,
        printer_type=printer_type,
        pieces=_pieces(row, gcode, printer_type),
        is_queued=True,
    )


def _pieces(row: ReceivedFile, gcode: StoredGcode, printer_type: PrinterType) -> list[Piece]:
    """The waiting pieces that the G-code makes: of each name where one line item has it."""
    objects = gcode_matching.match_pieces(row.bureau, gcode, printer_type)
    keys = [key for each in objects if not each.ambiguous for key in each.pieces]
    return gcode_matching.pieces_with(dict.fromkeys(keys))
