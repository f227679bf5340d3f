"""Everything is lost and comes back, of two kinds of platform: make drill.

    python -m tests.drill [--seconds 30] [--write]

Each works for so long, is backed up meanwhile, killed and wiped, and restored. Prints what that
took, as a table; with --write into docs/disaster.md. Every process that it starts has ended when it
ends.
"""

import argparse
import shutil
import time

from tests.drill.data_loss import Embedded, External
from tests.drill.drill import Found, drill
from tests.live.processes import ROOT, spacious_folder
from tests.tables import put


def table(found: list[Found]) -> str:
    """What the drills took, in Markdown."""
    rows = [
        "| Platform | Database | Backup | Restore | Answers again | Acknowledged before: back "
        "| Acknowledged meanwhile: back | Uploads a second before, meanwhile | Load |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for one in found:
        rows.append(
            f"| {one.name} | {one.database / 1e6:.0f} MB | {one.backup:.1f} s"
            f" | {one.restore:.1f} s | after {one.ready:.1f} s | {one.before}: {one.before}"
            f" | {one.during[0]}: {one.during[1]} | {one.rates[0]:.1f}, {one.rates[1]:.1f}"
            f" | {one.load:.0f} |"
        )
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=30.0, help="of load before the backup")
    parser.add_argument("--write", action="store_true", help="into docs/disaster.md")
    asked = parser.parse_args()
    found = []
    for kind in (Embedded, External):
        print(f"{time.strftime('%H:%M:%S')} {kind.name}", flush=True)
        folder = spacious_folder("backup-")
        platform = kind()
        try:
            found.append(drill(platform, folder, seconds=asked.seconds))
        finally:
            left = platform.stop()
            shutil.rmtree(folder, ignore_errors=True)
        assert left == [], left
        print(found[-1], flush=True)
    print(text := table(found))
    if asked.write:
        put(ROOT / "docs" / "disaster.md", "make drill", text)


if __name__ == "__main__":
    main()
