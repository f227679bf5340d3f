"""Transformations, over HTTP: a list of steps makes a child of a model."""

import pytest

from apps.callbacks.models import Delivery
from apps.warehouse.models import Model
from core.errors import ContentExists

pytestmark = pytest.mark.django_db

BUILD = {"build": {"x": 100, "y": 100, "z": 50}}
OUT = "property-value-not-in-allowed-values"
HOOK = {"url": "http://93.184.216.34/hook", "method": "PUT"}


@pytest.fixture
def parent(processed, cube) -> dict:
    return processed(cube, may_rotate=True, unit="mm")


def test_child_model_is_created_by_all_steps_in_order(models, parent, run_jobs, person):
    steps = [
        {"type": "scale", "parametersScale": {"x": 100, "y": 50, "z": 200}},
        {"type": "rotate", "parametersRotate": {"x": 0, "y": 0, "z": 90}},
        {"type": "translate", "parametersTranslate": {"x": 5, "y": 0, "z": -1}},
    ]

    answer = models.post(parent["uri"] + "transformation/", {"transformations": steps})

    assert answer.status_code == 201
    child = answer.json()
    assert answer["Location"] == child["uri"]
    assert "X-Upload-Location" not in answer
    assert (child["status"], child["parents"]) == ("processing", [parent["uri"]])
    assert child["transformations"] == [{**step, "result": None} for step in steps]
    run_jobs()
    child = models.get(child["uri"]).json()
    assert (child["status"], child["name"], child["unit"]) == ("processed", "part", "mm")
    assert child["allowed_transformations"] == {"resize": False, "rotation": True}
    assert child["user_uri"] == person.uri
    # 20 x 10 x 40, turned to 10 x 20 x 40 over x from -10 to 0, and moved.
    assert child["analyses"]["bounds"] == [[-5, 0, -1], [5, 20, 39]]
    assert child["analyses.manifold"] is True
    assert child["snapshot"] is not None
    assert [step["type"] for step in child["transformations"]] == ["scale", "rotate", "translate"]
    assert all(step["result"] is not None for step in child["transformations"])
    assert models.get(parent["uri"]).json()["children"] == [child["uri"]]


def test_step_results_report_the_computed_parameters(models, parent, run_jobs):
    steps = [
        {"type": "auto-rotate", "parametersAutoRotate": BUILD},
        {"type": "auto-scale", "parametersAutoScale": BUILD},
        {"type": "bracket", "parametersBrackets": {"width": 2, "gap": 1, "thickness": 3}},
        {"type": "auto-translate"},
    ]

    made = models.post(parent["uri"] + "transformation/", {"transformations": steps}).json()
    run_jobs()

    child = models.get(made["uri"]).json()
    assert child["status"] == "processed", child["errors"]
    assert child["size"] == pytest.approx({"x": 56, "y": 56, "z": 50}, rel=1e-5)
    turned, scaled, framed, moved = (step["result"] for step in child["transformations"])
    assert scaled["factor"] == pytest.approx(2.5, rel=1e-5)
    assert all(result for result in (turned, framed, moved))


def test_impossible_transformation_fails_the_child_and_emits_callback(models, parent, run_jobs):
    small = {"build": {"x": 10, "y": 10, "z": 10}}
    steps = [{"type": "auto-rotate", "parametersAutoRotate": small}]

    made = models.post(
        parent["uri"] + "transformation/", {"transformations": steps, "callback": HOOK}
    ).json()
    run_jobs()

    child = models.get(made["uri"]).json()
    (error,) = child["errors"]
    assert (child["status"], error["code"]) == ("error", "does-not-fit")
    assert "2" in error["title"]  # the factor that would help
    assert child["content"] is None
    told = [delivery.event.body for delivery in Delivery.objects.all()]
    assert len(told) == 1
    assert '"status":"error"' in told[0]


def test_processed_child_emits_one_callback(models, parent, run_jobs):
    steps = [{"type": "translate", "parametersTranslate": {"x": 1, "y": 0, "z": 0}}]

    child = models.post(
        parent["uri"] + "transformation/", {"transformations": steps, "callback": HOOK}
    ).json()
    run_jobs()

    (delivery,) = Delivery.objects.all()
    assert delivery.event.body == (
        f'{{"uri":"{child["uri"]}","status":"processed","analyses.manifold":true}}'
    )


@pytest.mark.parametrize(
    ("steps", "faults"),
    [
        ([], {("transformations", "empty-payload")}),
        (None, {("transformations", "missing-parameter")}),
        ("rotate", {("transformations", "type-validation-error")}),
        ([{"type": "twist"}], {("transformations.0.type", OUT)}),
        ([{}], {("transformations.0", "empty-payload")}),
        (["scale"], {("transformations.0", "invalid-payload")}),
        ([{"type": "scale"}], {("transformations.0.parametersScale", "missing-parameter")}),
        (
            [
                {"type": "translate", "parametersTranslate": {"x": 1, "y": 1, "z": 1}},
                {"type": "scale", "parametersScale": {"x": 0, "y": -1, "z": True, "w": 1}},
                {"type": "bracket", "parametersBrackets": {"width": 0, "gap": -1}},
                {"type": "rotate", "parametersScale": {"x": 1, "y": 1, "z": 1}},
                {"type": "auto-scale", "parametersAutoScale": {"build": {"x": 1, "y": "a"}}},
                {"type": "auto-translate", "parametersAutoTranslate": {}},
            ],
            {
                ("transformations.1.parametersScale.x", OUT),
                ("transformations.1.parametersScale.y", OUT),
                ("transformations.1.parametersScale.z", "type-validation-error"),
                ("transformations.1.parametersScale.w", "request-validation-error"),
                ("transformations.2.parametersBrackets.width", OUT),
                ("transformations.2.parametersBrackets.gap", OUT),
                ("transformations.2.parametersBrackets.thickness", "missing-parameter"),
                ("transformations.3.parametersScale", "request-validation-error"),
                ("transformations.3.parametersRotate", "missing-parameter"),
                ("transformations.4.parametersAutoScale.build.y", "type-validation-error"),
                ("transformations.4.parametersAutoScale.build.z", "missing-parameter"),
                ("transformations.5.parametersAutoTranslate", "empty-payload"),
            },
        ),
    ],
)  # fmt: skip
def test_all_errors_of_a_step_list_are_reported_and_no_child_is_created(
    models, parent, steps, faults
):
    body = {} if steps is None else {"transformations": steps}

    answer = models.post(parent["uri"] + "transformation/", {**body, "callback": {}})

    assert answer.status_code == 400
    told = {(error.get("field"), error["code"]) for error in answer.json()["errors"]}
    assert told == {*faults, ("callback", "empty-payload")}
    assert Model.objects.count() == 1


@pytest.mark.parametrize("number", ["1e999", "-1e999", "1" + 400 * "0"])
def test_step_with_non_finite_number_is_rejected(models, parent, number):
    body = (
        '{"transformations": [{"type": "translate",'
        f' "parametersTranslate": {{"x": {number}, "y": 0, "z": 0}}}}]}}'
    )

    answer = models.generic(
        "POST", parent["uri"] + "transformation/", body, content_type="application/json"
    )

    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert error["field"] == "transformations.0.parametersTranslate.x"


def test_transformation_request_with_response_fields_is_rejected(models, parent):
    steps = [{"type": "scale", "parametersScale": {"x": 100, "y": 50, "z": 200}}]
    body = {"transformations": steps, "name": "mine", "uri": parent["uri"]}

    answer = models.post(parent["uri"] + "transformation/", body)

    assert answer.status_code == 400
    assert {error["field"] for error in answer.json()["errors"]} == {"name", "uri"}


def test_transformation_requires_a_processed_parent(models, upload, run_jobs, open_box):
    steps = {"transformations": [{"type": "auto-translate"}]}
    waiting = models.post("/model/", {"name": "a"}).json()
    drawing = models.post("/model/", {"name": "b", "type": "3mf"}).json()
    broken = models.post("/model/", {"name": "c"}).json()
    upload(broken, b"solid nothing")
    run_jobs()

    for model in (waiting, drawing, broken):
        answer = models.post(model["uri"] + "transformation/", steps)
        assert answer.status_code == 409
        assert answer.json()["errors"][0]["code"] == "model-not-ready"
    assert Model.objects.count() == 3


def test_transformation_requires_only_read_and_the_user_owns_the_child(
    others, client_of, person, stranger, parent
):
    steps = {"transformations": [{"type": "auto-translate"}]}
    path = parent["uri"] + "transformation/"
    assert others.post(path, steps).status_code == 404

    client_of("users", person).post(
        "/permissions/",
        {"holder": stranger.uri, "namespace": "models", "object": parent["uri"], "right": "read"},
    )
    answer = others.post(path, steps)

    assert answer.status_code == 201
    assert answer.json()["user_uri"] == stranger.uri


def test_idempotency_key_creates_one_child(models, parent):
    steps = {"transformations": [{"type": "auto-translate"}]}
    path, key = parent["uri"] + "transformation/", {"Idempotency-Key": "k"}

    first = models.post(path, steps, headers=key)
    again = models.post(path, steps, headers=key)

    assert (again.status_code, again.json()) == (201, first.json())
    assert Model.objects.count() == 2


def test_upload_to_child_model_is_rejected(models, parent, upload, cube):
    steps = {"transformations": [{"type": "auto-translate"}]}
    child = models.post(parent["uri"] + "transformation/", steps).json()

    with pytest.raises(ContentExists):
        upload(child, cube)

    assert Model.objects.get(pk=child["uri"].split("/")[-2]).content_id is None


def test_child_is_processed_when_its_parent_is_deleted_meanwhile(models, parent, run_jobs):
    steps = {"transformations": [{"type": "auto-translate"}]}
    child = models.post(parent["uri"] + "transformation/", steps).json()

    models.delete(parent["uri"])
    run_jobs()

    assert models.get(child["uri"]).json()["status"] == "processed"


def test_child_model_can_be_a_parent(models, parent, run_jobs):
    steps = {"transformations": [{"type": "auto-translate"}]}
    child = models.post(parent["uri"] + "transformation/", steps).json()
    run_jobs()

    grandchild = models.post(child["uri"] + "transformation/", steps).json()
    run_jobs()

    assert models.get(grandchild["uri"]).json()["parents"] == [child["uri"]]
    # Nothing was left to move: the same file, judged and drawn once.
    assert models.get(grandchild["uri"]).json()["status"] == "processed"


@pytest.mark.parametrize(
    "step",
    [
        {"type": "translate", "parametersTranslate": {"x": 1, "y": 0, "z": 0}},
        {"type": "auto-scale", "parametersAutoScale": BUILD},
        {"type": "auto-rotate", "parametersAutoRotate": BUILD},
        {"type": "bracket", "parametersBrackets": {"width": 2, "gap": 1, "thickness": 3}},
    ],
    ids=lambda step: step["type"],
)
def test_transformation_of_a_degenerate_model_fails(models, processed, point, run_jobs, step):
    parent = processed(point)

    child = models.post(parent["uri"] + "transformation/", {"transformations": [step]}).json()
    run_jobs()

    child = models.get(child["uri"]).json()
    assert (child["status"], child["errors"][0]["code"]) == ("error", "no-triangles")
