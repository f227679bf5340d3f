"""The folder of files that are not complete: what is swept from it, and what is spared."""

import os
import signal
import subprocess
import sys

import pytest

from core.files import blobs

FILL_AND_HANG = """
import time
import django
django.setup()
from core.files import blobs
with blobs.{what}() as made:
    print(flush=True)
    time.sleep(60)
"""


def incoming() -> list[str]:
    return sorted(path.name for path in blobs.incoming_folder().iterdir())


def test_open_incoming_files_survive_remove_stale():
    with blobs.incoming_file() as (_, path), blobs.scratch_dir() as folder:
        blobs.remove_stale()

        assert incoming() == sorted([path.name, folder.name])

    assert incoming() == []


@pytest.mark.parametrize("what", ["incoming_file", "scratch_dir"])
def test_incoming_files_of_killed_process_are_removed(tmp_path, settings, what):
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "DATA_DIR": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-c", FILL_AND_HANG.format(what=what)],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
    )
    process.stdout.readline()
    assert len(incoming()) == 1

    blobs.remove_stale()
    assert len(incoming()) == 1
    process.send_signal(signal.SIGKILL)
    process.communicate()
    blobs.remove_stale()

    assert incoming() == []
