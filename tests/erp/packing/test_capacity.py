"""How many of a model fit a type of printer."""

import pytest

from apps.erp.models import Capacity
from apps.warehouse.models import Model
from tests.erp.conftest import key_of
from tests.erp.packing.conftest import angle


@pytest.fixture
def capacity(erp, small):
    """`capacity(model)`: the answer about the small printer's type."""
    return lambda model, **more: erp.get(
        f"{small['printer_type']}capacity/", {"model": model["uri"], **more}
    )


def test_capacity_of_boxes_that_fill_a_grid_is_exact_at_once(capacity, box_model, queued):
    answer = capacity(box_model(49, 49, 49))

    assert answer.status_code == 200
    assert answer.json() == {
        "at_least": 8,
        "at_most": 8,
        "exact": True,
        "reason": "By their bounding boxes with the distance, no more than 8 fit.",
        "status": "final",
    }
    assert queued() == []


def test_capacity_estimate_is_improved_in_the_background(capacity, box_model, work_on):
    pinwheel = box_model(31, 66, 98)

    first = capacity(pinwheel).json()
    work_on("count_capacity")
    last = capacity(pinwheel).json()

    assert (first["at_least"], first["at_most"], first["exact"]) == (3, 4, False)
    assert first["status"] == "calculating"
    assert (last["at_least"], last["at_most"], last["exact"]) == (4, 4, True)
    assert last["status"] == "final"


def test_capacity_of_equal_meshes_is_computed_once(capacity, analysed_model, queued, premium):
    bracket = angle(40, 40, 3)

    capacity(analysed_model(bracket))
    capacity(analysed_model(bracket, name="the same again"))

    assert [name for name, _ in queued()] == ["count_capacity"]
    assert Capacity.objects.count() == 1


def test_capacity_respects_a_model_that_must_not_be_turned(capacity, box_model):
    lying = capacity(box_model(98, 98, 20, rotation=False)).json()
    turned = capacity(box_model(98, 98, 20)).json()

    assert (lying["at_least"], turned["at_least"]) == (4, 4)
    standing = capacity(box_model(30, 98, 49, rotation=False)).json()
    assert standing["at_least"] == 6


def test_capacity_of_a_too_large_part_is_zero_with_a_reason(capacity, box_model):
    answer = capacity(box_model(20, 20, 150, name="mast")).json()

    assert (answer["at_least"], answer["at_most"], answer["exact"]) == (0, 0, True)
    assert answer["reason"].startswith("mast is 20 x 20 x 150 mm; in none of its 24 orientations")


def test_capacity_of_an_unanalysed_model_is_a_conflict(capacity, box_model):
    model = box_model(20, 20, 20)
    Model.objects.filter(pk=key_of(model)).update(status="processing")

    answer = capacity(model)

    assert answer.status_code == 409
    assert answer.json()["errors"][0]["code"] == "model-not-ready"


def test_capacity_rejects_unreadable_models_and_unknown_parameters(
    erp, client_of, member, capacity, box_model, small
):
    model = box_model(20, 20, 20)
    url = f"{small['printer_type']}capacity/"

    hidden = client_of("erp", member).get(url, {"model": model["uri"]})
    nothing, more = erp.get(url), capacity(model, speed="high")

    assert [(e["code"], e["field"]) for e in hidden.json()["errors"]] == [
        ("resource-not-found", "model")
    ]
    assert [e["code"] for e in nothing.json()["errors"]] == ["missing-parameter"]
    assert [e["field"] for e in more.json()["errors"]] == ["speed"]
    assert (hidden.status_code, nothing.status_code, more.status_code) == (400, 400, 400)


def test_capacity_is_hidden_from_strangers(client_of, stranger, small, box_model):
    model = box_model(20, 20, 20)

    answer = client_of("erp", stranger).get(
        f"{small['printer_type']}capacity/", {"model": model["uri"]}
    )

    assert answer.status_code == 404
