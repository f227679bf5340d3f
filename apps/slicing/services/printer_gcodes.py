"""Service layer: propose, confirm and delete the start and end G-code of printers."""

from collections.abc import Mapping

from django.db import transaction

from apps.slicing.actors import try_printer_gcode
from apps.slicing.configs.placeholders import FIELDS, faults_of
from apps.slicing.domain.catalogue import Preset, catalogue
from apps.slicing.domain.gcode_proposals import GcodeProposal, gcode_proposal
from apps.slicing.models import PrinterGcode
from core.auth_user import Person
from core.errors import InvalidFields, ServiceError, UnknownResource
from core.queue import quotas
from core.queue.row_jobs import cancel_jobs, enqueue

MAX_FAULTS = 50  # of one request


class NotConfirmed(ServiceError):
    """The G-code of a printer is used only once a person has confirmed it."""

    code = "not-confirmed"


class UnknownPlaceholder(ServiceError):
    """A placeholder that PrusaSlicer does not have, or one that is not closed."""

    code = "unknown-placeholder"


class GcodeOfAnotherPrinter(ServiceError):
    """Confirmed G-code is of another printer's preset, or its test slice is not processed."""

    code = "property-value-not-in-allowed-values"


def propose(*, printer: Preset, texts: Mapping[str, str] | None = None) -> GcodeProposal:
    """Return the proposal for a printer's preset; of `texts` of another slicer where they are sent.

    Raises ServiceError where the preset is none of a usable printer.
    """
    _require_printer(printer)
    return gcode_proposal(printer, texts)


@transaction.atomic
def create(
    *,
    actor: Person,
    printer: str,
    confirm: bool,
    start_gcode: str,
    end_gcode: str,
    before_layer_gcode: str = "",
    layer_gcode: str = "",
) -> PrinterGcode:
    """Create the confirmed G-code of a printer, and queue its test slice.

    Raises UnknownResource, NotConfirmed, and InvalidFields with each unknown placeholder.
    """
    preset = catalogue().find(printer, "printer")
    if preset is None:
        title = f"{printer} is no preset of a printer here: GET /preset/?filter[kind]=printer "
        raise UnknownResource(f"{title}lists them.", field="printer")
    _require_printer(preset)
    if not confirm:
        title = "Send confirm: true once you have read the G-code and it is right for the printer."
        raise NotConfirmed(title, field="confirm")
    sent = (start_gcode, before_layer_gcode, layer_gcode, end_gcode)
    texts = {field: text.replace("\r\n", "\n") for field, text in zip(FIELDS, sent, strict=True)}
    _require_placeholders(texts)
    quotas.require_queue_quota("slices", actor)
    row = PrinterGcode.objects.create(
        owner=actor,
        preset_uuid=preset.uuid,
        preset_name=preset.name,
        preset_digest=preset.digest,
        **texts,
    )
    enqueue(try_printer_gcode, row, cost=1.0)
    return row


@transaction.atomic
def delete(*, actor: Person, row: PrinterGcode) -> None:
    """Delete confirmed G-code; configs that were made with it keep their text."""
    row.delete_by(actor)
    cancel_jobs(try_printer_gcode, on=[row])


def find_printer_gcode(*, uri: str, printer: Preset, user: Person | None) -> PrinterGcode:
    """Return the confirmed G-code that `uri` names, for use with a printer's preset.

    user : who has to be able to read it; None where the caller has checked that

    Raises UnknownResource and GcodeOfAnotherPrinter.
    """
    rows = PrinterGcode.objects.filter(deleted=None)
    rows = rows if user is None else PrinterGcode.objects.visible_to(user)
    row = rows.filter(pk__in=PrinterGcode.keys_of(uri)).first()
    if row is None:
        title = f"{uri} is no confirmed G-code that you may use: create it first."
        raise UnknownResource(title, field="printer_gcode")
    if row.preset_uuid != printer.uuid:
        title = f"{uri} is for {row.preset_name}, not for {printer.name}: confirm another."
        raise GcodeOfAnotherPrinter(title, field="printer_gcode")
    if row.status != PrinterGcode.Status.PROCESSED:
        title = f"{uri} is {row.status}: it is used once its test slice is processed."
        raise GcodeOfAnotherPrinter(title, field="printer_gcode")
    return row


def check_printer_gcode(*, uri: str, preset: str, user: Person) -> None:
    """Raise UnknownResource or GcodeOfAnotherPrinter unless `user` may use it with a preset.

    preset : URI of the printer's preset
    """
    printer = catalogue().find(preset, "printer")
    if printer is not None:
        find_printer_gcode(uri=uri, printer=printer, user=user)


def _require_printer(preset: Preset) -> None:
    if preset.kind != "printer":
        title = f"{preset.name} is a preset of a {preset.kind}: name one of a printer."
        raise ServiceError(title, code="preset-not-usable", field="printer")
    if not preset.usable:
        title = f"{preset.name} cannot be used: {' '.join(preset.reasons)}"
        raise ServiceError(title, code="preset-not-usable", field="printer")


def _require_placeholders(texts: Mapping[str, str]) -> None:
    """Raise InvalidFields with what PrusaSlicer would refuse."""
    capabilities = catalogue().known
    faults: list[ServiceError] = [
        UnknownPlaceholder(
            f"Line {fault.line}: {fault.title} Replace or delete it.",
            field=field,
            details={"line": fault.line, "name": fault.name},
        )
        for field in FIELDS
        for fault in faults_of(texts[field], field, capabilities)
    ]
    if faults:
        raise InvalidFields(faults[:MAX_FAULTS])
