"""Print reports as sentences: findings, limits, and what was decided."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypedDict

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.console.domain.messages import Context

if TYPE_CHECKING:
    from manufacturing.generated.sales import Finding, SharedDecision, SharedReport

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


class ShownFinding(TypedDict):
    """A finding on a page.

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


def described_findings(report: SharedReport) -> list[ShownFinding]:
    """Return the findings of a report, those that are marked in the picture with a number."""
    process = str(PROCESSES[report["limits"]["process"]])
    shown: list[ShownFinding] = []
    for finding in report["findings"]:
        mark = finding["mark"]
        shown.append(
            {
                "number": 1 + sum(bool(each["number"]) for each in shown) if mark else 0,
                "x": round(PICTURE[0] * mark[0], 1) if mark else 0,
                "y": round(PICTURE[1] * mark[1], 1) if mark else 0,
                "tone": TONES[finding["severity"]],
                "title": _title(finding),
                "detail": _detail(finding, process),
                "is_new": finding["change"] == "new",
                "is_accepted": finding["accepted"],
            }
        )
    return shown


def verdict_label(report: SharedReport) -> tuple[str, str]:
    """Return the label and the tone of the chip of a report."""
    if report["status"] != "processed":
        return (_("Check failed"), "") if report["status"] == "error" else (_("Checking"), "run")
    counts = {
        severity: sum(each["severity"] == severity for each in report["findings"])
        for severity in TONES
    }
    if counts["fault"]:
        return ngettext("%(n)s fault", "%(n)s faults", counts["fault"]) % {
            "n": counts["fault"]
        }, "bad"
    if counts["risk"]:
        return ngettext("%(n)s risk", "%(n)s risks", counts["risk"]) % {"n": counts["risk"]}, "warn"
    return _("Printable"), "ok"


def described_report(report: SharedReport) -> Context:
    """Return all that a page shows of a report."""
    shown, tone = verdict_label(report)
    not_checked = [str(NOT_CHECKED[each]) for each in report["not_checked"]]
    return {
        "key": report["report"],
        "verdict": shown,
        "tone": tone,
        "is_made": report["status"] == "processed",
        "findings": described_findings(report),
        "not_checked": ", ".join(not_checked),
        "gone": [_title(finding) for finding in report["gone"]],
        "decision": described_decision(report["decision"]) if report["decision"] else None,
        "needs_decision": report["needs_decision"],
        "can_decide": report["can_decide"] and report["verdict"] in ("risk", "fault"),
    }


def described_decision(decision: SharedDecision) -> Context:
    """Return a decision as a page shows it."""
    return {
        "shown": DECISIONS[decision["decision"]],
        "name": decision["name"],
        "text": decision["text"],
        "at": datetime.fromisoformat(decision["at"]),
        "is_open": decision["decision"] != "as-is",
        "is_failed": decision["replacement"] == "error",
        "is_waiting": decision["replacement"] == "processing",
    }


def _mm(length: float | None) -> str:
    return number_format(length or 0, 2).rstrip("0").rstrip(".,")


def _title(finding: Finding) -> str:
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


def _detail(finding: Finding, process: str) -> str:
    """What a finding means for the print, in the terms of a customer."""
    limit = {"mm": _mm(finding["limit"]), "process": process}
    sentences = [_limit_sentence(finding) % limit]
    if finding["kind"] in ("wall", "gap") and finding["places"] > 1:
        places = {"n": finding["places"]}
        sentences.append(ngettext("%(n)s place.", "%(n)s places.", finding["places"]) % places)
    return " ".join(sentences)


def _limit_sentence(finding: Finding) -> str:
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
