"""Attempts to print, what holds them up, and the clearing of plates, as JSON and back."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, TypedDict

from rest_framework import serializers

from apps.erp.base.model_fields import MAX_TEXT
from apps.erp.base.serializers.resources import LinkField, answer_of, resource, serializer_of
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.models.equipment import Printer, PrinterType
from apps.erp.printing.domain.actuals import Actuals
from apps.erp.printing.domain.dispatching import Candidate
from apps.erp.printing.domain.print_queue import Waiting
from apps.erp.printing.models.readings import AttemptReadings, Reading
from apps.erp.printing.serializers.cameras import CameraAnswer, camera_resource
from apps.erp.production.domain.attempts import progress_of
from apps.erp.production.domain.material_usage import UsedAnswer
from apps.erp.production.domain.object_exclusion import ExclusionWord, PrintedObject
from apps.erp.production.domain.obstacles import Obstacle
from apps.erp.production.models.attempts import Attempt
from apps.erp.production.serializers.runs import MAX_CHANGES
from core.api.fields import Number, StrictBoolean, StrictSerializer, StrictText
from core.api.openapi.response_types import FreeJson, Uri
from machines.drivers import MachineStatus


class AttemptSerializer(
    serializer_of(  # type: ignore[misc]
        Attempt,
        printer=LinkField(Printer, required=False),
        skip=LinkField(Piece, required=False),
        skip_object=StrictText(max_length=64, allow_blank=True, required=False),
        progress=Number(min_value=0, max_value=1, allow_null=True, required=False),
    )
):
    """One try to print a run: on this printer, or on the first that takes it.

    `skip` is a piece that went wrong while it is printed: it is left out, and replaced.
    `skip_object` is the key of an object that makes no piece: it is left out.
    """


class SkippedAnswer(TypedDict):
    """An object that is to be left out of a print."""

    piece: Uri | None
    object: Annotated[str | None, "Object name in the G-code."]
    how: Annotated[
        ExclusionWord | None,
        "Result: skipped, asked (command sent, not confirmed) or cannot; null until reported by "
        "the agent, or the end of the print.",
    ]


class ReasonAnswer(TypedDict):
    """Why a run is not printed."""

    code: str
    title: str


class CenterAnswer(TypedDict):
    """The centre of an object on the bed."""

    x: Annotated[float, "Position along x, mm, as the G-code states it."]
    y: Annotated[float, "Position along y, mm, as the G-code states it."]


class PrintedPieceAnswer(TypedDict):
    """An object of a print, and whether the machine can exclude it."""

    piece: Annotated[Uri | None, "Piece; null: an object of uploaded G-code that makes none."]
    key: Annotated[str | None, "Value of `skip_object`; null: exclude the piece by `skip`."]
    name: Annotated[str, "Display name of the line item; without a piece that of the object."]
    number: Annotated[int | None, "Number of the piece within its line item."]
    status: Annotated[str | None, Piece.Status]
    object: Annotated[str | None, "Object name in the G-code; null: no label."]
    center: Annotated[CenterAnswer | None, "Centre of the object; null: the G-code states none."]
    reason: Annotated[ReasonAnswer | None, "Why the machine cannot exclude it; null: it can."]
    skipped: Annotated[bool, "Whether it was excluded from this print."]
    how: Annotated[ExclusionWord | None, "Result of the exclusion; null: none yet."]


class AttemptBeside(TypedDict):
    """What an attempt tells otherwise than as its columns have it."""

    progress: Annotated[float | None, "Progress, at the end or now, from 0 to 1."]
    used: UsedAnswer | None
    skips: list[SkippedAnswer]


AttemptAnswer = answer_of(Attempt, AttemptBeside)


def attempt_resource(attempt: Attempt) -> FreeJson:
    """An attempt as JSON; where its agent sees it, with what that last reported."""
    beside: AttemptBeside = {
        "progress": progress_of(attempt, attempt.printer),
        "used": attempt.used,
        "skips": [
            {
                "piece": one["piece"],
                "object": one.get("title") or one.get("label") or one["name"],
                "how": one["how"],
            }
            for one in attempt.skips
        ],
    }
    return {**resource(attempt), **beside}


def printed_object_resource(printed: PrintedObject) -> PrintedPieceAnswer:
    """Return an object of a print as JSON."""
    label, center, reason = printed.label, printed.center, printed.obstacle
    piece = printed.place.piece if printed.place else None
    return {
        "piece": piece.uri if piece else None,
        "key": label.name if label and not piece else None,
        "name": piece.line_item.name if piece else printed.title,
        "number": piece.number if piece else None,
        "status": piece.status if piece else None,
        "object": printed.title if label else None,
        "center": {"x": center[0], "y": center[1]} if center else None,
        "reason": reason_of(reason) if reason else None,
        "skipped": printed.skipped,
        "how": printed.how,
    }


class ReadingsAnswer(TypedDict):
    """Readings during an attempt: lists of the same length, in order of time."""

    interval: Annotated[int, "Time between two readings, s; it doubles when they fill up."]
    seconds: Annotated[list[int], "Time since the start of the print, s; at most 400 readings."]
    progress: Annotated[list[float | None], "Print progress, from 0 to 1; null: not reported."]
    nozzle: Annotated[
        list[float | None], "Temperature of the first nozzle, °C; null: not reported."
    ]
    bed: Annotated[list[float | None], "Temperature of the bed, °C; null: not reported."]


def readings_resource(readings: AttemptReadings) -> ReadingsAnswer:
    """Return the readings of an attempt as JSON."""
    rows = [Reading(*row) for row in readings.rows]
    return {
        "interval": readings.interval,
        "seconds": [row.seconds for row in rows],
        "progress": [row.progress for row in rows],
        "nozzle": [row.nozzle for row in rows],
        "bed": [row.bed for row in rows],
    }


# ---------------------------------------------------------------- printers


class HeaterAnswer(TypedDict):
    """Temperature of a nozzle, a bed or a chamber."""

    heater: Annotated[str, "Name of the heater at the machine."]
    actual: Annotated[float, "Actual temperature, °C."]
    target: Annotated[float | None, "Target temperature, °C; 0: off; null: not reported."]


class DetailsAnswer(TypedDict):
    """Details of a print."""

    layer: Annotated[int | None, "Layer in print, counted from 1; null: not reported."]
    layers: Annotated[int | None, "Number of layers of the file; null: not reported."]
    seconds_left: Annotated[float | None, "Time left as the host estimates it, s."]
    speed: Annotated[float | None, "Speed factor, 1: as sliced; null: not reported."]
    has_filament: Annotated[bool | None, "Reading of the filament sensor; null: without one."]


class TrayAnswer(TypedDict):
    """Filament in a tray of a filament changer, or on an external spool."""

    slot: Annotated[str, "Name of the slot at the machine, such as A1 or external."]
    material: Annotated[str, "Material, as the machine names it."]
    color: Annotated[str | None, "Colour, `#rrggbb`; null: not reported."]
    remaining: Annotated[float | None, "Remaining filament, from 0 to 1; null: not measured."]
    is_active: Annotated[bool, "Whether the machine prints from this tray."]


class SightAnswer(TypedDict):
    """A machine, as its agent sees it."""

    state: Annotated[  # type: ignore[valid-type]
        str,
        Literal[*(word.value for word in MachineStatus)],
        "State of the machine; offline also if the agent has not reported for a minute.",
    ]
    job: Annotated[str | None, "File in print, or the last one shown."]
    progress: Annotated[float | None, "Print progress, from 0 to 1."]
    text: Annotated[str | None, "Message of the machine."]
    temperatures: Annotated[
        list[HeaterAnswer], "Temperatures of its nozzles, bed and chamber; empty: not reported."
    ]
    trays: Annotated[list[TrayAnswer], "Filament in its trays; empty: not reported."]
    details: Annotated[DetailsAnswer | None, "Details of the print; null: not reported."]
    address: Annotated[str | None, "Address of the machine's host in the shop."]
    host: Annotated[str | None, "Name and version of the host's program, as PrusaLink 0.8.1."]
    seen: Annotated[datetime | None, "Time of the agent's last report."]


class DueTaskAnswer(TypedDict):
    """A maintenance task that is due."""

    task: Uri
    name: str
    since: Annotated[datetime, "Time at which it became due."]


class PrinterBeside(TypedDict):
    """What a printer tells beside its columns."""

    attempt: Annotated[Uri | None, "Attempt in progress, or attempt whose parts are on the bed."]
    machine: Annotated[SightAnswer | None, "Last machine state reported by the agent."]
    due_maintenance: Annotated[list[DueTaskAnswer], "Maintenance tasks that are due."]
    camera: Annotated[CameraAnswer | None, "Newest picture of its camera; null: none."]


PrinterAnswer = answer_of(Printer, PrinterBeside)


def printer_resource(printer: Printer) -> FreeJson:
    """A printer as JSON; it was read with what it is `held_by`, and `camera_at`."""
    held_by = printer.held_by  # type: ignore[attr-defined]
    agent = printer.agent if printer.driven else None
    report = agent.sees(printer) if agent else {}
    beside: PrinterBeside = {
        "attempt": Attempt.uri_of(held_by) if held_by else None,
        "machine": _sight(printer.doing, report, agent.seen) if agent and report else None,
        "due_maintenance": [
            {"task": due.task.uri, "name": due.task.name, "since": due.since}
            for due in printer.due_maintenance.all()
        ],
        "camera": camera_resource(printer, printer.camera_at),
    }
    return {**resource(printer), **beside}


def _sight(
    state: MachineStatus | None, row: Mapping[str, Any], seen: datetime | None
) -> SightAnswer:
    return {
        "state": state or MachineStatus.OFFLINE,
        "job": row["job"],
        "progress": row["progress"],
        "text": row["text"],
        "temperatures": row.get("temperatures", []),
        "trays": row.get("trays", []),
        "details": row.get("details"),
        "address": row.get("address"),
        "host": row.get("host"),
        "seen": seen,
    }


class WatchAnswer(TypedDict):
    """A watched printer."""

    until: Annotated[datetime, "Time until which the agent reports it every 2 s."]


class RejectSerializer(StrictSerializer):
    """A piece that is no good, and why."""

    piece = LinkField(Piece)
    notes = StrictText(max_length=MAX_TEXT, allow_blank=True, required=False)


class ClearSerializer(StrictSerializer):
    """What became of the pieces on a plate that is empty now."""

    rejected = serializers.ListField(
        child=RejectSerializer(), max_length=MAX_CHANGES, required=False
    )
    again = StrictBoolean(default=False)

    def validate_rejected(self, rejected: list[dict[str, Any]]) -> list[tuple[Piece, str]]:
        """The pieces, each once, with what is noted of them."""
        pieces = [one["piece"] for one in rejected]
        if len(set(pieces)) < len(pieces):
            raise serializers.ValidationError("Name each piece once.", code="not-allowed")
        return [(one["piece"], one.get("notes") or "") for one in rejected]


# ---------------------------------------------------------------- candidates and queues


class CandidateAnswer(TypedDict):
    """A printer of a run's type."""

    printer: Uri
    name: str
    fits: Annotated[bool, "Whether the run can be printed on this printer now."]
    reasons: Annotated[list[ReasonAnswer], "All reasons against printing there."]


class WaitingAnswer(TypedDict):
    """A run that waits to be printed."""

    run: Uri
    name: str
    printer: Annotated[Uri | None, "First printer that accepts the run now."]
    reason: Annotated[ReasonAnswer | None, "Reason that blocks the run on most printers."]


def candidate_of(found: Candidate) -> CandidateAnswer:
    """A printer of a run's type, as JSON."""
    return {
        "printer": found.printer.uri,
        "name": found.printer.name,
        "fits": not found.obstacles,
        "reasons": [reason_of(one) for one in found.obstacles],
    }


def waiting_of(found: Waiting) -> WaitingAnswer:
    """A run in a queue, as JSON."""
    return {
        "run": found.run.uri,
        "name": found.run.name,
        "printer": found.printer.uri if found.printer else None,
        "reason": reason_of(found.obstacle) if found.obstacle else None,
    }


def reason_of(obstacle: Obstacle) -> ReasonAnswer:
    """An obstacle, as JSON."""
    return {"code": obstacle.code, "title": obstacle.title}


# ---------------------------------------------------------------- actuals of a type


class PrintAnswer(TypedDict):
    """A print that was estimated, and is done."""

    attempt: Uri
    ended: datetime
    estimated_seconds: float
    printing_seconds: float


class PartsAnswer(TypedDict):
    """Of the parts that were printed of a material, how many are good."""

    material: Uri | None
    good: int
    printed: int


class ActualsOfTypeAnswer(TypedDict):
    """What prints came to, beside what was expected."""

    time_factor: Annotated[float, "Current factor on estimated print times."]
    time_factor_seen: Annotated[
        float | None,
        "Median ratio of actual to estimated print time of these prints; null without prints.",
    ]
    prints: Annotated[list[PrintAnswer], "Last 20 prints, newest first."]
    parts: list[PartsAnswer]


def actuals_resource(printer_type: PrinterType, found: Actuals) -> ActualsOfTypeAnswer:
    """What prints on a type of printer came to, as JSON."""
    return {
        "time_factor": printer_type.time_factor,
        "time_factor_seen": found.time_factor,
        "prints": [_print(attempt) for attempt in found.prints],
        "parts": [
            {
                "material": parts.material.uri if parts.material else None,
                "good": parts.good,
                "printed": parts.printed,
            }
            for parts in found.parts
        ],
    }


def _print(attempt: Any) -> PrintAnswer:
    return {
        "attempt": attempt.uri,
        "ended": attempt.ended,
        "estimated_seconds": attempt.estimated_seconds,
        "printing_seconds": attempt.printing_seconds,
    }
