"""Compiled loops are loaded before a child's walls go up: behind them each job would compile."""

import pytest

from apps.erp.production.actors.sandboxes import packers
from apps.slicing.actors.gcodes import readers
from apps.warehouse.actors.sandboxes import analysts, assessors


@pytest.mark.parametrize(
    ("sandbox", "loops"),
    [
        (analysts, "geometry.preload"),
        (assessors, "geometry.preload"),
        (packers, "geometry.preload"),
        (readers, "gcode.word_kernels"),
        (readers, "gcode.container_kernels"),
    ],
    ids=["analysts", "assessors", "packers", "readers", "containers"],
)
def test_sandbox_children_preload_the_kernels_of_their_jobs(sandbox, loops):
    assert loops in sandbox.preload
