"""A process that was started with low limits, as in some containers, stays within them."""

import resource
import subprocess
import sys

import pytest

from core.sandbox.sandbox import SOURCE_ROOT

SET = f"""
import resource, sys
sys.path.insert(0, {str(SOURCE_ROOT)!r})
from core.sandbox.confinement.resource_limits import set_limit
set_limit(resource.RLIMIT_NOFILE, 256, 1)
print(*resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.parametrize(
    ("started_with", "limits"),
    [((100, 4096), "256 257"), ((100, 256), "256 256"), ((100, 200), "200 200")],
)
def test_resource_limit_stays_within_inherited_limits(started_with, limits):
    done = subprocess.run(
        [sys.executable, "-I", "-c", SET],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, started_with),
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.split() == limits.split()
