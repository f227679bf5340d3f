"""Findings below limits of processes: walls and gaps, where they are and how grave."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from geometry.formats.stl import write_binary
from geometry.print_findings import Findings, ThicknessLimits, find_thin_places
from geometry.rendering.view import View
from tests.geometry.shapes import ball, box

ROOT = Path(__file__).resolve().parents[2]
LIMITS = ThicknessLimits(wall_fault=0.5, wall_risk=1.0, gap_risk=0.4)


@pytest.fixture
def find(tmp_path):
    """`find(*parts)`: the findings of one model of these triangles."""

    def locate(*parts, closed=True, limits=LIMITS) -> Findings:
        path = tmp_path / "part.stl"
        write_binary(np.concatenate(parts), path)
        return find_thin_places(
            path, closed=closed, limits=limits, view=View(width=800, height=600)
        )

    return locate


def plate(thickness, low=(0, 0, 0), side=20):
    x, y, z = low
    return box(low, (x + side, y + side, z + thickness))


def test_thick_part_has_no_findings(find):
    assert find(plate(10)) == Findings(
        version=1,
        findings=[],
        measured=True,
        shells=1,
        smallest_shell=pytest.approx(20),
        cavities=0,
    )


@pytest.mark.parametrize(
    ("thickness", "severity", "limit"), [(0.4, "fault", 0.5), (0.8, "risk", 1.0)]
)
def test_thin_plate_is_one_finding(find, thickness, severity, limit):
    (finding,) = find(plate(thickness, low=(100, 0, 5))).findings

    assert (finding.kind, finding.severity, finding.limit) == ("wall", severity, limit)
    assert finding.value == pytest.approx(thickness, abs=1e-3)
    assert finding.length == pytest.approx(20, abs=0.5)
    assert 100 <= finding.at[0] <= 120
    assert finding.at[2] in (pytest.approx(5), pytest.approx(5 + thickness))


def test_wall_as_thick_as_the_limit_is_no_finding(find):
    assert find(plate(1.0)).findings == []
    assert find(plate(1.0), limits=LIMITS._replace(wall_risk=1.01)).findings != []


def test_short_place_is_a_note(find):
    # A pin 1.5 mm long: too short to be more than a note.
    pin = box((0, 0, 19.9), (0.4, 0.4, 21.5))

    (finding,) = find(plate(20), pin).findings

    assert (finding.severity, finding.length < 2) == ("note", True)


def test_alike_places_are_one_finding(find):
    plates = [plate(0.8, low=(0, 0, 10 * level)) for level in range(5)]

    (finding,) = find(*plates).findings

    assert finding.places == 5


def test_narrow_gap_is_a_risk(find):
    blocks = plate(10), plate(10, low=(0, 0, 10.3))

    (finding,) = find(*blocks).findings

    assert (finding.kind, finding.severity) == ("gap", "risk")
    assert finding.value == pytest.approx(0.3, abs=1e-3)


def test_findings_are_the_same_bytes_in_another_process(tmp_path):
    path = tmp_path / "part.stl"
    write_binary(np.concatenate([plate(0.8), plate(10, low=(0, 0, 1.1)), ball(7)]), path)
    script = (
        "import json, sys; from pathlib import Path\n"
        "from geometry.print_findings import ThicknessLimits, find_thin_places\n"
        "from geometry.rendering.view import View\n"
        "limits = ThicknessLimits(wall_fault=0.5, wall_risk=1.0, gap_risk=0.4)\n"
        "view = View(width=800, height=600)\n"
        "path = Path(sys.argv[1])\n"
        "print(json.dumps(find_thin_places(path, closed=True, limits=limits, view=view)))"
    )

    def report(hash_seed: str) -> bytes:
        environment = {**os.environ, "PYTHONPATH": "platform", "PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", script, str(path)]
        return subprocess.run(
            command, env=environment, cwd=ROOT, capture_output=True, check=True
        ).stdout

    first = report("1")

    assert first.count(b'"wall"') + first.count(b'"gap"') >= 2
    assert report("2") == first


def test_mark_is_where_the_place_is_seen(find):
    # The camera looks from the front, the left and above: what is left and in front is left.
    left = plate(0.8, low=(-60, -60, 20), side=10), plate(5, low=(0, 0, 0), side=60)
    right = plate(0.8, low=(110, 110, 20), side=10), plate(5, low=(0, 0, 0), side=60)

    (first,), (second,) = find(*left).findings, find(*right).findings

    assert first.mark is not None and second.mark is not None
    assert all(0 < share < 1 for share in (*first.mark, *second.mark))
    assert first.mark[1] > second.mark[1]  # nearer to the camera: lower in the picture


def test_hidden_place_has_no_mark(find):
    shell = [plate(30, side=60)]
    inner = box((20, 20, 10), (40, 40, 20))[:, ::-1]
    wall = box((25, 25, 12), (35, 35, 12.4))

    hidden = find(*shell, inner, wall)

    assert hidden.cavities == 1
    assert [finding.mark for finding in hidden.findings if finding.severity == "fault"] == [None]


def test_open_mesh_is_not_measured(find):
    open_box = find(plate(0.4)[:-1], closed=False)

    assert (open_box.measured, open_box.findings, open_box.cavities) == (False, [], None)


def test_equal_files_have_equal_findings(find):
    parts = ball(30) / 12, plate(0.3, low=(5, 5, 5))

    assert find(*parts) == find(*parts)
