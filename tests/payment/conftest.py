"""The clock of the months."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone

NOVEMBER = datetime(2026, 11, 20, 12, tzinfo=UTC)
DECEMBER = datetime(2026, 12, 1, 0, 5, tzinfo=UTC)
LATE = datetime(2026, 12, 16, tzinfo=UTC)


@pytest.fixture
def at(monkeypatch):
    """`at(moment)`: from now on it is then."""

    def set_clock(moment: datetime) -> None:
        monkeypatch.setattr(timezone, "now", lambda: moment)

    set_clock(NOVEMBER)
    return set_clock
