"""A machine that lacks what tests need says so, or fails where nothing may be left out."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OF_A_TEST = "import pytest\n\ndef test_engine():\n    pytest.skip('no engine')\n"
OF_A_FILE = "import pytest\n\npytest.skip('no kernel', allow_module_level=True)\n"
REFUSED = "Left out, and NOTHING_LEFT_OUT is set: no "


def run(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the tests of a folder with the plugin."""
    unset = ("NOTHING_LEFT_OUT", "BEGIN_UNTIL")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **variables}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-c", "/dev/null", "--rootdir", str(folder),
         "-p", "tests.skip_report", "-p", "no:cacheprovider", "--continue-on-collection-errors",
         str(folder)],
        cwd=ROOT, env=environment, capture_output=True, text=True,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("strict", "told"),
    [
        ({}, ["Left out: 1 (no engine)", "Left out: 1 (no kernel)"]),
        ({"NOTHING_LEFT_OUT": "1"}, [f"{REFUSED}engine", f"{REFUSED}kernel"]),
    ],
    ids=["at home", "where nothing may be left out"],
)
def test_skipped_tests_are_reported_and_fail_in_strict_mode(tmp_path, strict, told):
    (tmp_path / "test_one.py").write_text(OF_A_TEST)
    (tmp_path / "test_two.py").write_text(OF_A_FILE)
    (tmp_path / "test_other.py").write_text("def test_other():\n    pass\n")

    ran = run(tmp_path, **strict)

    assert [line for line in told if line not in ran.stdout] == [], ran.stdout
    assert (ran.returncode == 0) == (not strict)


def test_no_test_begins_after_the_time_that_is_named(tmp_path):
    (tmp_path / "test_one.py").write_text("def test_one():\n    pass\n")

    late = run(tmp_path, BEGIN_UNTIL="1", NOTHING_LEFT_OUT="1")
    early = run(tmp_path, BEGIN_UNTIL="4000000000", NOTHING_LEFT_OUT="1")

    assert (late.returncode, early.returncode) == (0, 0)
    assert "Left out: 1 (no time: test_one.py)" in late.stdout
    assert "Left out" not in early.stdout
