"""The short form of `make drill`: everything is lost, and what was acknowledged comes back."""

import pytest

from tests.drill.data_loss import Embedded
from tests.drill.drill import drill

pytestmark = [pytest.mark.live, pytest.mark.slow, pytest.mark.long]


def test_disaster_recovery_drill_restores_acknowledged_data(tmp_path):
    platform = Embedded()
    try:
        found = drill(platform, tmp_path / "backups", seconds=3)
    finally:
        left = platform.stop()
    assert left == []
    assert found.before > 3
