"""What lies in the platform that the browser looks at."""

import subprocess
import sys
from pathlib import Path

from tests.live.client import Client, ball
from tests.live.processes import ROOT, Platform, wait_for

CHROMIUM = Path("/usr/bin/chromium-headless-shell")
OPERATOR, PASSWORD = "operator", "the operators' long pass phrase"


def fill(platform: Platform) -> None:
    """A model with all that is made of it, one that cannot be read, and rows of every kind."""
    client = Client(platform)
    part = client.model(ball(12))
    broken = client.model(b"solid nothing\nendsolid nothing\n")
    client.settled(part)
    client.settled(broken)
    for form in ("preview", "thumbnail"):  # begun by the first who asks
        wait_for(lambda form=form: client.can_read(f"{part}{form}/"))
    order = {"model": part, "config": client.config()}
    sliced = client.ask("POST", "slicing/slice/", 201, json=order).headers["Location"]
    client.settled(sliced)
    wait_for(lambda: client.can_read(f"{sliced}paths/"))
    subprocess.run(
        [
            sys.executable,
            str(ROOT / "manage.py"),
            "shell",
            "-c",
            "from tests.rows import fill; fill()",
        ],
        env={**platform.environment, "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}"},
        check=True,
        capture_output=True,
    )
