"""docs/data-model.md: tables and columns as the models have them."""

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_page_is_drawn_from_the_models():
    drawn = runpy.run_path(str(ROOT / "bin" / "list-tables"))["page"]()

    assert (ROOT / "docs" / "data-model.md").read_text() == drawn, "run make data-model"
    assert "### erp_stock" in drawn
