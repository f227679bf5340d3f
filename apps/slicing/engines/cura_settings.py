"""Works out CuraEngine's settings: the engine itself knows defaults, but not how they depend.

Cura's definitions give each setting a default and, for four in ten, an expression in Python's
syntax over other settings. Expressions are walked here and never run: numbers, comparisons,
conditions, and the few functions that the definitions use.
"""

import ast
import json
import math
import operator
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from apps.slicing.engines.base import SettingsError

FILES = ("fdmprinter.def.json", "fdmextruder.def.json")
LONGEST_EXPRESSION = 2000  # characters; the definitions' longest has 800
LARGEST_NUMBER = 1e18
MOST_DIGITS = 18


class Definition(NamedTuple):
    """One setting of the engine.

    kind       : the definition's word: "float", "int", "bool", "enum", "str", "polygon", ...
    default    : its value where there is no expression
    expression : Python syntax over other settings, or None
    options    : the words that an "enum" takes
    """

    kind: str
    default: Any
    expression: str | None
    options: tuple[str, ...] = ()


def load(folder: Path, version: str) -> dict[str, Definition]:
    """The definitions that belong to this version of the engine. Raises SettingsError."""
    definitions: dict[str, Definition] = {}
    for name in FILES:
        path = folder / version / name
        try:
            _collect(json.loads(path.read_bytes())["settings"], definitions)
        except OSError as error:
            title = f"CuraEngine {version} needs {path}: run bin/install-cura-definitions {folder}."
            raise SettingsError(title) from error
    return definitions


def resolve(definitions: Mapping[str, Definition], chosen: Mapping[str, Any]) -> dict[str, str]:
    """Every setting as the text that the engine takes, in the order of their names.

    chosen : values that stand, whatever the definitions say

    Raises SettingsError.
    """
    if unknown := set(chosen) - set(definitions):
        raise SettingsError(f"CuraEngine has no setting {', '.join(sorted(unknown))}.")
    resolver = _Resolver(definitions, chosen)
    return {name: to_text(resolver.value(name)) for name in sorted(definitions)}


def evaluate(definitions: Mapping[str, Definition], chosen: Mapping[str, Any], name: str) -> Any:
    """The value of one setting. Raises SettingsError."""
    return _Resolver(definitions, chosen).value(name)


def to_text(value: Any) -> str:
    """A value as CuraEngine spells it: numbers without rounding, `true`, `[[0, 1]]`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.10g}" if value < 1e10 else f"{value:.0f}"
    return json.dumps(value) if isinstance(value, list) else str(value)


def _collect(settings: Mapping, definitions: dict[str, Definition]) -> None:
    for name, setting in settings.items():
        if setting["type"] != "category":
            expression = setting.get("value")
            default = setting.get("default_value")
            if expression is not None and not isinstance(expression, str):
                default, expression = expression, None
            options = tuple(setting.get("options", ()))
            definitions[name] = Definition(setting["type"], default, expression, options)
        _collect(setting.get("children", {}), definitions)


class _Resolver:
    """Values by name, each worked out once, with one extruder."""

    def __init__(self, definitions: Mapping[str, Definition], chosen: Mapping[str, Any]):
        self._definitions = definitions
        self._values: dict[str, Any] = dict(chosen)
        self._open: list[str] = []  # being worked out, outermost first
        self._functions: dict[str, Callable] = {
            "resolveOrValue": self.value,
            "extruderValue": lambda extruder, name: self.value(name),
            "extruderValues": lambda name: [self.value(name)],
            "defaultExtruderPosition": lambda: "0",
            "map": lambda function, values: [function(value) for value in values],
            "abs": abs,
            "any": any,
            "int": int,
            "max": max,
            "min": min,
            "round": _round,
            "sum": sum,
            "math.ceil": math.ceil,
            "math.floor": math.floor,
            "math.radians": math.radians,
            "math.tan": math.tan,
        }

    def value(self, name: str) -> Any:
        if name in self._values:
            return self._values[name]
        if name not in self._definitions:
            raise SettingsError(f"CuraEngine has no setting {name}.")
        if name in self._open:
            raise SettingsError(f"{' -> '.join([*self._open, name])} goes round in a circle.")
        definition = self._definitions[name]
        self._open.append(name)
        value = definition.default
        if definition.expression is not None:
            value = self._evaluate(definition.expression)
        self._open.pop()
        self._values[name] = value
        return value

    def _evaluate(self, expression: str) -> Any:
        """The value of an expression. Raises SettingsError."""
        try:
            if len(expression) > LONGEST_EXPRESSION:
                raise ValueError(f"it is longer than {LONGEST_EXPRESSION} characters")
            return self._node(ast.parse(expression.strip(), mode="eval").body)
        except SettingsError:
            raise
        except (ValueError, TypeError, SyntaxError, ArithmeticError, RecursionError) as error:
            title = f"{self._open[-1]} has no value: {expression[:100]} ({error})."
            raise SettingsError(title) from error

    def _node(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=bool() | int() | float() | str() as value):
                return value
            case ast.Attribute(value=ast.Name(id="math"), attr="pi"):
                return math.pi
            case ast.Name(id="abs"):
                return abs
            case ast.Name(id=name):
                return self.value(name)
            case ast.IfExp():
                return self._node(node.body if self._node(node.test) else node.orelse)
            case ast.BoolOp():
                return self._connect(node)
            case ast.Compare():
                return self._compare(node)
            case ast.UnaryOp(op=ast.Not()):
                return not self._node(node.operand)
            case ast.UnaryOp(op=ast.USub()):
                return -_number(self._node(node.operand))
            case ast.BinOp() if type(node.op) in ARITHMETIC:
                left, right = _number(self._node(node.left)), _number(self._node(node.right))
                return _number(ARITHMETIC[type(node.op)](left, right))
            case ast.Call(keywords=[]) if ast.unparse(node.func) in self._functions:
                function = self._functions[ast.unparse(node.func)]
                return function(*[self._node(argument) for argument in node.args])
        raise ValueError(f"{ast.unparse(node)} is not allowed")

    def _connect(self, node: ast.BoolOp) -> Any:
        """`and` and `or` stop early and give an operand, as in Python."""
        stop = isinstance(node.op, ast.Or)
        for operand in node.values:
            value = self._node(operand)
            if bool(value) is stop:
                break
        return value

    def _compare(self, node: ast.Compare) -> bool:
        values = [self._node(operand) for operand in (node.left, *node.comparators)]
        for test, left, right in zip(node.ops, values, values[1:], strict=False):
            if type(test) not in COMPARISONS:
                raise ValueError(f"{type(test).__name__} is not allowed")
            if not COMPARISONS[type(test)](left, right):
                return False
        return True


ARITHMETIC: dict[type, Callable] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}
COMPARISONS: dict[type, Callable] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def _round(value: float, digits: int = 0) -> float:
    if abs(digits) > MOST_DIGITS:
        raise ValueError("too many digits")  # Python would work out ten to that power
    return round(value, digits) if digits else round(value)


def _number(value: Any) -> int | float:
    """Arithmetic is for numbers of a size: a long string or whole number would fill the memory."""
    if not isinstance(value, (int, float)):
        raise TypeError(f"{str(value)[:40]} is not a number")
    if not abs(value) <= LARGEST_NUMBER:
        raise OverflowError("a number is too large")
    return value
