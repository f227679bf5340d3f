"""Compatibility conditions of presets: parsed safely, and evaluated as PrusaSlicer does."""

import pytest

from apps.slicing.configs import conditions
from apps.slicing.configs.conditions import InvalidCondition

SETTINGS = {
    "printer_notes": "Do not remove.\\nPRINTER_VENDOR_ACME\\nPRINTER_MODEL_MK3S",
    "printer_model": "MK3S",
    "nozzle_diameter": [0.4],
    "num_extruders": 1.0,
    "single_extruder_multi_material": False,
    "layer_height": 0.2,
    "nozzle_high_flow": [1.0, 0.0],
    "silent_mode": 1.0,
    "quoted": 'a"b',
    "empty": [],
}


def ask(condition: str) -> bool:
    return conditions.read(condition)(SETTINGS)


@pytest.mark.parametrize(
    ("condition", "answer"),
    [
        ('printer_model=="MK3S"', True),
        ('printer_model!="MK3S"', False),
        ("nozzle_diameter[0]==0.4", True),
        ("nozzle_diameter[0]!=0.4", False),
        ("nozzle_diameter[3]==0.4", True),
        ("num_extruders>1", False),
        ("num_extruders>=1 && num_extruders<=1", True),
        ("layer_height < .3 and layer_height > 0.1", True),
        ("printer_notes=~/.*PRINTER_VENDOR_ACME.*/", True),
        ("printer_notes=~/PRINTER_VENDOR_ACME/", False),
        ("printer_notes!~/.*PRINTER_MODEL_MK(2|2.5).*/", True),
        ("printer_notes=~/.*MK3[^\\.]*/", True),
        ("single_extruder_multi_material", False),
        ("! (num_extruders==1 and single_extruder_multi_material)", True),
        ('num_extruders==2 or printer_model=="MK3S" and layer_height==0.2', True),
        ('(num_extruders==2 or printer_model=="MK3S") and layer_height==0.1', False),
        ("not single_extruder_multi_material", True),
        ('nozzle_diameter[0]=="0.4" or nozzle_diameter[0]=="0.6"', True),
        ('nozzle_diameter[0]=="0.40"', False),
        ('layer_height!="0.2"', False),
        ('"1"==num_extruders', True),
        ("nozzle_high_flow[0]", True),
        ("nozzle_high_flow[1]", False),
        ("! nozzle_high_flow[1] and silent_mode", True),
        ("silent_mode==true", True),
        (r'"a\"b"==quoted', True),
    ],
)
def test_condition_is_evaluated(condition, answer):
    assert ask(condition) is answer


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("", "ends too early"),
        ("nozzle_diameter[0]==", "ends too early"),
        ("(num_extruders==1", "')' is missing"),
        ("num_extruders==1 num_extruders", "not expected"),
        ("nozzle_count[0]", "no setting nozzle_count"),
        ("num_extruders==2 and nozzle_count==1", "no setting nozzle_count"),
        ("num_extruders==1 or nozzle_count==1", "no setting nozzle_count"),
        ("layer_height", "neither"),
        ("layer_height=~/.*/", "matches texts"),
        ("nozzle_diameter==0.4", "needs an index"),
        ("printer_model[0]==1", "not a list"),
        ("empty[0]==1", "empty list"),
        ("nozzle_diameter[printer_model]==1", "needs a number"),
        ("__import__('os').system('true')", "cannot be read"),
        ("layer_height + 1 == 2", "cannot be read"),
        ("printer_notes=~/(unclosed/", "no regular expression"),
        ("printer_notes=~/(.*a){900}/", "counts"),
        (f"printer_notes=~/{'a' * 101}/", "longer than 100"),
        ("!" * 50 + "num_extruders==1", "deeper than 40"),
        ("(" * 50 + "num_extruders==1" + ")" * 50, "deeper than 40"),
        ("num_extruders==1 or " * 300, "longer than 4000"),
    ],
)
def test_invalid_condition_is_rejected_with_a_reason(condition, words):
    with pytest.raises(InvalidCondition, match=words.replace("(", r"\(").replace(")", r"\)")):
        ask(condition)


def test_backtracking_regular_expression_is_matched_in_linear_time():
    found = conditions.read("printer_notes=~/(a*)*(a*)*b/")

    assert found({"printer_notes": "a" * 2000}) is False
