"""What a constraint may demand, and what breaks it."""

import pytest

from apps.slicing.configs.parameters import PARAMETERS, ParameterErrors, effective
from apps.slicing.domain.constraints import parse_rules, violations


def broken(rules, values):
    """(operator, actual) of each rule that the values break."""
    found = violations(parse_rules(rules), values, dict.fromkeys(PARAMETERS, "config"))
    return [(one.operator, one.actual) for one in found]


@pytest.mark.parametrize(
    ("operator", "expected", "allowed", "refused"),
    [
        ("_in", [200, 210.0], 210.0, 205.0),
        ("in", [200], 200.0, 200.1),
        ("equals", 210, 210.0, 211.0),
        ("not-equals-to", 210, 211.0, 210.0),
        ("not_equals_to", 210, 211.0, 210.0),
        ("min", 210, 210.0, 209.99),
        ("max", 210, 210.0, 210.01),
        ("less-than", 210, 209.99, 210.0),
        ("less_than", 210, 209.99, 210.0),
        ("greater-than", 210, 210.01, 210.0),
        ("greater_than", 210, 210.01, 210.0),
    ],
)
def test_operator_accepts_and_rejects_values(operator, expected, allowed, refused):
    rules = {"extruder_temperature": {operator: expected}}

    assert broken(rules, {"extruder_temperature": {allowed}}) == []
    assert broken(rules, {"extruder_temperature": {refused}}) == [(operator, refused)]


def test_numbers_are_compared_with_rounding_tolerance():
    third = 0.1 + 0.2

    assert broken({"nozzle_diameter": {"equals": 0.3}}, {"nozzle_diameter": {third}}) == []
    assert broken({"nozzle_diameter": {"max": 0.3}}, {"nozzle_diameter": {third}}) == []
    assert broken({"nozzle_diameter": {"less-than": 0.3}}, {"nozzle_diameter": {third}}) != []


def test_words_are_compared_ignoring_case_and_whitespace():
    assert broken({"material": {"equals": " pla "}}, {"material": {"PLA"}}) == []
    assert broken({"material": {"_in": ["abs"]}}, {"material": {"PLA"}}) == [("_in", "PLA")]


def test_constraint_applies_to_every_value_of_a_set():
    values = {"extruder_temperature": {200.0, 215.0, 240.0, 250.0}}

    assert broken({"extruder_temperature": {"max": 230}}, values) == [("max", [240.0, 250.0])]


def test_unknown_value_violates_every_constraint():
    (one,) = violations(
        {"material": {"not-equals-to": "ABS"}}, {"material": None}, {"material": "config"}
    )

    assert one.actual is None
    assert "is not known before" in one.title


def test_all_operators_of_all_parameters_apply():
    rules = {"perimeters": {"min": 2, "max": 4}, "support": {"equals": False}}

    found = broken(rules, {"perimeters": {5}, "support": {True}})

    assert found == [("max", 5), ("equals", True)]


def test_infill_density_constraint_is_compared_in_percent():
    rules = {"infill_density": {"max": 0.4}}
    sources = {"infill_density": "config"}

    (one,) = violations(rules, {"infill_density": {50.0}}, sources)

    assert (one.expected, one.actual) == (40.0, 50.0)
    assert one.title == "infill_density must be at most 40 %; the config has 50 %."
    assert violations(rules, {"infill_density": {0.5}}, sources) == []  # half a percent


def test_violation_by_a_default_value_names_the_default():
    rules = {"extruder_temperature": {"max": 200}}
    values = {key: {value} for key, value in effective({}).items()}

    (one,) = violations(rules, values, {"extruder_temperature": "default"})

    assert one.source == "default"
    assert one.title == (
        "extruder_temperature must be at most 200 °C; the config leaves it out and the default is "
        "210 °C."
    )


@pytest.mark.parametrize(
    ("rules", "place", "code"),
    [
        ({}, "", "missing-parameter"),
        ({"material": {}}, "material", "missing-parameter"),
        ({"colour": {"equals": "red"}}, "colour", "request-validation-error"),
        ({"material": "PLA"}, "material", "type-validation-error"),
        ({"material": {"is": "PLA"}}, "material.is", "request-validation-error"),
        ({"material": {"max": "PLA"}}, "material.max", "request-validation-error"),
        ({"raft": {"min": True}}, "raft.min", "request-validation-error"),
        ({"raft": {"equals": 1}}, "raft.equals", "type-validation-error"),
        ({"perimeters": {"max": "2"}}, "perimeters.max", "type-validation-error"),
        ({"perimeters": {"max": True}}, "perimeters.max", "type-validation-error"),
        ({"perimeters": {"max": 2.5}}, "perimeters.max", "type-validation-error"),
        ({"perimeters": {"max": None}}, "perimeters.max", "type-validation-error"),
        ({"material": {"_in": "PLA"}}, "material._in", "type-validation-error"),
        ({"material": {"_in": []}}, "material._in", "type-validation-error"),
        ({"material": {"_in": ["PLA", 1]}}, "material._in", "type-validation-error"),
        (
            {"material": {"equals": "wood"}},
            "material.equals",
            "property-value-not-in-allowed-values",
        ),
        (
            {"infill_density": {"max": 101}},
            "infill_density.max",
            "property-value-not-in-allowed-values",
        ),
        (
            {"infill_speed": {"max": float("inf")}},
            "infill_speed.max",
            "property-value-not-in-allowed-values",
        ),
        (
            {"perimeters": {"max": 10**400}},
            "perimeters.max",
            "property-value-not-in-allowed-values",
        ),
    ],
)
def test_invalid_constraint_rule_is_rejected(rules, place, code):
    with pytest.raises(ParameterErrors) as refused:
        parse_rules(rules)

    assert [(error.key, error.code) for error in refused.value.errors] == [(place, code)]


def test_parsed_rules_equal_the_input():
    rules = {"infill_density": {"max": 0.4}, "perimeters": {"less_than": 3.0}}

    assert parse_rules(rules) == rules
