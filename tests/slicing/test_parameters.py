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


def test_missing_parameter_is_null():
    assert parse_parameters({}) == dict.fromkeys(PARAMETERS)


def test_posted_parameter_keeps_its_spelling():
    posted = {"material": "abs", "infill_density": 0.4, "perimeters": 3, "support": None}

    parsed = parse_parameters(posted)

    assert {key: parsed[key] for key in posted} == posted


def test_only_text_parameters_accept_an_empty_string():
    given = {"material": "", "infill_speed": "", "perimeters": "", "raft": ""}

    assert parse_parameters({"material": ""})["material"] is None
    assert refusals(given) == [
        (name, "type-validation-error") for name in ("infill_speed", "perimeters", "raft")
    ]


def test_null_parameter_has_its_default():
    assert effective(parse_parameters({})) == DEFAULTS


def test_default_temperatures_depend_on_the_material():
    values = effective(parse_parameters({"material": "abs", "bed_temperature": 0}))

    hot = {"material": "ABS", "extruder_temperature": 240.0, "bed_temperature": 0}
    assert values == DEFAULTS | hot


@pytest.mark.parametrize(
    ("posted", "percent"), [(0, 0), (0.25, 25.0), (1, 100), (1.5, 1.5), (20, 20), (100, 100)]
)
def test_infill_density_up_to_one_is_a_fraction(posted, percent):
    assert effective(parse_parameters({"infill_density": posted}))["infill_density"] == percent


def test_integral_float_is_accepted_as_perimeters():
    assert parse_parameters({"perimeters": 3.0})["perimeters"] == 3


def test_all_parameter_errors_are_reported_together():
    raw = {"colour": "red", "material": "PETG", "support": "yes", "perimeters": 2.5}

    assert refusals(raw) == [
        ("colour", "request-validation-error"),
        ("material", "property-value-not-in-allowed-values"),
        ("perimeters", "type-validation-error"),
        ("support", "type-validation-error"),
    ]


@pytest.mark.parametrize("value", [True, "0.2", [0.2], {"value": 0.2}])
def test_infill_density_must_be_a_number(value):
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
def test_parameter_outside_its_range_is_rejected(key, value):
    assert refusals({key: value}) == [(key, "property-value-not-in-allowed-values")]


def test_layer_height_must_not_exceed_the_nozzle_diameter():
    code = "property-value-not-in-allowed-values"

    assert refusals({"nozzle_diameter": 0.25, "print_quality": "low"}) == [
        ("nozzle_diameter", code)
    ]
    assert parse_parameters({"nozzle_diameter": 0.25})["nozzle_diameter"] == 0.25


def test_parameter_error_lists_the_allowed_values():
    with pytest.raises(ParameterErrors) as refused:
        parse_parameters({"infill_speed": 0, "material": "PETG"})

    assert [error.title for error in refused.value.errors] == [
        "material must be one of ABS, PLA.",
        "infill_speed must be above 0 and at most 500 mm/s.",
    ]
