"""Sentences of print reports: findings, verdicts, limits and decisions, in the active language.

The pages of the console and the PDF of the platform's documents have the same ones.
"""

from collections.abc import Sequence
from typing import TypedDict

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

PICTURE = (800, 600)  # of a model, in the units of the marks on it
TONES = {"fault": "bad", "risk": "warn", "note": ""}
PROCESSES = {"fdm": "FDM", "sla": "SLA", "sls": "SLS", "mjf": "MJF", "metal": gettext_lazy("metal")}
NOT_CHECKED = {
    "walls": gettext_lazy("walls"),
    "gaps": gettext_lazy("gaps"),
    "holes": gettext_lazy("holes"),
    "text": gettext_lazy("engraved text"),
}
DECISIONS = {
    "as-is": gettext_lazy("Accepted as is"),
    "replaced": gettext_lazy("File replaced"),
    "ask": gettext_lazy("Question to the shop"),
}


class JudgedFinding(TypedDict):
    """What is below a limit, as the API describes it; lengths in mm."""

    kind: str
    severity: str
    limit: float | None
    value: float | None
    places: int
    mark: list[float] | None
    change: str | None
    accepted: bool


class JudgedLimits(TypedDict):
    """Limits of a process, mm."""

    process: str
    wall_fault: float
    wall_risk: float
    gap_risk: float
    shell_risk: float


class ShownFinding(TypedDict):
    """A finding as it is shown.

    number : of its mark in the picture; 0 where it has none
    x, y   : of the mark, in the units of PICTURE
    tone   : of its badge: bad, warn or none
    """

    number: int
    x: float
    y: float
    tone: str
    title: str
    detail: str
    is_new: bool
    is_accepted: bool


def described_findings(findings: Sequence[JudgedFinding], process: str) -> list[ShownFinding]:
    """Return findings as sentences, those that are marked in the picture with a number.

    process : by whose limits they are
    """
    process = str(PROCESSES[process])
    shown: list[ShownFinding] = []
    for finding in findings:
        mark = finding["mark"]
        shown.append(
            {
                "number": 1 + sum(bool(each["number"]) for each in shown) if mark else 0,
                "x": round(PICTURE[0] * mark[0], 1) if mark else 0,
                "y": round(PICTURE[1] * mark[1], 1) if mark else 0,
                "tone": TONES[finding["severity"]],
                "title": finding_title(finding),
                "detail": _detail(finding, process),
                "is_new": finding["change"] == "new",
                "is_accepted": finding["accepted"],
            }
        )
    return shown


def verdict_label(status: str, findings: Sequence[JudgedFinding]) -> tuple[str, str]:
    """Return the label of a report's verdict, and its tone: bad, warn, ok, run or none."""
    if status != "processed":
        return (_("Check failed"), "") if status == "error" else (_("Checking"), "run")
    counts = {
        severity: sum(each["severity"] == severity for each in findings) for severity in TONES
    }
    if counts["fault"]:
        return ngettext("%(n)s fault", "%(n)s faults", counts["fault"]) % {
            "n": counts["fault"]
        }, "bad"
    if counts["risk"]:
        return ngettext("%(n)s risk", "%(n)s risks", counts["risk"]) % {"n": counts["risk"]}, "warn"
    return _("Printable"), "ok"


def limits_sentence(limits: JudgedLimits) -> str:
    """Return the limits that a part is judged by."""
    return _(
        "Limits for %(process)s: walls %(wall_risk)s mm (minimum %(wall_fault)s mm), "
        "gaps %(gap_risk)s mm, separate bodies %(shell_risk)s mm."
    ) % {
        "process": PROCESSES[limits["process"]],
        "wall_fault": _mm(limits["wall_fault"]),
        "wall_risk": _mm(limits["wall_risk"]),
        "gap_risk": _mm(limits["gap_risk"]),
        "shell_risk": _mm(limits["shell_risk"]),
    }


def not_checked_names(kinds: Sequence[str]) -> str:
    """Return what was not measured, separated by commas."""
    return ", ".join(str(NOT_CHECKED[each]) for each in kinds)


def _mm(length: float | None) -> str:
    return number_format(length or 0, 2).rstrip("0").rstrip(".,")


def finding_title(finding: JudgedFinding) -> str:
    """Return what a finding is, with its value."""
    value = {"mm": _mm(finding["value"])}
    match finding["kind"]:
        case "wall":
            return _("Wall of %(mm)s mm") % value
        case "gap":
            return _("Gap of %(mm)s mm") % value
        case "shell":
            return _("Separate body of %(mm)s mm") % value
        case "cavity":
            count = finding["places"]
            return ngettext("%(n)s closed cavity", "%(n)s closed cavities", count) % {"n": count}
        case "size":
            return _("%(mm)s mm long: too large for the printer") % value
    return _("The mesh is not watertight")


def _detail(finding: JudgedFinding, process: str) -> str:
    """What a finding means for the print, in the terms of a customer."""
    limit = {"mm": _mm(finding["limit"]), "process": process}
    sentences = [_limit_sentence(finding) % limit]
    if finding["kind"] in ("wall", "gap") and finding["places"] > 1:
        places = {"n": finding["places"]}
        sentences.append(ngettext("%(n)s place.", "%(n)s places.", finding["places"]) % places)
    return " ".join(sentences)


def _limit_sentence(finding: JudgedFinding) -> str:
    match finding["kind"], finding["severity"]:
        case "wall", "fault":
            return _("Walls below %(mm)s mm cannot be made by %(process)s: it may be missing.")
        case "wall", "note":
            return _("A small spot below %(mm)s mm, the limit for %(process)s.")
        case "wall", _:
            return _("The limit for %(process)s is %(mm)s mm: it may break.")
        case "gap", _:
            return _("Below %(mm)s mm, the limit for %(process)s, the sides may fuse.")
        case "shell", _:
            return _("Bodies below %(mm)s mm may be lost.")
        case "cavity", "note":
            return _("It stays closed and hollow.")
        case "cavity", _:
            return _("Powder or resin stays in it: add a hole.")
        case "size", _:
            return _("The printer has room for %(mm)s mm.")
    return _("Parts of it may be missing in the print.")
