"""A model is put on the bed as it is, and turned only where that is allowed and helps."""

import numpy as np
import pytest

from apps.slicing.engines import bed_placement
from apps.slicing.engines.base import Bed, SliceFailed
from geometry.formats.stl.detection import HEADER_BYTES, RECORD
from tests.conftest import CORNERS, SIDES, binary_stl

BED = Bed(100.0, 200.0, 50.0)


def asked(size, *, margin=0.0, may_turn=False):
    return bed_placement.must_turn(size, bed=BED, margin=margin, may_turn=may_turn)


@pytest.mark.parametrize("may_turn", [True, False])
def test_fitting_model_is_not_turned(may_turn):
    assert asked((100.0, 200.0, 50.0), may_turn=may_turn) is False


def test_model_that_fits_only_turned_is_turned_when_allowed():
    assert asked((150.0, 80.0, 10.0), may_turn=True) is True


def test_model_that_must_not_be_turned_is_rejected_with_a_remedy():
    with pytest.raises(SliceFailed) as failure:
        asked((150.0, 80.0, 10.0))

    assert failure.value.code == "model-too-large"
    assert "It would fit turned by 90 degrees" in failure.value.title
    assert "allowed_transformations.rotation" in failure.value.title


@pytest.mark.parametrize(
    ("size", "margin", "code"),
    [
        ((210.0, 210.0, 10.0), 0.0, "model-too-large"),
        ((10.0, 10.0, 51.0), 0.0, "model-too-large"),
        ((195.0, 95.0, 10.0), 5.0, "model-too-large"),
        ((10.0, 10.0, 0.05), 0.0, "model-too-small"),
    ],
)
def test_model_that_fits_in_no_orientation_is_rejected_though_it_may_turn(size, margin, code):
    with pytest.raises(SliceFailed) as failure:
        asked(size, margin=margin, may_turn=True)

    assert failure.value.code == code
    assert "turned by 90" not in failure.value.title


def test_turned_model_keeps_its_chirality(tmp_path):
    box = CORNERS[SIDES] * [150.0, 80.0, 10.0]
    (tmp_path / "model.stl").write_bytes(binary_stl(box))

    placed = bed_placement.place(
        tmp_path / "model.stl",
        tmp_path / "placed.stl",
        bed=BED,
        centre=(50.0, 100.0),
        margin=0.0,
        turned=True,
    )

    facets = np.fromfile(placed.path, RECORD, offset=HEADER_BYTES)
    corners = facets["corners"].astype(float)
    assert placed.size == pytest.approx((80.0, 150.0, 10.0))
    assert corners.min(axis=(0, 1)) == pytest.approx([10.0, 25.0, 0.0])
    assert corners.max(axis=(0, 1)) == pytest.approx([90.0, 175.0, 10.0])
    assert volume(corners) == pytest.approx(volume(box))


def volume(triangles):
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def test_model_without_triangles_is_rejected_as_nothing_to_print(tmp_path):
    (tmp_path / "model.stl").write_bytes(binary_stl(np.empty((0, 3, 3))))

    with pytest.raises(SliceFailed, match="Export it again") as failure:
        bed_placement.place(
            tmp_path / "model.stl", tmp_path / "placed.stl", bed=BED, centre=(0, 0), margin=0.0
        )

    assert failure.value.code == "nothing-to-print"
