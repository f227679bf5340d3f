"""docs/printers.md: the printer models of both Debian releases, made of the lists beside it."""

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_printers_page_matches_the_printer_lists():
    made = runpy.run_path(str(ROOT / "bin" / "list-printers"))["page"]()

    assert (ROOT / "docs" / "printers.md").read_text() == made, "run make printers"
    assert "| Original Prusa MK4S" in made
