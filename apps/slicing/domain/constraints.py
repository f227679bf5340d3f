"""Constraint language on curated parameters: operators, violations."""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from apps.slicing.configs.parameters import (
    KINDS,
    PARAMETERS,
    Parameter,
    ParameterError,
    ParameterErrors,
    infill_percent,
    is_allowed,
    is_of_kind,
    unknown_parameter,
)

MAX_VALUES = 100  # of an _in
LARGEST = 1e9  # no parameter comes near it
TOLERANCE = 1e-9  # relative; numbers nearer than this are equal


@dataclass(frozen=True)
class Operator:
    """A comparison of a value with its limit.

    phrase : precedes the limit in messages: "... must be <phrase> 220"
    holds  : (actual, expected) -> whether the rule is met
    """

    phrase: str
    holds: Callable[[Any, Any], bool]
    ordered: bool = False


def _equal(actual: Any, expected: Any) -> bool:
    if isinstance(actual, float) and isinstance(expected, float):
        return math.isclose(actual, expected, rel_tol=TOLERANCE)
    return actual == expected


OPERATORS = {
    "_in": Operator("one of", lambda actual, among: any(_equal(actual, one) for one in among)),
    "equals": Operator("", _equal),
    "not-equals-to": Operator("anything but", lambda actual, other: not _equal(actual, other)),
    "min": Operator("at least", lambda a, b: a > b or _equal(a, b), ordered=True),
    "max": Operator("at most", lambda a, b: a < b or _equal(a, b), ordered=True),
    "less-than": Operator("less than", lambda a, b: a < b and not _equal(a, b), ordered=True),
    "greater-than": Operator("more than", lambda a, b: a > b and not _equal(a, b), ordered=True),
}
SPELLINGS = {
    **{name: name for name in OPERATORS},
    "in": "_in",
    "not_equals_to": "not-equals-to",
    "less_than": "less-than",
    "greater_than": "greater-than",
}
# Where a value comes from, as a sentence tells it.
SOURCES = {
    "config": "the config has",
    "default": "the config leaves it out and the default is",
    "gcode": "the gcode asks for",
}


class Violation(NamedTuple):
    """One violated rule.

    operator : as spelt in the constraint
    expected, actual : infill densities in percent; several values as a list; `actual` is None
        where the value is unknown before slicing
    """

    parameter: str
    operator: str
    expected: Any
    actual: Any
    source: str
    title: str


def parse_rules(raw: Mapping) -> dict[str, dict[str, object]]:
    """The rules, as they were posted: parameter -> operator -> value. Raises ParameterErrors."""
    errors: list[ParameterError] = []
    if not raw:
        title = "Name at least one parameter, such as extruder_temperature, with its operators."
        errors.append(ParameterError("", "missing-parameter", title))
    for key, rules in raw.items():
        if key not in PARAMETERS:
            errors.append(unknown_parameter(key))
        elif not isinstance(rules, dict):
            title = f'{key} must be an object of operators, such as {{"equals": ...}}.'
            errors.append(ParameterError(key, "type-validation-error", title))
        elif not rules:
            title = f"{key} needs at least one operator: {', '.join(OPERATORS)}."
            errors.append(ParameterError(key, "missing-parameter", title))
        else:
            found = [_error(key, PARAMETERS[key], name, rules[name]) for name in rules]
            errors += [error for error in found if error]
    if errors:
        raise ParameterErrors(errors)
    return {key: dict(rules) for key, rules in raw.items()}


def violations(
    rules: Mapping[str, Mapping[str, Any]],
    values: Mapping[str, Collection | None],
    sources: Mapping[str, str],
) -> list[Violation]:
    """Return every rule that one of the values violates.

    rules   : from parse_rules
    values  : parameter -> all values in use, infill density in percent, or None where unknown;
              parameters without an entry are not checked
    sources : parameter -> a key of SOURCES
    """
    broken = []
    for key in (key for key in PARAMETERS if key in rules and key in values):
        for name, posted in rules[key].items():
            operator, expected, used = (
                OPERATORS[SPELLINGS[name]],
                _in_percent(key, posted),
                values[key],
            )
            wrong = None if used is None else _offenders(operator, expected, used)
            if wrong == []:
                continue
            source = sources[key]
            words = _in_words(key, operator, expected, wrong, source)
            actual = wrong[0] if wrong and len(wrong) == 1 else wrong
            broken.append(Violation(key, name, expected, actual, source, words))
    return broken


def _offenders(operator: Operator, expected: Any, used: Collection) -> list:
    wanted = _comparable(expected)
    return [value for value in sorted(used) if not operator.holds(_comparable(value), wanted)]


def _error(key: str, parameter: Parameter, name: str, value: Any) -> ParameterError | None:
    """Return the error of a rule that can never be evaluated; None for any other rule."""
    place = f"{key}.{name}"
    if name not in SPELLINGS:
        title = f"{name[:100]!r} is not an operator. The operators are: {', '.join(OPERATORS)}."
        return ParameterError(place, "request-validation-error", title)
    if OPERATORS[SPELLINGS[name]].ordered and parameter.kind in ("string", "bool"):
        title = f"{key} has no order: use _in, equals or not-equals-to."
        return ParameterError(place, "request-validation-error", title)
    given = [value]
    if SPELLINGS[name] == "_in":
        if not isinstance(value, list) or not 0 < len(value) <= MAX_VALUES:
            title = f"{name} takes a list of 1 to {MAX_VALUES} values."
            return ParameterError(place, "type-validation-error", title)
        given = value
    if any(not is_of_kind(parameter.kind, _whole(parameter, one)) for one in given):
        title = f"{key} is {KINDS[parameter.kind]}: {name} must compare it with such a value."
        return ParameterError(place, "type-validation-error", title)
    if not all(_is_possible(key, parameter, one) for one in given):
        title = f"{name} has a value that {key} can never have."
        if parameter.choices:
            title += f" It is one of {', '.join(parameter.choices)}."
        return ParameterError(place, "property-value-not-in-allowed-values", title)
    return None


def _whole(parameter: Parameter, value: Any) -> Any:
    """2.0 is a whole number, too."""
    is_integer = parameter.kind == "int" and isinstance(value, float) and value.is_integer()
    return int(value) if is_integer else value


def _is_possible(key: str, parameter: Parameter, value: Any) -> bool:
    """Return whether a value is possible; raw configs may exceed the bounds of curated ones."""
    if parameter.choices or key == "infill_density":
        return is_allowed(parameter, value.strip() if isinstance(value, str) else value)
    return isinstance(value, bool) or abs(value) <= LARGEST  # false for NaN, too


def _in_percent(key: str, posted: Any) -> Any:
    """Return the limit; an infill density of at most 1 is a fraction."""
    if key != "infill_density":
        return posted
    if isinstance(posted, list):
        return [infill_percent(one) for one in posted]
    return infill_percent(posted)


def _comparable(value: Any) -> Any:
    """A value, or a list of them, in the one form that is compared."""
    if isinstance(value, list):
        return [_comparable(one) for one in value]
    if isinstance(value, str):
        return value.strip().casefold()
    return value if isinstance(value, bool) else float(value)


def _in_words(key: str, operator: Operator, expected: Any, wrong: list | None, source: str) -> str:
    demand = f"{key} must be {operator.phrase} {_words(key, expected)}".replace("  ", " ")
    if wrong is None:
        return f"{demand}; what the config will use is not known before it is sliced."
    return f"{demand}; {SOURCES[source]} {_words(key, wrong)}."


def _words(key: str, value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_words(key, one) for one in value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value.strip()
    return f"{value:.10g} {PARAMETERS[key].unit}".rstrip()
