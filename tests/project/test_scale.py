"""The page of scale takes what `make scale` found, and keeps the rest."""

from pathlib import Path

from django.conf import settings

from tests.scale.table import Figures
from tests.tables import put

PAGE = Path(settings.BASE_DIR) / "docs" / "scale.md"
USED = {"first": "web: 60 % of 90 % of the processor", "connections": 44}
EMPTY = {"a second": 900, "p50 ms": 1.0, "p95 ms": 4.2, "p99 ms": 9.0, **USED}


def figures(rate: int) -> Figures:
    return Figures(
        cores=2,
        seconds=20,
        requests={1: {"a second": 120, "p50": 40.0, "p95": 90.0, **USED}},
        real={1: {"an hour": 3600.0, **USED}, 2: {"an hour": 5400.0, **USED}},
        empty={1: EMPTY, 16: {**EMPTY, "a second": rate}},
    )


def test_scale_report_separates_measured_and_computed_figures():
    measured, computed = figures(1800).table().split("Computed from these, not run:")

    assert "| empty jobs claimed and ended | 16 workers | 1800 |" in measured
    assert (
        "| models judged (48,000 triangles) | 2 workers | 1.50 | | | 44 | web: 60 % of 90 %"
        in measured
    )
    assert "| slices an hour of 16 machines of 16 slots, 60 s each | 15360 |" in computed
    assert "4.3, of 1800 that were measured" in computed


def test_scale_page_section_is_replaced_by_the_next_run(tmp_path):
    page = tmp_path / "scale.md"
    page.write_text(PAGE.read_text())

    put(page, "make scale", figures(1111).table())
    put(page, "make scale", figures(2222).table())

    text = page.read_text()
    assert "2222" in text and "1111" not in text
    assert text.index("## Measured") < text.index("2222") < text.index("## Ten million models")
