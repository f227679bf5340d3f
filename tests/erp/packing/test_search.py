"""The search for a packing: stopped, cut off, and never handed out unmeasured."""

import numpy as np
import pytest

from apps.erp.models import Run
from apps.erp.production.actors import packing as actors
from apps.erp.production.actors.packing import pack_run
from apps.erp.production.jobs.messages import Search
from apps.erp.production.jobs.packing import Task, pack_files, proven
from core.queue.row_jobs import Cancelled, fail_permanently
from core.sandbox.sandbox import ResourceLimits, Sandbox
from geometry.formats.stl import read_triangles
from geometry.packing.boxes.box_packer import pack_boxes
from geometry.packing.request import Packing, PackItem, Volume, orientations
from input_errors import InputError
from tests.conftest import CORNERS, SIDES
from tests.erp.conftest import key_of
from tests.erp.packing.conftest import angle

HOW: Search = {"packer": "premium_packer", "seed": 0, "budget": "quick", "seconds": 10.0}


@pytest.fixture
def calculating(create_runs, confirmed, analysed_model, premium) -> str:
    """A run of more brackets than can be placed, which is searched for minutes; it has begun."""
    pieces = confirmed(analysed_model(angle(30, 30, 3)), 150)
    answer = create_runs(pieces, budget="thorough", do_build_volume_check=False)
    uri = answer.json()["uri"]
    Run.objects.filter(pk=key_of({"uri": uri})).update(status="calculating")
    return uri


def test_stopped_search_keeps_the_best_packing_so_far(erp, calculating):
    assert erp.put(calculating, {"status": "calculated"}).status_code == 204
    assert erp.get(calculating).json()["status"] == "calculating"

    pack_run.fn(key_of({"uri": calculating}))

    run = erp.get(calculating).json()
    assert (run["status"], run["report"]["stopped"]) == ("calculated", "cancelled")
    assert run["report"]["smallest_distance"] >= 2
    assert run["model"] is not None


def test_search_that_exceeds_its_time_limit_falls_back_to_the_box_packing(
    erp, calculating, monkeypatch
):
    # The boxes are there in a tenth of it, and the search takes several times as long.
    hasty = Sandbox(
        "apps.erp.production.jobs.packing", "geometry.preload", limits=ResourceLimits(seconds=5)
    )
    monkeypatch.setattr(actors, "packers", hasty)

    pack_run.fn(key_of({"uri": calculating}))
    hasty.close()

    report = erp.get(calculating).json()["report"]
    assert (report["packer"], report["stopped"]) == ("box_packer", "time-limit")


def test_search_progress_is_published_and_cancellation_is_detected(erp, calculating, tmp_path):
    run = Run.objects.get(pk=key_of({"uri": calculating}))

    actors._hearing(run, tmp_path / "stop")(0.25, phase="improving", height=40.5)
    told = erp.get(calculating).json()
    assert erp.put(calculating, {"status": "error"}).status_code == 204

    assert (told["progress"], told["report"]) == (0.25, {"phase": "improving", "height": 40.5})
    with pytest.raises(Cancelled):
        actors._hearing(run, tmp_path / "stop")(0.5, phase="improving", height=40.5)


def test_search_reports_increasing_progress_and_its_time_limit(tmp_path):
    path = tmp_path / "bracket.stl"
    path.write_bytes(angle(30, 30, 3))
    told: list[tuple[float, dict]] = []

    pack_files(
        pieces=[
            {
                "name": "bracket",
                "path": str(path),
                "policy": "free",
                "names": [f"#{number}" for number in range(40)],
            }
        ],
        volume=[100.0, 100.0, 200.0],
        distance=2.0,
        mode="volume",
        search=HOW,
        whole=False,
        title="Monday",
        stl=str(tmp_path / "packed.stl"),
        three_mf=str(tmp_path / "packed.3mf"),
        stop=str(tmp_path / "stop"),
        progress=lambda done, total, **facts: told.append((done / total, facts)),
    )

    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert len(set(shares)) > 5
    assert (shares[0], shares[-1]) == (0.0, 0.9)
    phases = list(dict.fromkeys(facts["phase"] for _, facts in told))
    assert (phases[0], phases[-1]) == ("boxes", "certificate")
    assert {facts["seconds_at_most"] for _, facts in told} == {10.0}
    heights = [facts["height"] for _, facts in told if "height" in facts]
    assert heights == sorted(heights, reverse=True)


def test_search_progress_does_not_decrease_after_a_restart(erp, calculating, tmp_path):
    run = Run.objects.get(pk=key_of({"uri": calculating}))
    actors._hearing(run, tmp_path / "stop")(0.6, phase="improving")

    actors._hearing(run, tmp_path / "stop")(0.0, phase="boxes")

    told = erp.get(calculating).json()
    assert (told["progress"], told["report"]["phase"]) == (0.6, "boxes")


def test_packing_job_that_fails_permanently_sets_the_run_to_error(
    erp, create_runs, confirmed, box_model
):
    pieces = confirmed(box_model(20, 30, 40), 2)
    uri = create_runs(pieces).json()["uri"]

    fail_permanently("pack_run", key_of({"uri": uri}), {"reason": "worker-died", "starts": 3})

    run = erp.get(uri).json()
    assert (run["status"], run["errors"][0]["code"]) == ("error", "worker-died")
    assert {erp.get(piece).json()["status"] for piece in pieces} == {"created"}


# ---------------------------------------------------------------- the certificate


@pytest.fixture
def order() -> Task:
    """Two cubes of 20 mm in a volume of 100 mm, 2 mm apart."""
    cube = PackItem("cube", (CORNERS[SIDES] * 20).astype("f4"), 2, orientations("free"))
    return Task(
        [cube], [cube], [np.eye(4)], [["a", "b"]], [0], Volume(100, 100, 100), 2.0, "volume"
    )


def overlapping(packing: Packing) -> Packing:
    """The same, with one part pushed 1 mm into another's distance."""
    first, second = packing.placements
    transform = second.transform.copy()
    axis = abs(first.transform[:3, 3] - transform[:3, 3]).argmax()
    transform[axis, 3] += 1 if first.transform[axis, 3] > transform[axis, 3] else -1
    return packing._replace(placements=(first, second._replace(transform=transform)))


def test_packing_that_fails_its_certificate_falls_back_to_the_previous_one(order, tmp_path):
    good = pack_boxes(order.pieces, order.volume, order.distance)

    packing, certificate = proven(order, [good, overlapping(good)], tmp_path / "p.stl", HOW)

    assert packing is good
    assert certificate.smallest == 2.0
    assert len(read_triangles(tmp_path / "p.stl")) == 24


def test_search_fails_when_no_packing_passes_its_certificate(order, tmp_path):
    good = pack_boxes(order.pieces, order.volume, order.distance)

    with pytest.raises(InputError) as caught:
        proven(order, [overlapping(good)], tmp_path / "p.stl", HOW)

    assert caught.value.code == "certificate-failed"
