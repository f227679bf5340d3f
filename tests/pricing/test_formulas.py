"""The reader of formulas: exact, and closed to everything that it does not know.

RANDOM_FORMULAS=1000000 tries more of them.
"""

import os
import random
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from pricing.cost_drivers import NAMES, UnknownDriver
from pricing.errors import InvalidFormula, NoNumber, NumberMissing
from pricing.formulas import LARGEST, read_condition, read_formula

ROOT = Path(__file__).parents[2]
ALL = {name: Decimal("2.5") for name in NAMES}
HOSTILE = [
    "9**9**9",
    "2**100000",
    "'a' * 10**10",
    "__import__('os').system('id')",
    "().__class__.__bases__[0].__subclasses__()",
    "[1 for x in (1, 2)]",
    "(lambda: 1)()",
    "1e999 * 0",
    "0x7fffffff",
    "1j",
    "factorial(10)",
    "volume.real",
    "volume[0]",
    "open(volume)",
    "f'{volume}'",
    "True + 1",
    "volume if volume else 1",
    "max(*volume)",
    "min(volume)",
    "max(volume, volume, key=abs)",
    "volume := 3",
    "1_000",
    "volume < 3",
    "not volume",
    "1 if 1 < 2 else 2 < 3",
    "nan",
    "inf",
    "1 // 2",
    "7 % 3",
    "1 << 70",
    "~1",
    "ｖolume",
    "volume;volume",
    "volume\\\n+1",
    "#",
    "",
    "   ",
    "(" * 300 + "1" + ")" * 300,
    "-" * 400 + "1",
    "+".join(["1"] * 400),
    "1+" * 100_000 + "1",
    "9" * 900,
    "await volume",
    "yield",
    "...",
    "None",
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:30])
def test_invalid_formula_is_rejected_with_a_message(text):
    with pytest.raises(InvalidFormula) as rejection:
        read_formula(text)

    assert rejection.value.title.endswith(".") and len(rejection.value.title) < 700


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("max(5, 1.5 + 0.4*volume + (18*hours if hours < 5 else 15*hours)) * quantity", "473.76"),
        ("0.1 + 0.2", "0.3"),
        ("1 / 8", "0.125"),
        ("-volume + +1", "-15.2"),
        ("ceil(volume) - floor(volume) + abs(-2)", "3"),
        ("1 if 1 < hours <= 1.75 and not quantity != 12 or 1 > 2 else 0", "1"),
        ("min(3, 2,\n 1)", "1"),
    ],
)
def test_formula_is_evaluated_in_exact_decimals(text, value):
    known = {"volume": Decimal("16.2"), "hours": Decimal("1.75"), "quantity": Decimal(12)}

    assert read_formula(text)(known) == Decimal(value)


def test_condition_yields_a_boolean_and_a_number_is_rejected_as_condition():
    assert read_condition("volume < 3 and hours > 1")(ALL) is True
    with pytest.raises(InvalidFormula):
        read_condition("volume")


@pytest.mark.parametrize("text", ["1 / (volume - 2.5)", "1000000000000 * 10", "999999999999 * 2"])
def test_division_by_zero_and_too_large_results_raise_no_number(text):
    with pytest.raises(NoNumber):
        read_formula(text)(ALL)


def test_unknown_driver_raises_only_in_the_branch_that_needs_it():
    known = {"volume": Decimal(1), "hours": UnknownDriver("the model is not closed.")}
    formula = read_formula("volume if volume < 2 else hours")

    assert formula(known) == 1
    with pytest.raises(NumberMissing) as missing:
        formula({**known, "volume": Decimal(3)})
    assert (missing.value.name, missing.value.why) == ("hours", "the model is not closed.")


def test_random_formulas_yield_a_bounded_number_or_are_rejected():
    count = int(os.environ.get("RANDOM_FORMULAS", 20_000))

    found = outcomes_of(count, seed=1)

    assert {"number", "refused"} <= found.keys() <= {"number", "refused", "none"}


# One formula after another in a child, with 1 GB and a few seconds: whatever it does, we live.
_CHILD = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
from tests.pricing.test_formulas import HOSTILE, outcome
print([outcome(text) for text in HOSTILE])
"""


def test_hostile_formulas_are_rejected_in_a_memory_limited_child_process():
    done = subprocess.run(
        [sys.executable, "-c", _CHILD],
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}"},
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == str(["refused"] * len(HOSTILE))


_WORDS = [
    *(
        "volume",
        "hours",
        "quantity",
        "grams",
        "x",
        "if",
        "else",
        "and",
        "or",
        "not",
        "min(",
        "max(",
    ),
    *("ceil(", "floor(", "abs(", "(", ")", "+", "-", "*", "/", "<", ">", "<=", "==", "!=", ","),
    *(
        "0",
        "1",
        "2.5",
        "1e9",
        "999999999999",
        ".5",
        "**",
        "//",
        "%",
        "lambda",
        "in",
        "[",
        "'",
        "\\",
    ),
    *(" ", " ", "\n", "is", "None", "True", "=", ":", ".", "_", "eval("),
]


def outcome(text: str) -> str:
    """number, refused or none (no number for this part); anything else is a fault of ours."""
    try:
        formula = read_formula(text)
    except InvalidFormula:
        return "refused"
    try:
        value = formula(ALL)
    except NoNumber:
        return "none"
    assert isinstance(value, Decimal) and value.is_finite() and abs(value) <= LARGEST, text
    return "number"


def outcomes_of(count: int, *, seed: int) -> dict[str, int]:
    """How so many random texts end; one in twenty is noise, the others a formula's own words."""
    chance = random.Random(seed)
    found: dict[str, int] = {}
    for _ in range(count):
        if chance.random() < 0.05:
            text = "".join(chr(chance.randrange(1, 0x3000)) for _ in range(chance.randrange(40)))
        else:
            text = "".join(chance.choices(_WORDS, k=chance.randrange(1, 14)))
        end = outcome(text)
        found[end] = found.get(end, 0) + 1
    return found
