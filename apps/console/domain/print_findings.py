"""Print reports on pages: verdict, findings, and what was decided."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from apps.console.domain.messages import Context
from core.text.print_findings import (
    DECISIONS,
    described_findings,
    finding_title,
    not_checked_names,
    verdict_label,
)

if TYPE_CHECKING:
    from manufacturing.generated.sales import SharedDecision, SharedReport


def described_report(report: SharedReport) -> Context:
    """Return all that a page shows of a report."""
    shown, tone = verdict_label(report["status"], report["findings"])
    return {
        "key": report["report"],
        "verdict": shown,
        "tone": tone,
        "is_made": report["status"] == "processed",
        "findings": described_findings(report["findings"], report["limits"]["process"]),
        "not_checked": not_checked_names(report["not_checked"]),
        "gone": [finding_title(finding) for finding in report["gone"]],
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
