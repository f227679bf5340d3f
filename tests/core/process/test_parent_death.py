"""No child outlives a parent that was killed."""

import subprocess
import sys
from pathlib import Path

from core.process import parent_death_signal
from tests.waiting import TIMEOUT, wait_for

SOURCE_ROOT = Path(parent_death_signal.__file__).parents[2]
CHILD = f"""
import sys, time
sys.path.insert(0, {str(SOURCE_ROOT)!r})
from core.process.parent_death_signal import end_with_parent
end_with_parent()
print("tied", flush=True)
time.sleep(60)
"""
PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]])
print(child.pid, flush=True)
child.wait()
"""


def test_child_ends_when_its_parent_is_killed():
    command = [sys.executable, "-c", PARENT, CHILD]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    said = [process.stdout.readline().strip() for _ in range(2)]

    process.kill()
    process.communicate(timeout=TIMEOUT)  # ends when the child's end of the pipe is closed, too

    (child,) = [word for word in said if word != "tied"]
    stat = Path(f"/proc/{child}/stat")
    wait_for(lambda: not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] == "Z")
