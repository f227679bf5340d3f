"""Constraints and what they bind, over HTTP: who makes them, and which slices they stop."""

import pytest

from apps.slicing.models import Association, Slice
from apps.slicing.serializers.constraint import AssociationAnswer, ConstraintAnswer
from apps.warehouse.models import Model

pytestmark = pytest.mark.django_db

COLD = {"extruder_temperature": {"max": 200}}


@pytest.fixture
def others(client_of, stranger):
    return client_of("slicing", stranger)


@pytest.fixture
def constrain(slicing):
    """`constrain(rules)`: a constraint; `constrain(rules, model)`: bound to the model as well."""

    def make(rules: dict, model: dict | None = None) -> dict:
        answer = slicing.post("/constraint/", {"name": "cold", "parameters": rules})
        assert answer.status_code == 201, answer.json()
        if model is not None:
            bound = slicing.post(
                "/constraint-model/",
                {"constraint": answer.json()["uri"], "model_uri": model["uri"]},
            )
            assert bound.status_code == 201, bound.json()
        return answer.json()

    return make


@pytest.fixture
def allow(client_of, person, stranger):
    """`allow("models", "read", uri)`: the owner grants the right to the stranger."""

    def grant(namespace: str, right: str, uri: str) -> None:
        answer = client_of("users", person).post(
            "/permissions/",
            {"holder": stranger.uri, "namespace": namespace, "object": uri, "right": right},
        )
        assert answer.status_code == 201, answer.json()

    return grant


def posted(client, model, config):
    return client.post("/slice/", {"model": model["uri"], "config": config["uri"]})


def test_constraint_representation_equals_the_request(slicing, constrain):
    rules = {"material": {"_in": ["PLA"]}, "infill_density": {"less-than": 0.5, "min": 10}}

    made = constrain(rules)

    assert made["parameters"] == rules
    assert slicing.get(made["uri"]).json() == made
    assert set(made) == set(ConstraintAnswer.__annotations__)


def test_all_errors_of_a_constraint_are_reported_together(slicing):
    answer = slicing.post(
        "/constraint/",
        {"parameters": {"colour": {}, "material": {"max": "PLA"}, "raft": {"equals": 1}}},
    )

    assert answer.status_code == 400
    assert {(error["field"], error["code"]) for error in answer.json()["errors"]} == {
        ("name", "missing-parameter"),
        ("parameters.colour", "request-validation-error"),
        ("parameters.material.max", "request-validation-error"),
        ("parameters.raft.equals", "type-validation-error"),
    }
    empty = slicing.post("/constraint/", {"name": "none", "parameters": {}}).json()
    assert [(error["field"], error["code"]) for error in empty["errors"]] == [
        ("parameters", "missing-parameter")
    ]


def test_constraint_name_and_description_change_but_not_its_parameters(slicing, constrain):
    made = constrain(COLD)

    assert (
        slicing.put(made["uri"], {**made, "name": "new", "description": "why"}).status_code == 204
    )
    refused = slicing.put(made["uri"], {"parameters": {"raft": {"equals": False}}})

    assert refused.status_code == 400
    assert refused.json()["errors"][0]["code"] == "cannot-set-property"
    read = slicing.get(made["uri"]).json()
    assert (read["name"], read["description"], read["parameters"]) == ("new", "why", COLD)


def test_slice_that_violates_constraints_is_rejected_with_each_rule(
    slicing, constrain, config_of, part
):
    config = config_of(perimeters=5, infill_density=0.5)
    cold = constrain({**COLD, "perimeters": {"min": 2, "less-than": 5}}, part)
    thin = constrain({"infill_density": {"max": 0.4}}, part)

    answer = posted(slicing, part, config)

    assert answer.status_code == 409
    errors = answer.json()["errors"]
    assert {error["code"] for error in errors} == {"constraint-violation"}
    told = [
        tuple(error["details"][name] for name in ("constraint", "parameter", "operator"))
        + tuple(error["details"][name] for name in ("expected", "actual", "source"))
        for error in errors
    ]
    assert sorted(told) == sorted(
        [
            (cold["uri"], "extruder_temperature", "max", 200, 210.0, "default"),
            (cold["uri"], "perimeters", "less-than", 5, 5, "config"),
            (thin["uri"], "infill_density", "max", 40.0, 50.0, "config"),
        ]
    )
    associations = {item["constraint"]: item["uri"] for item in listed(slicing)}
    for error in errors:
        assert error["details"]["association"] == associations[error["details"]["constraint"]]
    assert Slice.objects.count() == 0


def listed(client):
    return client.get("/constraint-model/").json()["resources"]


def test_slice_that_meets_its_constraints_is_created(slicing, constrain, config_of, part):
    constrain(COLD, part)

    assert posted(slicing, part, config_of(extruder_temperature=200)).status_code == 201


@pytest.mark.parametrize("lifted", ["constraint", "association", "association by the other path"])
def test_deleted_constraint_or_association_no_longer_applies(
    slicing, constrain, config, part, lifted
):
    made = constrain(COLD, part)
    (association,) = listed(slicing)
    assert posted(slicing, part, config).status_code == 409
    other_path = association["uri"].replace("/constraint-model/", "/constraint/")
    place = {"constraint": made["uri"], "association": association["uri"]}.get(lifted, other_path)

    assert slicing.delete(place).status_code == 204

    assert posted(slicing, part, config).status_code == 201
    assert listed(slicing) == []
    assert slicing.get(made["uri"]).status_code == (404 if lifted == "constraint" else 200)


def test_constraint_applies_to_descendants_of_the_model(
    slicing, constrain, config, part, uploaded, open_box
):
    child, grandchild = uploaded(open_box), uploaded(open_box)
    constrain(COLD, part)
    key = {
        name: made["uri"].split("/")[-2]
        for name, made in (("part", part), ("child", child), ("grandchild", grandchild))
    }
    Model.objects.get(pk=key["child"]).parents.add(key["part"])
    Model.objects.get(pk=key["grandchild"]).parents.add(key["child"])

    assert posted(slicing, grandchild, config).status_code == 409
    assert posted(slicing, child, config).status_code == 409


def test_association_representation_names_its_constraint_and_model(slicing, constrain, part):
    made = constrain(COLD, part)

    (association,) = listed(slicing)

    assert slicing.get(association["uri"]).json() == association
    assert (association["constraint"], association["model_uri"]) == (made["uri"], part["uri"])
    assert set(association) == set(AssociationAnswer.__annotations__)
    assert slicing.put(association["uri"], association).status_code == 204
    moved = slicing.put(association["uri"], {"model_uri": made["uri"]})
    assert moved.json()["errors"][0]["code"] == "cannot-set-property"


def test_constraint_is_associated_once_with_a_model(slicing, constrain, part):
    made = constrain(COLD, part)
    body = {"constraint": made["uri"], "model_uri": part["uri"]}

    again = slicing.post("/constraint-model/", body)
    assert (again.status_code, again.json()["errors"][0]["code"]) == (409, "already-bound")

    slicing.delete(listed(slicing)[0]["uri"])
    assert slicing.post("/constraint-model/", body).status_code == 201
    assert Association.objects.count() == 2


def test_association_requires_write_permission_on_the_model(others, constrain, part, allow):
    own = others.post("/constraint/", {"name": "mine", "parameters": COLD}).json()
    body = {"constraint": own["uri"], "model_uri": part["uri"]}

    assert others.post("/constraint-model/", body).status_code == 400
    allow("models", "read", part["uri"])
    refused = others.post("/constraint-model/", body)
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (403, "Unauthorized")
    allow("models", "write", part["uri"])
    assert others.post("/constraint-model/", body).status_code == 201


def test_administrator_associates_any_model(client_of, operator, slicing, config, part):
    theirs = client_of("slicing", operator)
    made = theirs.post("/constraint/", {"name": "law", "parameters": COLD}).json()

    bound = theirs.post("/constraint-model/", {"constraint": made["uri"], "model_uri": part["uri"]})

    assert bound.status_code == 201
    assert posted(slicing, part, config).status_code == 409


def test_model_reader_can_read_but_not_change_its_constraints(others, constrain, part, allow):
    made = constrain(COLD, part)
    unbound = constrain(COLD)
    assert others.get(made["uri"]).status_code == 404
    assert listed(others) == []

    allow("models", "read", part["uri"])

    assert others.get(made["uri"]).json() == made
    assert [item["constraint"] for item in listed(others)] == [made["uri"]]
    assert others.get("/constraint/").json()["resources"] == [made]
    assert others.get(unbound["uri"]).status_code == 404
    assert others.delete(made["uri"]).status_code == 403
    assert others.put(made["uri"], {"name": "x"}).status_code == 403
    assert others.delete(listed(others)[0]["uri"]).status_code == 403


def test_unknown_uri_of_an_association_is_reported_with_its_field(slicing, constrain, part):
    made = constrain(COLD)

    for field, body in (
        ("constraint", {"constraint": part["uri"], "model_uri": part["uri"]}),
        ("model_uri", {"constraint": made["uri"], "model_uri": made["uri"]}),
    ):
        answer = slicing.post("/constraint-model/", body)
        assert answer.status_code == 400
        (error,) = answer.json()["errors"]
        assert (error["code"], error["field"]) == ("resource-not-found", field)


def test_constraints_and_associations_are_filtered_and_searched(slicing, constrain, part):
    made = constrain(COLD, part)
    constrain({"raft": {"equals": False}})

    found = slicing.get("/constraint-model/", {"filter[model_uri]": part["uri"]}).json()
    assert [item["constraint"] for item in found["resources"]] == [made["uri"]]
    found = slicing.get("/constraint-model/", {"filter[constraint]": made["uri"]}).json()
    assert found["meta"] == {"count": 1}
    assert slicing.get("/constraint/", {"search[name]": "COL"}).json()["meta"] == {"count": 2}


def test_slice_query_count_is_independent_of_constraint_count(
    slicing, constrain, config_of, part, django_assert_max_num_queries
):
    config = config_of(extruder_temperature=190)
    for _ in range(5):
        constrain(COLD, part)

    with django_assert_max_num_queries(14):
        assert posted(slicing, part, config).status_code == 201


@pytest.mark.engine
def test_constraint_is_checked_against_temperatures_in_the_gcode(
    slicing, constrain, order, part, run_jobs
):
    content = "start_gcode = G28\\nM104 S{first_layer_temperature[0] + 60}"
    raw = slicing.post("/config/raw/", {"engine": "slic3r", "content": content}).json()
    made = order(part, raw)
    rule = constrain({"extruder_temperature": {"less-than": 250}}, part)
    assert posted(slicing, part, raw).status_code == 409  # nobody can tell what the macro asks for

    run_jobs()

    failed = slicing.get(made["uri"]).json()
    assert (failed["status"], failed["content"]) == ("error", None)
    (error,) = failed["errors"]
    assert error["code"] == "constraint-violation"
    assert error["title"] == (
        "extruder_temperature must be less than 250 °C; the gcode asks for 270 °C."
    )
    assert error["details"]["constraint"] == rule["uri"]
    assert error["details"]["source"] == "gcode"


@pytest.mark.engine
def test_rounded_gcode_temperature_does_not_violate_a_constraint(
    slicing, constrain, config_of, order, part, run_jobs
):
    constrain({"extruder_temperature": {"max": 223.5}}, part)
    made = order(part, config_of(extruder_temperature=223.5))

    run_jobs()

    made = slicing.get(made["uri"]).json()
    assert (made["status"], made["errors"]) == ("processed", None)
    assert made["figures"]["highest_nozzle_temperature"] == 224
