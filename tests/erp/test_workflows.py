"""Workflows and their steps."""

import pytest


@pytest.fixture
def workflow(make, bureau) -> dict:
    return make("workflow", bureau=bureau["uri"], name="Print, dye, send")


@pytest.fixture
def types(make, bureau, printer_type) -> list[dict]:
    """What steps are done by: a type of each kind."""
    finishing = make("post-processor-type", bureau=bureau["uri"], name="Dyeing")
    return [printer_type, finishing, make("shipping", bureau=bureau["uri"], name="Parcel")]


@pytest.fixture
def steps(make, workflow, types) -> list[dict]:
    """A step for each type, made in another order than they are done in."""
    made = [
        make("process-step", workflow=workflow["uri"], step_position=at, process_type=kind["uri"])
        for at, kind in reversed(list(enumerate(types, start=1)))
    ]
    return made[::-1]


def test_workflow_lists_its_steps_by_position(erp, workflow, steps):
    told = erp.get(workflow["uri"]).json()

    assert workflow["steps"] == []
    assert told["steps"] == [step["uri"] for step in steps]
    assert erp.get("/workflow/").json()["resources"] == [told]


def test_process_type_may_be_printer_type_post_processor_type_or_shipping(types, steps):
    assert [step["process_type"] for step in steps] == [kind["uri"] for kind in types]


def test_process_type_of_a_step_can_be_changed(erp, types, steps):
    printing, finishing, shipping = types

    assert erp.put(steps[0]["uri"], {"process_type": shipping["uri"]}).status_code == 204
    assert erp.put(steps[1]["uri"], {"notes": "Blue"}).status_code == 204

    assert erp.get(steps[0]["uri"]).json()["process_type"] == shipping["uri"]
    assert erp.get(steps[1]["uri"]).json()["process_type"] == finishing["uri"]


def test_process_steps_are_filtered_by_process_type(erp, types, steps):
    def found(*kinds: dict) -> list[str]:
        query = {"filter[process_type]": ",".join(kind["uri"] for kind in kinds)}
        answer = erp.get("/process-step/", query | {"sort": "created"})
        return [row["uri"] for row in answer.json()["resources"]]

    printing, finishing, shipping = types

    assert found(finishing) == [steps[1]["uri"]]
    assert found(printing, shipping) == [steps[2]["uri"], steps[0]["uri"]]
    assert found({"uri": "http://elsewhere.example/shipping/1/"}) == []


def test_step_position_is_unique_in_a_workflow(erp, make, workflow, types, steps):
    body = {"workflow": workflow["uri"], "step_position": 2, "process_type": types[0]["uri"]}

    for answer in (
        erp.post("/process-step/", body),
        erp.put(steps[0]["uri"], {"step_position": 2}),
    ):
        assert answer.status_code == 409
        (error,) = answer.json()["errors"]
        assert error["code"] == "resource-exists"
        assert error["details"] == {"uri": steps[1]["uri"]}


@pytest.mark.parametrize("where", ["create", "change"])
def test_process_type_of_another_bureau_is_rejected(erp, make, workflow, steps, where):
    other = make("bureau", name="Others")
    foreign = make("shipping", bureau=other["uri"], name="Truck")
    body = {"process_type": foreign["uri"]}

    if where == "create":
        given = body | {"workflow": workflow["uri"], "step_position": 9}
        answer = erp.post("/process-step/", given)
    else:
        answer = erp.put(steps[0]["uri"], body)

    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert (error["code"], error["field"]) == ("wrong-bureau", "process_type")


def test_material_is_rejected_as_process_type(erp, make, bureau, workflow):
    material = make("material", bureau=bureau["uri"], name="PA 12")
    body = {"workflow": workflow["uri"], "step_position": 1, "process_type": material["uri"]}

    answer = erp.post("/process-step/", body)

    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert (error["code"], error["field"]) == ("resource-not-found", "process_type")
    assert "printer-type" in error["title"]


def test_process_type_in_use_cannot_be_deleted(erp, types, steps):
    answer = erp.delete(types[2]["uri"])

    assert answer.status_code == 409
    assert answer.json()["errors"][0]["details"] == {"used_by": [steps[2]["uri"]]}


def test_workflow_list_query_count_is_independent_of_row_count(
    erp, make, bureau, types, django_assert_num_queries
):
    for name in "abc":
        flow = make("workflow", bureau=bureau["uri"], name=name)
        for at, kind in enumerate(types):
            make(
                "process-step",
                workflow=flow["uri"],
                step_position=at,
                process_type=kind["uri"],
            )

    erp.get("/workflow/?page[limit]=1")  # how often they may ask is looked up once a minute

    with django_assert_num_queries(5):
        told = erp.get("/workflow/").json()["resources"]

    assert [len(flow["steps"]) for flow in told] == [3, 3, 3]
