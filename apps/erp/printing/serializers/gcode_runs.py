"""Runs of uploaded G-code, and what the G-code is for, as JSON and back."""

from typing import Annotated, TypedDict

from apps.erp.base.serializers.resources import LinkField
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.models.equipment import Printer, PrinterType
from apps.erp.organisation.models.master_data import Material
from apps.erp.printing.serializers.attempts import ReasonAnswer, reason_of
from apps.erp.printing.services.gcode_runs import Matches
from apps.erp.production.serializers.runs import PiecesField
from core.api.fields import StrictSerializer, StrictText, UriField
from core.api.openapi.response_types import Uri


class CreateGcodeRunSerializer(StrictSerializer):
    """A run that prints uploaded G-code, on a printer or any of a type."""

    takes_back = False

    gcode = UriField()
    printer_type = LinkField(PrinterType, required=False, allow_null=True)
    printer = LinkField(Printer, required=False, allow_null=True)
    run_name = StrictText(max_length=200, required=False, allow_blank=True)
    material = LinkField(Material, required=False, allow_null=True)
    pieces = PiecesField(required=False, allow_empty=True)


class TypeMatchAnswer(TypedDict):
    """A printer type, and what speaks against printing the G-code on it."""

    printer_type: Uri
    name: Annotated[str, "Name of the printer type."]
    fits: Annotated[bool, "Whether nothing speaks against the printer type."]
    named: Annotated[bool, "Whether the G-code states this model of printer."]
    reasons: Annotated[list[ReasonAnswer], "What speaks against the printer type."]


class ObjectMatchAnswer(TypedDict):
    """An object of the G-code, and waiting pieces whose part has the same name."""

    name: Annotated[str, "Name of the object that the slicer states."]
    count: Annotated[int, "Number of times that the object is printed."]
    pieces: Annotated[list[Uri], "Waiting pieces of this name, in the order of work."]
    ambiguous: Annotated[bool, "Whether several line items have a part of this name."]


class GcodeMatchAnswer(TypedDict):
    """What uploaded G-code is for in a bureau."""

    gcode: Uri
    printer_types: Annotated[list[TypeMatchAnswer], "Printer types, the best first."]
    material: Annotated[
        Uri | None, "Material of the stated filament type; null if none or several have it."
    ]
    objects: Annotated[list[ObjectMatchAnswer], "Objects of the G-code by name."]


def gcode_match_resource(matches: Matches) -> GcodeMatchAnswer:
    """What G-code is for, as JSON."""
    return {
        "gcode": matches.gcode.uri,
        "printer_types": [
            {
                "printer_type": row.printer_type.uri,
                "name": row.printer_type.name,
                "fits": not row.obstacles,
                "named": row.named,
                "reasons": [reason_of(one) for one in row.obstacles],
            }
            for row in matches.types
        ],
        "material": matches.material.uri if matches.material else None,
        "objects": [
            {
                "name": row.name,
                "count": row.copies,
                "pieces": [Piece.uri_of(key) for key in row.pieces],
                "ambiguous": row.ambiguous,
            }
            for row in matches.objects
        ],
    }
