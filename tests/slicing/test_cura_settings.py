"""CuraEngine's settings are worked out from each other, by expressions that can do no harm."""

import math

import pytest
from django.conf import settings

from apps.slicing.engines.cura_settings import (
    Definition,
    SettingsError,
    limits_of,
    load,
    resolve,
)
from apps.slicing.engines.curaengine import CuraEngine


def definitions(**expressions):
    """Definitions of numbers that default to 1 and have these expressions."""
    return {name: Definition("float", 1, text) for name, text in expressions.items()}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (None, "1"),
        ("2 * a + 0.5", "2.5"),
        ("-a / 3", "-0.3333333333"),
        ("7 % 4", "3"),
        ("0 if a == 1 else 5", "0"),
        ("0 < a <= 1 and not a == 2", "true"),
        ("a or unknown", "1"),
        ("math.ceil(round(0.8 / 0.3, 4))", "3"),
        ("max(map(abs, extruderValues('a')))", "1"),
        ("resolveOrValue('a') + extruderValue(0, 'a')", "2"),
        ("'no_outer_surfaces' if any(extruderValues('a')) else 'all'", "no_outer_surfaces"),
        ("round(math.pi, 4)", "3.1416"),
        ("2 ** 3 + math.sqrt(4)", "10"),
        ("20 - math.log(8) / math.log(2)", "17"),
        ("'yes' if a not in [2, 3] else 'no'", "yes"),
        ("all(p != 2 for p in extruderValues('a'))", "true"),
        ("sum([p + 1 for p in [1, 2, 3] if p > 1])", "7"),
        ("a if a < float('inf') else 0", "1"),
        ("extruderValueFromContainer(0, 'a', 2) + valueFromContainer('a', 1)", "2"),
        ("anyExtruderNrWithOrDefault('a')", "0"),
        ("7 // 2", "3"),
        ("'G28' + ('\\nM140 S0' if a else '')", "G28\nM140 S0"),
    ],
)
def test_expression_is_evaluated(expression, value):
    known = definitions(a=None, b=expression)

    assert resolve(known, {})["b"] == value


def test_chosen_value_overrides_and_dependent_settings_follow():
    known = definitions(height="0.2", half="height / 2")

    assert resolve(known, {"height": 0.3}) == {"half": "0.15", "height": "0.3"}


def test_values_are_serialised_in_the_engine_syntax():
    known = definitions(yes=None, corners=None, code=None, tiny=None)

    chosen = {"yes": True, "corners": [[-1, 2], [3, 4]], "code": "G28\nG1", "tiny": 0.00001}
    assert resolve(known, chosen) == {
        "code": "G28\nG1",
        "corners": "[[-1, 2], [3, 4]]",
        "tiny": "1e-05",
        "yes": "true",
    }


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os').system('true')",
        "().__class__",
        "a.real",
        "math.factorial(9)",
        "9 ** 9 ** 9",
        "'x' * 1000000000",
        "[a] * 9",
        "'x' + 1",
        "len([[x + x for x in ["
        + ", ".join(["'" + "x" * 9 + "'"] * 90)
        + "]] for y in ["
        + ", ".join(["1"] * 90)
        + "]])",
        "[x for x in a]",
        "sum([1 for p in [1, 2] for q in [1, 2]])",
        "[p for p, q in [1, 2]]",
        "max([" + ", ".join(["1"] * 200) + "])",
        "10.0 ** 400",
        "(0 - 8) ** 0.5",
        "sum(["
        + "sum([" * 4
        + "1"
        + "".join(f" for {name} in [{', '.join('1' * 50)}]])" for name in "pqrs")
        + "])",
        "(lambda: 1)()",
        "max(1, key=abs)",
        "a if",
        "1 / 0",
        "missing + 1",
        "b + 1",
        "(" * 5000 + "1" + ")" * 5000,
    ],
)
def test_unsafe_or_invalid_expression_is_rejected(expression):
    with pytest.raises(SettingsError):
        resolve(definitions(a=None, b=expression), {})


def test_limits_are_computed_for_enabled_settings():
    known = {
        "width": Definition("float", 1, None, lowest="0.001"),
        "distance": Definition("float", 1, None, lowest="width / 2"),
        "angle": Definition("float", 1, None, highest=90.0),
        "hidden": Definition("float", 1, None, lowest="0.5", enabled=False),
        "unused": Definition("float", 1, None, lowest="0.5", enabled="width > 5"),
        "unclear": Definition("float", 1, None, lowest="no_such_setting"),
    }

    assert limits_of(known, {"width": 3}, known) == {
        "width": (0.001, math.inf),
        "distance": (1.5, math.inf),
        "angle": (-math.inf, 90.0),
        "hidden": (0.5, math.inf),
        "unclear": (-math.inf, math.inf),
    }


@pytest.mark.engine
def test_all_expressions_of_the_installed_cura_version_are_evaluated():
    engine = CuraEngine(settings.CURA_DEFINITIONS)
    if engine.version() is None:
        pytest.skip(engine.missing())

    known = load(settings.CURA_DEFINITIONS, str(engine.version()))
    values = resolve(known, {})
    limits = [part for each in known.values() for part in (each.lowest, each.enabled)]
    expressions = {f"limit{n}": part for n, part in enumerate(limits) if isinstance(part, str)}

    assert len(values) == len(known) > 580
    resolve({**known, **definitions(**expressions)}, {})


def test_damaged_definitions_are_reported_with_a_remedy(tmp_path):
    (tmp_path / "5.0.0").mkdir()
    (tmp_path / "5.0.0" / "fdmprinter.def.json").write_text('{"settings": {"a": 1}}')

    with pytest.raises(SettingsError, match="is damaged: delete it, and run"):
        load(tmp_path, "5.0.0")


def test_circular_expressions_are_reported_with_their_cycle():
    with pytest.raises(SettingsError, match="a -> b -> a goes round in a circle"):
        resolve(definitions(a="b", b="a"), {})


def test_unknown_setting_is_rejected():
    with pytest.raises(SettingsError, match="CuraEngine has no setting colour"):
        resolve(definitions(a=None), {"colour": 1})


def test_missing_definitions_are_reported_with_the_install_command(tmp_path):
    with pytest.raises(SettingsError, match=f"run bin/install-cura-definitions {tmp_path}"):
        load(tmp_path, "4.13.0")
