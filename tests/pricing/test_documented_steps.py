"""The steps of the price calculation in the documentation."""

import re
from pathlib import Path

from pricing.terms import STEPS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "prices.md"


ROW = re.compile(r"^\| `(\w+)` \| [^|]+ \| ([^|]*)\| ([^|]*)\|$", re.MULTILINE)


def test_documented_table_of_steps_equals_the_steps_of_the_kernel():
    rows = ROW.findall(PAGE.read_text())
    names = re.compile(r"`(\w+)`")
    documented = [(name, names.findall(units), names.findall(by)) for name, units, by in rows]

    assert documented == [
        (step.name, [unit for unit in step.units if unit], list(step.by)) for step in STEPS.values()
    ], "Edit the table of docs/prices.md, section Price calculation, as pricing.terms.STEPS says."
