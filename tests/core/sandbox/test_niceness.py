"""A session gives way as much as the process that leads it."""

import os
import subprocess
import sys
from pathlib import Path

from core.sandbox import sandbox
from tests.waiting import TIMEOUT

SOURCE_ROOT = Path(sandbox.__file__).parents[2]
NICE_WORKER = f"""
import os, sys
sys.path.insert(0, {str(SOURCE_ROOT)!r})
from core.sandbox.sandbox import Sandbox
os.nice(int(sys.argv[1]))
child = Sandbox("json")
child.warm()
group = f"/proc/{{child._child.pid}}/autogroup"
print(open(group).read() if os.path.exists(group) else "no groups")
child.close()
"""


def test_sandbox_child_autogroup_inherits_nice_value_of_worker():
    nice = os.nice(0) + 4
    command = [sys.executable, "-c", NICE_WORKER, "4"]

    said = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=True)

    grouped = Path("/proc/self/autogroup").exists()  # not every kernel has them
    assert said.stdout.split()[1:] == (["nice", str(nice)] if grouped else ["groups"])
