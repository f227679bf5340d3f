"""Proposals of start and end G-code, and what a person has confirmed."""

from typing import Annotated, TypedDict

from apps.slicing.domain.catalogue import Preset, is_outdated
from apps.slicing.domain.gcode_proposals import GcodeProposal
from apps.slicing.models import PrinterGcode
from core.api.fields import StrictBoolean, StrictSerializer, StrictText, UriField
from core.api.openapi.response_types import ErrorAnswer, FreeJson, OwnedAnswer, Uri

MAX_GCODE = 60_000  # characters; the longest of the catalogues has 21,000


class GcodeTextsSerializer(StrictSerializer):
    """G-code with the placeholders of OrcaSlicer or Bambu Studio."""

    start_gcode = StrictText(max_length=MAX_GCODE, trim_whitespace=False)
    end_gcode = StrictText(max_length=MAX_GCODE, trim_whitespace=False)
    before_layer_gcode = StrictText(
        max_length=MAX_GCODE, trim_whitespace=False, required=False, allow_blank=True
    )
    layer_gcode = StrictText(
        max_length=MAX_GCODE, trim_whitespace=False, required=False, allow_blank=True
    )


class PrinterGcodeSerializer(GcodeTextsSerializer):
    """Start and end G-code that its sender confirms for a printer."""

    printer = UriField()
    confirm = StrictBoolean()


class UnresolvedAnswer(TypedDict):
    """A placeholder without an equivalent."""

    line: Annotated[int, "Line of `text`, from 1."]
    name: str
    title: str


class AssumptionAnswer(TypedDict):
    """A value that stands for a placeholder."""

    name: str
    value: str
    reason: str


class ProposedGcodeAnswer(TypedDict):
    """One G-code of a proposal."""

    field: Annotated[str, "Setting of PrusaSlicer, such as start_gcode."]
    original: Annotated[str, "With the other slicer's placeholders."]
    text: Annotated[str, "With PrusaSlicer's placeholders."]
    unresolved: list[UnresolvedAnswer]
    assumed: list[AssumptionAnswer]


class GcodeProposalAnswer(TypedDict):
    """Start and end G-code of a printer, translated for a person to read."""

    printer: Uri
    name: str
    origin: str
    complete: Annotated[bool, "Whether every placeholder has an equivalent."]
    gcodes: list[ProposedGcodeAnswer]
    warnings: list[str]


class PrinterGcodeAnswer(OwnedAnswer):
    """Confirmed start and end G-code of a printer."""

    printer: Uri
    name: str
    status: Annotated[str, PrinterGcode.Status]
    errors: list[ErrorAnswer] | None
    start_gcode: str
    before_layer_gcode: str | None
    layer_gcode: str | None
    end_gcode: str
    test: FreeJson | None
    outdated: bool


def proposal_resource(proposal: GcodeProposal) -> GcodeProposalAnswer:
    """Return a proposal with its G-code in the order of a print."""
    gcodes: list[ProposedGcodeAnswer] = [
        {
            "field": field,
            "original": each.original,
            "text": each.text,
            "unresolved": [
                {"line": fault.line, "name": fault.name, "title": fault.title}
                for fault in each.unresolved
            ],
            "assumed": [
                {"name": one.name, "value": one.value, "reason": one.reason} for one in each.assumed
            ],
        }
        for field, each in proposal.gcodes.items()
    ]
    return {
        "printer": proposal.printer.uri,
        "name": proposal.printer.name,
        "origin": proposal.printer.source.origin,
        "complete": proposal.complete,
        "gcodes": gcodes,
        "warnings": list(proposal.warnings),
    }


def printer_gcode_resource(row: PrinterGcode) -> PrinterGcodeAnswer:
    """Return confirmed G-code; its owner confirmed it at `created`."""
    return {
        "uri": row.uri,
        "printer": Preset.uri_of(row.preset_uuid),
        "name": row.preset_name,
        "status": row.status,
        "errors": row.errors,
        "start_gcode": row.start_gcode,
        "before_layer_gcode": row.before_layer_gcode or None,
        "layer_gcode": row.layer_gcode or None,
        "end_gcode": row.end_gcode,
        "test": row.test,
        "outdated": is_outdated([{"key": str(row.preset_uuid), "digest": row.preset_digest}]),
        "user_uri": row.owner.uri,
        "created": row.created,
        "updated": row.updated,
    }
