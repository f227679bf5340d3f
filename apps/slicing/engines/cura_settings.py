"""Resolves CuraEngine settings from the definitions (expressions and defaults).

Cura's definitions give each setting a default and, for four in ten, an expression in Python's
syntax over other settings. Expressions are walked here and never run: numbers, comparisons,
conditions, lists, and the functions that Cura offers to definitions (Cura 4.13 to 5.10).
"""

import ast
import json
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from apps.slicing.engines.base import SettingsError

FILES = ("fdmprinter.def.json", "fdmextruder.def.json")
MAX_EXPRESSION_LENGTH = 2000  # characters; the definitions' longest has 800
LARGEST_NUMBER = 1e18
MAX_DIGITS = 18
MAX_LIST_ITEMS = 100
MAX_JOINED = 100_000  # characters of all texts that are joined
MAX_STEPS = 100_000  # of all expressions of a config; the definitions' own take 1,000
NEVER = (False, "False")
Expression = str | float | bool | None


class Definition(NamedTuple):
    """One setting of the engine.

    kind       : the definition's word: "float", "int", "bool", "enum", "str", "polygon", ...
    default    : its value where there is no expression
    expression : Python syntax over other settings, or None
    options    : the words that an "enum" takes
    lowest     : the least value, a number or an expression; None where there is none
    highest    : the largest value
    enabled    : whether the engine uses the setting, a bool or an expression
    """

    kind: str
    default: Any
    expression: str | None
    options: tuple[str, ...] = ()
    lowest: Expression = None
    highest: float = math.inf
    enabled: Expression = True


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
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            title = f"{path} is damaged: delete it, and run bin/install-cura-definitions {folder}."
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


def limits_of(
    definitions: Mapping[str, Definition], chosen: Mapping[str, Any], names: Iterable[str]
) -> dict[str, tuple[float, float]]:
    """Return the least and the largest value of each of these settings that the engine uses.

    A limit that cannot be evaluated does not count: it is a hint of the definitions, not a value.
    """
    resolver = _Resolver(definitions, chosen)
    limits = {}
    for name in names:
        definition = definitions[name]
        try:
            # What is never enabled is hidden from users only: the engine reads it.
            if definition.enabled not in NEVER and not resolver.result(definition.enabled):
                continue
            lowest = resolver.result(definition.lowest)
            limits[name] = (-math.inf if lowest is None else _number(lowest), definition.highest)
        except (SettingsError, TypeError, OverflowError):
            limits[name] = (-math.inf, definition.highest)
    return limits


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
            definitions[name] = Definition(
                setting["type"],
                default,
                expression,
                options=tuple(setting.get("options", ())),
                lowest=setting.get("minimum_value"),
                highest=_highest(setting),
                enabled=setting.get("enabled", True),
            )
        _collect(setting.get("children", {}), definitions)


def _highest(setting: Mapping) -> float:
    """The largest value, where the definition says it as a number.

    Temperatures, and limits that follow other settings, such as a speed that follows the axes'
    feed rates, are the printer's: its own definition, which is not read here, may say otherwise.
    """
    limit = str(setting.get("maximum_value"))
    plain = limit.replace(".", "", 1).isdigit() and setting.get("unit") != "°C"
    return float(limit) if plain else math.inf


class _Resolver:
    """Values by name, each worked out once, with one extruder."""

    def __init__(self, definitions: Mapping[str, Definition], chosen: Mapping[str, Any]):
        self._definitions = definitions
        self._values: dict[str, object] = dict(chosen)
        self._open: list[str] = []  # being worked out, outermost first
        self._items: dict[str, object] = {}  # the variables of comprehensions
        self._steps = self._joined = 0
        self._functions: dict[str, Callable] = {
            "resolveOrValue": self.value,
            "extruderValue": lambda extruder, name: self.value(name),
            "extruderValues": lambda name: [self.value(name)],
            "valueFromContainer": lambda name, index: self.value(name),
            "extruderValueFromContainer": lambda extruder, name, index: self.value(name),
            "defaultExtruderPosition": lambda: "0",
            "anyExtruderWithMaterial": lambda name: "0",
            "anyExtruderNrWithOrDefault": lambda name: "0",
            **FUNCTIONS,
        }

    def result(self, expression: Expression) -> Any:
        """Return what an expression, or a plain value in its place, comes to."""
        return self._evaluate(expression) if isinstance(expression, str) else expression

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
            if len(expression) > MAX_EXPRESSION_LENGTH:
                raise ValueError(f"it is longer than {MAX_EXPRESSION_LENGTH} characters")
            return self._node(ast.parse(expression.strip(), mode="eval").body)
        except SettingsError:
            raise
        except (ValueError, TypeError, SyntaxError, ArithmeticError, RecursionError) as error:
            name = self._open[-1] if self._open else "An expression"
            title = f"{name} has no value: {expression[:100]} ({error})."
            raise SettingsError(title) from error

    def _node(self, node: ast.expr) -> Any:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise ValueError("the expressions take too many steps")
        match node:
            case ast.Constant(value=bool() | int() | float() | str() as value):
                return value
            case ast.Attribute(value=ast.Name(id="math"), attr="pi"):
                return math.pi
            case ast.Name(id="abs" | "bool" | "float" | "int" as name):  # for map()
                return FUNCTIONS[name]
            case ast.List(elts=items) | ast.Tuple(elts=items) if len(items) <= MAX_LIST_ITEMS:
                return [self._node(item) for item in items]
            case ast.Name(id=name):
                return self._items[name] if name in self._items else self.value(name)
            case (
                ast.ListComp(elt=item, generators=[loop])
                | ast.GeneratorExp(elt=item, generators=[loop])
            ):
                return self._comprehend(item, loop)
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
                return self._combined(node.op, self._node(node.left), self._node(node.right))
            case ast.Call(keywords=[]) if ast.unparse(node.func) in self._functions:
                function = self._functions[ast.unparse(node.func)]
                return function(*[self._node(argument) for argument in node.args])
        raise ValueError(f"{ast.unparse(node)} is not allowed")

    def _combined(self, operation: ast.operator, left: object, right: object) -> str | float:
        """Two numbers, or two parts of G-code joined."""
        if isinstance(operation, ast.Add) and isinstance(left, str) and isinstance(right, str):
            self._joined += len(left) + len(right)
            if self._joined > MAX_JOINED:
                raise OverflowError(f"texts of more than {MAX_JOINED} characters are joined")
            return left + right
        return _number(ARITHMETIC[type(operation)](_number(left), _number(right)))

    def _connect(self, node: ast.BoolOp) -> Any:
        """`and` and `or` stop early and give an operand, as in Python."""
        stop = isinstance(node.op, ast.Or)
        for operand in node.values:
            value = self._node(operand)
            if bool(value) is stop:
                break
        return value

    def _comprehend(self, item: ast.expr, loop: ast.comprehension) -> list:
        """The list of `item for name in values if ...`."""
        values = self._node(loop.iter)
        if not isinstance(loop.target, ast.Name) or not isinstance(values, list):
            raise TypeError("only `for name in list` is allowed")
        outer, results = self._items, []
        try:
            for value in values:
                self._items = {**outer, loop.target.id: value}
                if all(self._node(test) for test in loop.ifs):
                    results.append(self._node(item))
        finally:
            self._items = outer
        return results

    def _compare(self, node: ast.Compare) -> bool:
        values = [self._node(operand) for operand in (node.left, *node.comparators)]
        for test, left, right in zip(node.ops, values, values[1:], strict=False):
            if type(test) not in COMPARISONS:
                raise ValueError(f"{type(test).__name__} is not allowed")
            if not COMPARISONS[type(test)](left, right):
                return False
        return True


def _power(base: float, exponent: float) -> float:
    """Return a power, in floating point: of whole numbers Python would fill the memory."""
    return math.pow(float(base), float(exponent))


def _map(function: Callable, values: list) -> list:
    return [function(value) for value in values]


def _round(value: float, digits: int = 0) -> float:
    if abs(digits) > MAX_DIGITS:
        raise ValueError("too many digits")  # Python would work out ten to that power
    return round(value, digits) if digits else round(value)


FUNCTIONS: dict[str, Callable] = {
    "abs": abs,
    "all": all,
    "any": any,
    "bool": bool,
    "float": float,
    "int": int,
    "len": len,
    "map": _map,
    "max": max,
    "min": min,
    "pow": _power,
    "round": _round,
    "sum": sum,
    "math.atan": math.atan,
    "math.ceil": math.ceil,
    "math.cos": math.cos,
    "math.degrees": math.degrees,
    "math.floor": math.floor,
    "math.log": math.log,
    "math.pow": _power,
    "math.radians": math.radians,
    "math.sin": math.sin,
    "math.sqrt": math.sqrt,
    "math.tan": math.tan,
}
ARITHMETIC: dict[type, Callable] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
}
COMPARISONS: dict[type, Callable] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda item, items: item in items,
    ast.NotIn: lambda item, items: item not in items,
}


def _number(value: Any) -> int | float:
    """Arithmetic is for numbers of a size: a long string or whole number would fill the memory."""
    if not isinstance(value, (int, float)):
        raise TypeError(f"{str(value)[:40]} is not a number")
    if not abs(value) <= LARGEST_NUMBER:
        raise OverflowError("a number is too large")
    return value
