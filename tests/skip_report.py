"""A pytest plugin: what is left out is told, and is a failure where NOTHING_LEFT_OUT is set.

A test is left out where this machine lacks what it needs: an engine, a browser, a right. With
BEGIN_UNTIL=<seconds since 1970> none begins after that time: a slow machine has no time for all.
"""

import os
import time
from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest

NO_TIME = "no time"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begin no test after the time that BEGIN_UNTIL names."""
    if time.time() > float(os.environ.get("BEGIN_UNTIL") or "inf"):
        pytest.skip(f"{NO_TIME}: {item.location[0]}")


def _count(report: Any) -> Any:
    """The report; that of what is left out becomes a failure where nothing may be."""
    is_left_out = report.skipped and not hasattr(report, "wasxfail")
    if is_left_out and "NOTHING_LEFT_OUT" in os.environ and not _reason(report).startswith(NO_TIME):
        report.outcome = "failed"
        report.longrepr = f"Left out, and NOTHING_LEFT_OUT is set: {_reason(report)}"
    return report


def _reason(report: Any) -> str:
    """Why something was left out."""
    _, _, reason = report.longrepr
    return reason.removeprefix("Skipped: ")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    """Of a test."""
    return _count((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    """Of a whole file."""
    return _count((yield))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """One line for each reason, at the end."""
    reasons = Counter(_reason(report) for report in terminalreporter.getreports("skipped"))
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"Left out: {count} ({reason})")
