"""The README and the guides, pasted block by block into one shell beside a fresh platform."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.live.processes import ROOT, Platform

pytestmark = pytest.mark.slow

# A request that is refused ends the shell, as any command does that fails.
STRICT = 'set -eu -o pipefail\ncurl() { command curl --fail-with-body "$@"; }\n'


def story() -> list[Path]:
    """The pages of docs/README.md's tutorials, in its order."""
    index = ROOT / "docs" / "README.md"
    section = index.read_text().split("\n## Tutorials\n")[1].split("\n## ")[0]
    links = re.findall(r"^\d+\. .*?\]\(([^)#]+)", section, re.MULTILINE)
    return [(index.parent / link).resolve() for link in links]


def blocks(page: Path) -> list[str]:
    """What is to be pasted of a page; not `make`, whose part the test takes."""
    found = re.findall(r"^```sh\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    return [block for block in found if not block.startswith("make ")]


@pytest.fixture
def platform():
    running = Platform(DJANGO_SUPERUSER_PASSWORD="the operator's own phrase")
    try:
        running.start()
        yield running
    finally:
        running.stop()


def test_every_code_block_of_the_docs_story_runs_in_order(platform, tmp_path):
    (tmp_path / ".venv").symlink_to(sys.prefix)
    (tmp_path / "platform").symlink_to(ROOT / "platform")
    steps = {
        f"{page.name}, block {number}": block
        for page in story()
        for number, block in enumerate(blocks(page), start=1)
    }

    shell = subprocess.run(
        ["bash"],
        input=STRICT + "".join(f"{block}echo; echo '== {name}'\n" for name, block in steps.items()),
        cwd=tmp_path,
        env=platform.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=1200,
    )

    done = re.findall(r"^== (.*)$", shell.stdout, re.MULTILINE)
    assert done == list(steps), shell.stdout[-4000:]
    assert "README.md, block 6" in done
    assert "unpaid:{'amount': 1.5, 'currency': 'EUR'}" in shell.stdout
    assert (tmp_path / "bracket.png").read_bytes().startswith(b"\x89PNG\r\n")
    assert b"\nG1 " in (tmp_path / "bracket.gcode").read_bytes()
    assert (tmp_path / "build.3mf").read_bytes().startswith(b"PK\x03\x04")
    assert b"\nM486 S0\n" in (tmp_path / "plate.gcode").read_bytes()
    left = {path.name for path in tmp_path.iterdir() if not path.is_symlink()}
    assert left == {"bracket.stl", "bracket.png", "bracket.gcode", "build.3mf", "plate.gcode"}
