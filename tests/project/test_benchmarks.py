"""The benchmarks' report: what counts as met, and how it is told."""

import ast
import importlib
import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks.__main__ import chapters
from benchmarks.kit import REQUIREMENTS, ROOT, Figure, report, table

OURS = {"apps", "tests", *(path.name for path in (ROOT / "platform").iterdir())}


@pytest.mark.parametrize(
    ("figure", "ratio", "met"),
    [
        (Figure("a", "s", 3.0, 2.0, "ratio <= 1.5"), 1.5, True),
        (Figure("a", "s", 3.1, 2.0, "ratio <= 1.5"), 1.55, False),
        (Figure("a", "MB/s", 26.0, 20.0, ">= 25"), 1.3, True),
        (Figure("a", "ms", 251.0, goal="<= 250"), None, False),
        (Figure("a", "ms", 5.0), None, None),
    ],
)
def test_benchmark_goal_applies_to_ratio_or_own_figure(figure, ratio, met):
    assert (figure.ratio, figure.met) == (ratio, met)


def test_last_line_of_benchmark_report_is_json(capsys):
    report("main_job", [Figure("wall", "s", 3.00049, 2.0, "ratio <= 1.25")])

    told = json.loads(capsys.readouterr().out.splitlines()[-1])

    assert told["benchmark"] == "main_job"
    assert told["figures"] == [
        {
            "figure": "wall",
            "unit": "s",
            "ours": 3.0,
            "peer": 2.0,
            "ratio": 1.5,
            "goal": "ratio <= 1.25",
            "met": False,
        }
    ]


def test_benchmark_table_has_one_row_per_figure():
    figures = [Figure("wall", "s", 3.0, 2.0, "ratio <= 1.25"), Figure("p99", "ms", 12.0)]

    lines = table([figure.as_json() for figure in figures]).splitlines()

    assert lines == [
        "| Figure | Ours | Peer | Ratio | Goal | |",
        "|---|---|---|---|---|---|",
        "| wall | 3 s | 2 s | 1.5 | ratio <= 1.25 | missed |",
        "| p99 | 12 ms | | | | |",
    ]


def test_benchmark_page_is_split_into_chapters():
    page = "# Benchmarks\n\nAbout.\n\n## gcode\n\nOne.\n\n## mesh\n\nTwo.\n\n| a |\n"

    assert chapters(page) == {
        "gcode": "## gcode\n\nOne.\n",
        "mesh": "## mesh\n\nTwo.\n\n| a |\n",
    }


def test_every_fetched_peer_package_is_pinned():
    asked = {
        node.args[0].value
        for file in (ROOT / "benchmarks").glob("[a-z]*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "fetch_peer"
    }
    lines = REQUIREMENTS.read_text().splitlines()
    pinned = {line.partition("==")[0] for line in lines if "==" in line}

    assert asked == pinned


@pytest.mark.parametrize(
    "file", sorted((ROOT / "benchmarks").glob("[a-z]*.py")), ids=lambda file: file.stem
)
def test_every_project_name_imported_by_a_benchmark_exists(file: Path):
    """Also where it is imported only as the benchmark runs."""
    missing = [
        f"{node.module}.{name.name}"
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in OURS
        for name in node.names
        if not _is_there(str(node.module), name.name)
    ]

    assert missing == []


def _is_there(module: str, name: str) -> bool:
    try:
        return hasattr(importlib.import_module(module), name) or bool(find_spec(f"{module}.{name}"))
    except ImportError:
        return False
