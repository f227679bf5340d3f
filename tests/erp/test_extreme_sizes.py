"""Models of any size: each list can tell their figures, and each price and line item a reason."""

import numpy as np
import pytest

from apps.erp.models import LineItem
from apps.warehouse.models import Model
from tests.conftest import CORNERS, SIDES, binary_stl
from tests.erp.conftest import key_of
from tests.erp.test_price_tables import ask, shop  # noqa: F401  fixtures


@pytest.fixture
def sized(client_of, person, upload, run_jobs):
    """`sized(30_000)`: the judged model of a box of this many mm, 2 and 3 times as long."""

    def make(side: float, *, away: float = 0.0) -> dict:
        models = client_of("models", person)
        model = models.post("/model/", {"name": "box"}).json()
        with np.errstate(over="ignore"):
            upload(model, binary_stl(CORNERS[SIDES] * np.array([1, 2, 3]) * side + away))
        run_jobs()
        return models.get(model["uri"]).json()

    return make


@pytest.fixture
def uses(client_of, person, erp, ask):  # noqa: F811
    """`uses(model)`: the answers of all that takes a model, by their names."""

    def use(uri: str) -> dict:
        models, slicing = client_of("models", person), client_of("slicing", person)
        config = slicing.post("/config/curated/", {"engine": "slic3r", "parameters": {}}).json()
        indexed = {"model_uri": uri, "name": "box", "description": "large"}
        step = {"type": "scale", "parametersScale": {"x": 1e8, "y": 1e8, "z": 1e8}}
        return {
            "model": models.get(uri),
            "list": models.get("/model/?filter[volume_mm]>=1&sort=name"),
            "snapshots": models.get(f"{uri}snapshot/"),
            "transformation": models.post(f"{uri}transformation/", {"transformations": [step]}),
            "index": client_of("search", person).post("/indexed-model/", indexed),
            "slice": slicing.post("/slice/", {"model": uri, "config": config["uri"]}),
            "table": ask(models=[uri], quantities=[1, 10_000]),
        }

    return use


@pytest.mark.parametrize("side", [1e-40, 1e-30, 1e-3, 10_000, 300_000])
def test_model_of_any_printable_size_is_accepted_by_all_services(sized, uses, side):
    model = sized(side)

    answers = uses(model["uri"])

    assert model["status"] == "processed"
    assert {name: answer.status_code for name, answer in answers.items()} == {
        "model": 200,
        "list": 200,
        "snapshots": 200,
        "transformation": 201,
        "index": 204,
        "slice": 201,
        "table": 201,
    }
    reasons = [
        {each["code"] for each in cell["review"] or ()} for cell in answers["table"].json()["cells"]
    ]
    assert all(("too-large" in each) == (side > 1) for each in reasons)


@pytest.mark.parametrize(
    ("side", "away", "words"),
    [
        (400_000, 0.0, "4e+05 x 8e+05 x 1.2e+06 mm: larger than any printer"),
        (1e18, 0.0, "larger than any printer"),
        (1e30, 0.0, "larger than any printer"),
        (1e38, 0.0, "larger than any printer"),
        (1.0, 1e18, "from the origin"),
    ],
)
def test_model_larger_than_any_printer_is_rejected_with_its_size(sized, side, away, words):
    model = sized(side, away=away)

    assert model["status"] == "error"
    (error,) = model["errors"]
    assert error["code"] == "model-too-large"
    assert words in error["title"]


def test_child_model_scaled_too_large_is_rejected(client_of, person, sized, uses, run_jobs):
    child = uses(sized(10.0)["uri"])["transformation"].json()
    run_jobs()

    child = client_of("models", person).get(child["uri"]).json()
    assert (child["status"], child["errors"][0]["code"]) == ("error", "model-too-large")


def test_rejected_model_can_be_neither_priced_nor_sliced(sized, uses):
    answers = uses(sized(1e30)["uri"])

    assert answers["snapshots"].status_code == 200
    assert {name: answers[name].status_code for name in ("slice", "table")} == {
        "slice": 409,
        "table": 409,
    }
    assert answers["table"].json()["errors"][0]["code"] == "model-not-ready"


def test_stored_analysis_figures_beyond_float_range_break_no_request(uses, sized):
    model = sized(10.0)
    row = Model.objects.get(pk=key_of(model))
    row.analyses |= {
        "size": [1e31, 2e31, 3e31],
        "bounds": [[0.0, 0.0, 0.0], [1e31, 2e31, 3e31]],
        "volume": 6e93,
        "surface_area": 2.2e63,
    }
    row.save()

    answers = uses(model["uri"])

    assert all(answer.status_code < 300 for answer in answers.values())
    assert answers["snapshots"].json()["meta"]["count"] == 1


@pytest.mark.parametrize("side", [1e-30, 10_000, 300_000])
@pytest.mark.parametrize("quantity", [1, 10_000])
def test_line_item_of_extreme_size_ends_without_internal_error(
    erp, bureau, workflow, sized, run_jobs, side, quantity
):
    uri = sized(side)["uri"]
    body = {"bureau": bureau["uri"], "workflow": workflow["uri"], "model": uri}

    answer = erp.post("/line-item/", {**body, "quantity": quantity})
    run_jobs()

    assert answer.status_code == 201, answer.json()
    item = LineItem.objects.get(pk=key_of(answer.json()))
    assert item.status in ("pending", "error")
    assert "internal-error" not in {error["code"] for error in item.errors or ()}
