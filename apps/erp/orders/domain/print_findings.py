"""Findings of print reports: limits of processes, what is below them, and what has changed."""

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypedDict

from apps.erp.base.models.bureaus import Bureau
from apps.erp.orders.models.print_reports import ProcessLimits, Severity
from apps.erp.organisation.models.equipment import BuildVolume, PrinterType
from core.api.openapi.response_types import FreeJson

# Design guides of processes, mm: wall_fault, wall_risk, gap_risk, shell_risk.
DEFAULTS: Mapping[str, tuple[float, float, float, float]] = {
    ProcessLimits.Process.FDM: (0.5, 1.0, 0.4, 2.0),
    ProcessLimits.Process.SLA: (0.3, 0.5, 0.3, 0.5),
    ProcessLimits.Process.SLS: (0.5, 0.7, 0.5, 0.8),
    ProcessLimits.Process.MJF: (0.3, 0.5, 0.5, 0.5),
    ProcessLimits.Process.METAL: (0.3, 0.5, 0.5, 0.5),
}
NAMES = ("wall_fault", "wall_risk", "gap_risk", "shell_risk")
NOT_CHECKED = ("holes", "text")  # what is measured of no model
SAME_PLACE = 2.0  # mm, within which findings of an old and a new file are the same
RANKS = (Severity.FAULT, Severity.RISK, Severity.NOTE)

Kind = Annotated[str, Literal["wall", "gap", "shell", "cavity", "mesh", "size"]]
Grade = Annotated[str, Literal["note", "risk", "fault"]]


class ReportLimitsAnswer(TypedDict):
    """Limits of a process when a report was made, mm."""

    process: Annotated[str, Literal["fdm", "sla", "sls", "mjf", "metal"]]
    wall_fault: float
    wall_risk: float
    gap_risk: float
    shell_risk: float
    decision_from: Annotated[
        Annotated[str, Literal["risk", "fault"]] | None,
        "Severity from which the customer decides; null: never.",
    ]


class FindingAnswer(TypedDict):
    """What is below a limit; lengths in mm."""

    kind: Kind
    severity: Grade
    limit: float | None
    value: float | None
    at: Annotated[list[float] | None, "Point (x, y, z) of the surface, mm; null: of no one place."]
    length: Annotated[float | None, "Longest side of the box around the largest place, mm."]
    places: Annotated[int, "How many places are alike."]
    mark: Annotated[
        list[float] | None,
        "Where it is in the model's default picture, as shares of width and height from top left.",
    ]
    change: Annotated[
        Annotated[str, Literal["new", "stays"]] | None,
        "Against the file before; null: without one.",
    ]
    accepted: Annotated[bool, "Whether the customer has accepted it in the file before."]


def limits_for(bureau: Bureau, printer_type: PrinterType | None) -> ReportLimitsAnswer | None:
    """Return the limits of a printer type of a bureau; None where the bureau has set none."""
    rows = {row.printer_type_id: row for row in ProcessLimits.objects.filter(bureau=bureau)}
    row = rows.get(printer_type.pk) if printer_type else None
    row = row or rows.get(None)
    if row is None:
        return None
    chosen = [getattr(row, name) for name in NAMES]
    limits = [
        default if value is None else value
        for value, default in zip(chosen, DEFAULTS[row.process], strict=True)
    ]
    wall_fault, wall_risk, gap_risk, shell_risk = limits
    return {
        "process": row.process,
        "wall_fault": wall_fault,
        "wall_risk": wall_risk,
        "gap_risk": gap_risk,
        "shell_risk": shell_risk,
        "decision_from": row.decision_from,
    }


def findings_of(
    measured: FreeJson,
    limits: ReportLimitsAnswer,
    *,
    manifold: bool,
    size: Sequence[float] | None,
    volume: BuildVolume | None,
) -> list[FindingAnswer]:
    """Return all findings of a model, the gravest first.

    measured  : by warehouse.find_thin_places
    size   : of the model, mm
    volume : of the printer
    """
    findings = [_finding(**each) for each in measured["findings"]]
    smallest, shell_risk = measured["smallest_shell"], limits["shell_risk"]
    if smallest is not None and (measured["shells"] or 0) > 1 and round(smallest, 2) < shell_risk:
        findings.append(_finding("shell", Severity.RISK, shell_risk, smallest))
    if measured["cavities"]:
        fdm = limits["process"] == ProcessLimits.Process.FDM  # others leave powder or resin in it
        severity = Severity.NOTE if fdm else Severity.FAULT
        findings.append(_finding("cavity", severity, places=measured["cavities"]))
    if not manifold:
        findings.append(_finding("mesh", Severity.RISK))
    if size and volume:
        pairs = list(zip(sorted(size), sorted(volume), strict=True))
        side, room = max(pairs, key=lambda pair: pair[0] - pair[1])
        if round(side, 2) > room:
            findings.append(_finding("size", Severity.FAULT, room, side))
    return sorted(findings, key=lambda each: RANKS.index(Severity(each["severity"])))


def _finding(
    kind: Kind,
    severity: str,
    limit: float | None = None,
    value: float | None = None,
    at: Sequence[float] | None = None,
    length: float | None = None,
    places: int = 1,
    mark: Sequence[float] | None = None,
) -> FindingAnswer:
    return {
        "kind": kind,
        "severity": severity,
        "limit": limit,
        "value": None if value is None else round(value, 2),
        "at": None if at is None else [round(number, 2) for number in at],
        "length": None if length is None else round(length, 1),
        "places": places,
        "mark": None if mark is None else [round(share, 3) for share in mark],
        "change": None,
        "accepted": False,
    }


def not_checked_of(measured: FreeJson) -> list[str]:
    """Return what was not measured of a model."""
    return [*([] if measured["measured"] else ["walls", "gaps"]), *NOT_CHECKED]


def compare(
    before: Sequence[FindingAnswer], after: Sequence[FindingAnswer], *, is_accepted: bool
) -> list[FindingAnswer]:
    """Mark the findings of a new file as new or as staying; return those that are gone.

    A finding stays where the old file has one of its kind within 2 mm that was as grave.

    is_accepted : whether the customer accepted the findings of the old file
    """
    left = list(before)
    for finding in after:
        same = next((each for each in left if _is_same(each, finding)), None)
        finding["change"] = "new" if same is None else "stays"
        if same is not None:
            left.remove(same)
            finding["accepted"] = same["accepted"] or is_accepted
    return left


def _is_same(old: FindingAnswer, new: FindingAnswer) -> bool:
    if (old["kind"], old["severity"]) != (new["kind"], new["severity"]):
        return False
    if old["at"] is None or new["at"] is None:
        return True
    return math.dist(old["at"], new["at"]) <= SAME_PLACE


def verdict_of(findings: Sequence[FindingAnswer]) -> str | None:
    """Return the severity of the gravest finding."""
    severities = {each["severity"] for each in findings}
    return next((rank.value for rank in RANKS if rank in severities), None)


def asks_for_decision(limits: ReportLimitsAnswer, findings: Sequence[FindingAnswer]) -> bool:
    """Return whether a customer decides about findings that they have not accepted before."""
    lowest = limits["decision_from"]
    grave = RANKS[: RANKS.index(Severity(lowest)) + 1] if lowest else ()
    return any(each["severity"] in grave and not each["accepted"] for each in findings)
