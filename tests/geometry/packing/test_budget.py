"""Search budget: units of work, and the processor's time where units take too long."""

import pytest

from geometry.packing import budget
from geometry.packing.budget import SearchBudget
from geometry.packing.request import Budget


@pytest.fixture
def cpu(monkeypatch) -> list[float]:
    """The seconds of the processor that this process has used so far."""
    used = [100.0]
    monkeypatch.setattr(budget.time, "process_time", lambda: used[0])
    return used


def test_quick_search_ends_after_its_seconds_of_the_processor(cpu):
    meter = SearchBudget(Budget.QUICK)
    meter.work = 1000

    cpu[0] += 21.9
    assert not meter.over()
    cpu[0] += 0.2

    assert meter.over()
    assert meter.stopped == "time"


def test_longer_budgets_have_longer_limits(cpu):
    meters = [SearchBudget(each) for each in (Budget.STANDARD, Budget.THOROUGH)]

    cpu[0] += 200

    assert [meter.over() for meter in meters] == [True, False]
