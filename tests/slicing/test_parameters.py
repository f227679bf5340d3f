"""The curated parameters: what is accepted, and what null stands for."""

import pytest

from apps.slicing.configs.parameters import PARAMETERS, ParameterErrors, effective, parse_parameters

DEFAULTS = {
    "material": "PLA",
    "print_quality": "standard",
    "filament_diameter": 1.75,
    "nozzle_diameter": 0.4,
    "infill_density": 20.0,
    "infill_speed": 60.0,
    "extruder_temperature": 210.0,
    "bed_temperature": 60.0,
    "perimeters": 2,
    "perimeter_speed": 40.0,
    "support": False,
    "raft": False,
}


def refusals(raw):
    with pytest.raises(ParameterErrors) as refused:
        parse_parameters(raw)
    return [(error.key, error.code) for error in refused.value.errors]


def test_what_was_not_posted_is_null():
    assert parse_parameters({}) == dict.fromkeys(PARAMETERS)


def test_what_was_posted_stays_as_it_was_spelled():
    posted = {"material": "abs", "infill_density": 0.4, "perimeters": 3, "support": None}

    parsed = parse_parameters(posted)

    assert {key: parsed[key] for key in posted} == posted


def test_only_a_text_may_be_empty():
    given = {"material": "", "infill_speed": "", "perimeters": "", "raft": ""}

    assert parse_parameters({"material": ""})["material"] is None
    assert refusals(given) == [
        (name, "type-validation-error") for name in ("infill_speed", "perimeters", "raft")
    ]


def test_null_stands_for_the_defaults():
    assert effective(parse_parameters({})) == DEFAULTS


def test_temperatures_follow_the_material_where_none_is_posted():
    values = effective(parse_parameters({"material": "abs", "bed_temperature": 0}))

    hot = {"material": "ABS", "extruder_temperature": 240.0, "bed_temperature": 0}
    assert values == DEFAULTS | hot


@pytest.mark.parametrize(
    ("posted", "percent"), [(0, 0), (0.25, 25.0), (1, 100), (1.5, 1.5), (20, 20), (100, 100)]
)
def test_an_infill_density_of_at_most_one_is_a_fraction(posted, percent):
    assert effective(parse_parameters({"infill_density": posted}))["infill_density"] == percent


def test_a_whole_float_is_a_number_of_perimeters():
    assert parse_parameters({"perimeters": 3.0})["perimeters"] == 3


def test_every_error_is_told_at_once():
    raw = {"colour": "red", "material": "PETG", "support": "yes", "perimeters": 2.5}

    assert refusals(raw) == [
        ("colour", "request-validation-error"),
        ("material", "property-value-not-in-allowed-values"),
        ("perimeters", "type-validation-error"),
        ("support", "type-validation-error"),
    ]


@pytest.mark.parametrize("value", [True, "0.2", [0.2], {"value": 0.2}])
def test_only_a_number_is_a_number(value):
    assert refusals({"infill_density": value}) == [("infill_density", "type-validation-error")]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("filament_diameter", 0.99),
        ("filament_diameter", 3.51),
        ("nozzle_diameter", 2.1),
        ("infill_density", -0.1),
        ("infill_density", 100.5),
        ("infill_speed", 0),
        ("perimeter_speed", 501),
        ("perimeter_speed", 10**400),
        ("extruder_temperature", 149),
        ("bed_temperature", float("nan")),
        ("bed_temperature", float("inf")),
        ("perimeters", 101),
        ("print_quality", "0.2"),
    ],
)
def test_a_value_outside_its_range_is_refused(key, value):
    assert refusals({key: value}) == [(key, "property-value-not-in-allowed-values")]


def test_a_layer_is_no_higher_than_the_nozzle_is_wide():
    code = "property-value-not-in-allowed-values"

    assert refusals({"nozzle_diameter": 0.25, "print_quality": "low"}) == [
        ("nozzle_diameter", code)
    ]
    assert parse_parameters({"nozzle_diameter": 0.25})["nozzle_diameter"] == 0.25


def test_a_refusal_says_what_is_allowed():
    with pytest.raises(ParameterErrors) as refused:
        parse_parameters({"infill_speed": 0, "material": "PETG"})

    assert [error.title for error in refused.value.errors] == [
        "material must be one of ABS, PLA.",
        "infill_speed must be above 0 and at most 500 mm/s.",
    ]
