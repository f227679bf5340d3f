"""A machine that lacks what tests need says so, or fails where nothing may be left out."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OF_A_TEST = "import pytest\n\ndef test_engine():\n    pytest.skip('no engine')\n"
OF_A_FILE = "import pytest\n\npytest.skip('no engine', allow_module_level=True)\n"


@pytest.mark.parametrize("source", [OF_A_TEST, OF_A_FILE], ids=["a test", "a file"])
@pytest.mark.parametrize("strict", [False, True], ids=["at home", "where nothing may be left out"])
def test_what_is_left_out_is_told(tmp_path, source, strict):
    (tmp_path / "test_one.py").write_text(source)
    (tmp_path / "test_other.py").write_text("def test_other():\n    pass\n")
    environment = {k: v for k, v in os.environ.items() if k != "NOTHING_LEFT_OUT"}
    environment |= {"NOTHING_LEFT_OUT": "1"} if strict else {}

    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-c", "/dev/null", "--rootdir", str(tmp_path),
         "-p", "tests.left_out", "-p", "no:cacheprovider", "-p", "no:django", str(tmp_path)],
        cwd=ROOT, env=environment, capture_output=True, text=True,
    )  # fmt: skip

    told = (
        "Left out, and NOTHING_LEFT_OUT is set: no engine" if strict else "Left out: 1 (no engine)"
    )
    assert told in ran.stdout
    assert (ran.returncode == 0) == (not strict)
