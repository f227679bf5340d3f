"""Formula language: a whitelisting evaluator over Python's AST.

Numbers are decimal and computed as they are written. There is neither power nor loop nor call of
anything but six functions, each operation is bounded, and each node is computed at most once: a
formula takes time in proportion to its length.
"""

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from functools import lru_cache
from typing import Any

from pricing.cost_drivers import LARGEST, NAMES, NOT_SAID, Numbers
from pricing.errors import InvalidFormula, NoNumber, NumberMissing

MAX_CHARACTERS = 1000
MAX_NODES = 300
DEEPEST = 60
# Everything that is not in these is refused before Python's parser sees it.
_CHARACTERS = re.compile(r"[A-Za-z0-9_ \t\r\n.,+*/()<>=!-]*")
_NUMBER = re.compile(r"[0-9]{1,13}(\.[0-9]{0,30})?|\.[0-9]{1,30}")
_GLUED = re.compile(r"[0-9.]+[A-Za-z_]")
# A formula's own arithmetic: exact for all that prices are made of.
CONTEXT = Context(prec=40)

Values = Numbers
Step = Callable[[Values], Any]


@dataclass(frozen=True)
class Formula:
    """A formula that was read.

    text  : as it was written
    names : of the numbers that it may ask for
    parts : how many it has
    """

    text: str
    names: frozenset[str]
    parts: int
    _run: Step

    def __call__(self, values: Values) -> Any:
        """Its value: a Decimal, or for a condition a bool.

        Raises NumberMissing for a number that is not known, and NoNumber for a division by zero
        and for what leaves the bounds.
        """
        return self._run(values)


def read_formula(text: str) -> Formula:
    """A formula that gives a number. Raises InvalidFormula."""
    return _read(text, "number")


def read_condition(text: str) -> Formula:
    """A formula that is true or false. Raises InvalidFormula."""
    return _read(text, "condition")


# To read one takes longer than to compute it for a hundred parts: those of a few lists are kept.
@lru_cache(maxsize=256)
def _read(text: str, wanted: str) -> Formula:
    if len(text) > MAX_CHARACTERS:
        raise InvalidFormula(
            "formula-too-long", f"A formula has at most {MAX_CHARACTERS} characters."
        )
    if not text.strip():
        raise InvalidFormula("formula-empty", "The formula is empty.")
    if not _CHARACTERS.fullmatch(text):
        (first,) = re.findall(r"[^A-Za-z0-9_ \t\r\n.,+*/()<>=!-]", text)[:1]
        raise InvalidFormula(
            "formula-unreadable", f"The character {first!r} has no meaning in a formula."
        )
    if glued := _GLUED.search(text):
        raise InvalidFormula(
            "formula-unreadable", f"{glued[0]!r}: a letter follows a number; put a space between."
        )
    flat = re.sub(r"\s", " ", text).strip()
    try:
        tree = ast.parse(flat, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        why = error.msg if isinstance(error, SyntaxError) else "it is nested too deeply"
        raise InvalidFormula("formula-unreadable", f"The formula cannot be read: {why}.") from None
    walk = _Walk(flat)
    kind, run = walk.read(tree.body, 0)
    if kind != wanted:
        raise InvalidFormula(
            "formula-no-number" if wanted == "number" else "formula-no-condition",
            f"The formula gives a {kind}; it must give a {wanted}.",
        )
    return Formula(text, frozenset(walk.names), walk.nodes, run)


class _Walk:
    """Each node becomes a closure, and is a number or a condition from the start."""

    def __init__(self, text: str):
        self.text = text
        self.names: set[str] = set()
        self.nodes = 0

    def read(self, node: ast.AST, depth: int) -> tuple[str, Step]:
        self.nodes += 1
        if self.nodes > MAX_NODES or depth > DEEPEST:
            raise InvalidFormula(
                "formula-too-long",
                f"A formula has at most {MAX_NODES} parts, nested at most {DEEPEST} deep.",
            )
        reader = _READERS.get(type(node))
        if reader is None:
            raise InvalidFormula(
                "formula-refused",
                f"{self._source(node)!r}: a formula has numbers, names, + - * /, comparisons, "
                "and or not, a if b else c, and min max ceil floor abs.",
            )
        return reader(self, node, depth + 1)

    def number(self, node: ast.AST, depth: int) -> Step:
        return self._of_kind(node, depth, "number")

    def condition(self, node: ast.AST, depth: int) -> Step:
        return self._of_kind(node, depth, "condition")

    def _of_kind(self, node: ast.AST, depth: int, wanted: str) -> Step:
        kind, run = self.read(node, depth)
        if kind != wanted:
            raise InvalidFormula(
                f"formula-no-{wanted}",
                f"{self._source(node)!r} is a {kind}; a {wanted} must stand there.",
            )
        return run

    def _source(self, node: Any) -> str:
        return (ast.get_source_segment(self.text, node) or type(node).__name__)[:80]

    # ------------------------------------------------------------ nodes

    def constant(self, node: ast.Constant, depth: int) -> tuple[str, Step]:
        text = self._source(node)
        if not _NUMBER.fullmatch(text) or isinstance(node.value, bool):
            raise InvalidFormula(
                "formula-refused", f"{text!r} is no number such as 12 or 0.35, up to {LARGEST:f}."
            )
        value = Decimal(text)
        if value > LARGEST:
            raise InvalidFormula("formula-refused", f"{text} is more than {LARGEST:f}.")
        return "number", lambda values: value

    def name(self, node: ast.Name, depth: int) -> tuple[str, Step]:
        name = node.id
        if name not in NAMES:
            raise InvalidFormula(
                "formula-unknown-name",
                f"There is no number {name!r}; there are: {', '.join(NAMES)}.",
            )
        self.names.add(name)

        def run(values: Values) -> Decimal:
            value = values.get(name)
            if isinstance(value, Decimal):
                return value
            raise NumberMissing(name, *(value or NOT_SAID))  # type: ignore[misc]

        return "number", run

    def binary(self, node: ast.BinOp, depth: int) -> tuple[str, Step]:
        left, right = self.number(node.left, depth), self.number(node.right, depth)
        compute = _OPERATIONS.get(type(node.op))
        if compute is None:
            raise InvalidFormula(
                "formula-refused", f"{self._source(node)!r}: a formula knows + - * / alone."
            )
        return "number", lambda values: bounded(compute(left(values), right(values)))

    def unary(self, node: ast.UnaryOp, depth: int) -> tuple[str, Step]:
        if isinstance(node.op, ast.Not):
            negated = self.condition(node.operand, depth)
            return "condition", lambda values: not negated(values)
        inner = self.number(node.operand, depth)
        if isinstance(node.op, ast.UAdd):
            return "number", inner
        return "number", lambda values: CONTEXT.minus(inner(values))

    def compare(self, node: ast.Compare, depth: int) -> tuple[str, Step]:
        operands = [self.number(each, depth) for each in (node.left, *node.comparators)]
        tests = [_COMPARISONS.get(type(each)) for each in node.ops]
        if None in tests:
            raise InvalidFormula(
                "formula-refused", f"{self._source(node)!r}: compare by < <= > >= == !=."
            )

        def run(values: Values) -> bool:
            found = [operand(values) for operand in operands]
            pairs = zip(tests, found, found[1:], strict=False)
            return all(test(left, right) for test, left, right in pairs)  # type: ignore[misc]

        return "condition", run

    def both(self, node: ast.BoolOp, depth: int) -> tuple[str, Step]:
        parts = [self.condition(each, depth) for each in node.values]
        every = all if isinstance(node.op, ast.And) else any
        return "condition", lambda values: every(part(values) for part in parts)

    def choice(self, node: ast.IfExp, depth: int) -> tuple[str, Step]:
        test = self.condition(node.test, depth)
        kind, then = self.read(node.body, depth)
        other = self._of_kind(node.orelse, depth, kind)
        return kind, lambda values: then(values) if test(values) else other(values)

    def call(self, node: ast.Call, depth: int) -> tuple[str, Step]:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        known = _FUNCTIONS.get(name)
        if known is None or node.keywords:
            raise InvalidFormula(
                "formula-refused",
                f"{self._source(node)!r}: a formula knows the functions {', '.join(_FUNCTIONS)}.",
            )
        compute, most = known
        fewest = 2 if most > 1 else 1
        if not fewest <= len(node.args) <= most:
            count = "one number" if most == 1 else f"{fewest} to {most} numbers"
            raise InvalidFormula("formula-refused", f"{name} takes {count}.")
        parts = [self.number(each, depth) for each in node.args]
        return "number", lambda values: compute([part(values) for part in parts])


def bounded(value: Decimal) -> Decimal:
    """The value. Raises NoNumber where it leaves the bounds."""
    if not -LARGEST <= value <= LARGEST:
        raise NoNumber(f"a number is beyond {LARGEST:f}.")
    return value


def _divide(left: Decimal, right: Decimal) -> Decimal:
    if right == 0:
        raise NoNumber("it divides by zero.")
    return CONTEXT.divide(left, right)


def _whole(rounding: str) -> Callable[[list[Decimal]], Decimal]:
    return lambda numbers: numbers[0].to_integral_value(rounding)


_OPERATIONS: Mapping[type, Callable[[Decimal, Decimal], Decimal]] = {
    ast.Add: CONTEXT.add,
    ast.Sub: CONTEXT.subtract,
    ast.Mult: CONTEXT.multiply,
    ast.Div: _divide,
}
_COMPARISONS: Mapping[type, Callable[[Decimal, Decimal], bool]] = {
    ast.Lt: Decimal.__lt__,
    ast.LtE: Decimal.__le__,
    ast.Gt: Decimal.__gt__,
    ast.GtE: Decimal.__ge__,
    ast.Eq: Decimal.__eq__,
    ast.NotEq: lambda left, right: left != right,
}
# How each is computed, and how many numbers it takes at most.
_FUNCTIONS: Mapping[str, tuple[Callable[[list[Decimal]], Decimal], int]] = {
    "min": (min, 20),
    "max": (max, 20),
    "ceil": (_whole(ROUND_CEILING), 1),
    "floor": (_whole(ROUND_FLOOR), 1),
    "abs": (lambda numbers: CONTEXT.abs(numbers[0]), 1),
}
_READERS: Mapping[type, Callable[..., tuple[str, Step]]] = {
    ast.Constant: _Walk.constant,
    ast.Name: _Walk.name,
    ast.BinOp: _Walk.binary,
    ast.UnaryOp: _Walk.unary,
    ast.Compare: _Walk.compare,
    ast.BoolOp: _Walk.both,
    ast.IfExp: _Walk.choice,
    ast.Call: _Walk.call,
}
