"""Compatibility conditions of presets (compatible_printers_condition): parser and evaluator.

The language is the boolean part of PrusaSlicer's macro language (libslic3r/PlaceholderParser.cpp),
as far as conditions of presets use it: names of settings, numbers, strings in quotes, `==`, `!=`,
`<`, `<=`, `>`, `>=`, `=~` and `!~` with a regular expression between slashes that must match the
whole string, `and`, `or`, `!`, parentheses. Arithmetic and functions are not supported.

As in PrusaSlicer
* both sides of `and` and `or` are evaluated, so that a missing setting is an error on either side;
* a string is compared with a number as text: `nozzle_diameter[0]=="0.4"` holds for 0.4;
* an index beyond the end of a list means its first value.

Regular expressions are matched by RE2, whose time is linear in the text.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import re2

Value = float | bool | str | list[float] | list[str]
Question = Callable[[Mapping[str, Value]], bool]
_Operand = Callable[[Mapping[str, Value]], Value]

MAX_CONDITION_LENGTH = 4000  # characters of a condition
MAX_PATTERN_LENGTH = 100  # characters of a regular expression
MAX_TEXT_LENGTH = 2000  # characters that one is matched with
DEEPEST = 40  # parentheses and `!` in each other
MATCHER_BYTES = 1 << 20
SAME = 1e-8  # numbers nearer than this are equal, as PrusaSlicer has it

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})
  | (?P<text>"(?:\\.|[^"\\])*")
  | (?P<name>[A-Za-z_]\w*)
  | (?P<match>=~|!~)\s*/(?P<pattern>(?:\\.|[^/\\])*)/
  | (?P<sign>&&|\|\||==|!=|<>|<=|>=|[<>!()\[\]])
    )""",
    re.VERBOSE,
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "r": "\r"}
_WORDS = {"and": "&&", "or": "||", "not": "!"}


class InvalidCondition(ValueError):
    """A condition that cannot be read, or that asks for what is not there; says why."""


def read(condition: str) -> Question:
    """Return a function that evaluates a condition against settings.

    The settings are values by name: numbers, booleans and texts, or lists of these. Raises
    InvalidCondition, as the function may.
    """
    found = _read(condition)
    if isinstance(found, str):
        raise InvalidCondition(found)
    return found


@cache
def _read(condition: str) -> Question | str:
    """The question, or why there is none: many presets have the same."""
    if len(condition) > MAX_CONDITION_LENGTH:
        return f"it is longer than {MAX_CONDITION_LENGTH} characters"
    try:
        return _Reader(condition).whole()
    except InvalidCondition as error:
        return str(error)


class _Reader:
    """A descent through the grammar, one method a level; each gives a function of settings."""

    def __init__(self, condition: str):
        self.tokens = list(_tokens(condition))
        self.depth = 0

    def whole(self) -> Question:
        asked = self._either()
        if self.tokens:
            raise InvalidCondition(f"{self.tokens[0][1]!r} is not expected there")
        return lambda settings: _truth(asked(settings))

    def _take(self, *signs: str) -> str | None:
        if self.tokens and self.tokens[0][0] == "sign" and self.tokens[0][1] in signs:
            return self.tokens.pop(0)[1]
        return None

    def _either(self) -> _Operand:
        asked = [self._both()]
        while self._take("||"):
            asked.append(self._both())
        if len(asked) == 1:
            return asked[0]
        return lambda settings: any([_truth(one(settings)) for one in asked])

    def _both(self) -> _Operand:
        asked = [self._equality()]
        while self._take("&&"):
            asked.append(self._equality())
        if len(asked) == 1:
            return asked[0]
        return lambda settings: all([_truth(one(settings)) for one in asked])

    def _equality(self) -> _Operand:
        left = self._comparison()
        while self.tokens:
            if self.tokens[0][0] in ("=~", "!~"):
                left = _matched(left, *self.tokens.pop(0))
            elif sign := self._take(*_EQUALITIES):
                left = _compared(left, self._comparison(), _COMPARISONS[sign])
            else:
                break
        return left

    def _comparison(self) -> _Operand:
        left = self._single()
        while sign := self._take(*_ORDERS):
            left = _compared(left, self._single(), _COMPARISONS[sign])
        return left

    def _single(self) -> _Operand:
        self.depth += 1
        if self.depth > DEEPEST:
            raise InvalidCondition(f"it goes deeper than {DEEPEST} levels")
        try:
            return self._negated() if self._take("!") else self._plain()
        finally:
            self.depth -= 1

    def _negated(self) -> _Operand:
        asked = self._single()
        return lambda settings: not _truth(asked(settings))

    def _plain(self) -> _Operand:
        if self._take("("):
            inner = self._either()
            self._expect(")")
            return inner
        if not self.tokens:
            raise InvalidCondition("it ends too early")
        kind, word = self.tokens.pop(0)
        if kind == "number":
            number = float(word)
            return lambda settings: number
        if kind == "text":
            text = _ESCAPED.sub(lambda found: _ESCAPES.get(found[1], found[1]), word[1:-1])
            return lambda settings: text
        if kind != "name":
            raise InvalidCondition(f"{word!r} is not expected there")
        if word in ("true", "false"):
            return lambda settings: word == "true"
        if not self._take("["):
            return lambda settings: _setting(settings, word)
        if not self.tokens or self.tokens[0][0] != "number":
            raise InvalidCondition(f"{word}[ needs a number")
        place = int(float(self.tokens.pop(0)[1]))
        self._expect("]")
        return lambda settings: _item(_setting(settings, word), place)

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise InvalidCondition(f"a {sign!r} is missing")


def _tokens(condition: str) -> Iterator[tuple[str, str]]:
    """(kind, text) of each word; of a match its operator and its pattern."""
    place = 0
    while condition[place:].strip():
        found = _TOKEN.match(condition, place)
        if found is None:
            raise InvalidCondition(f"{condition[place : place + 40].strip()!r} cannot be read")
        place = found.end()
        if found["match"]:
            yield found["match"], found["pattern"]
        elif (name := found["name"]) in _WORDS:
            yield "sign", _WORDS[name]
        else:
            yield str(found.lastgroup), found[0].strip()


def _setting(settings: Mapping[str, Value], name: str) -> Value:
    try:
        return settings[name]
    except KeyError:
        raise InvalidCondition(f"there is no setting {name[:100]}") from None


def _item(value: Value, place: int) -> Value:
    """Return one item of a list; beyond its end the first, as PrusaSlicer does."""
    if not isinstance(value, list):
        raise InvalidCondition("a setting that is indexed is not a list")
    if not value:
        raise InvalidCondition("a setting that is indexed is an empty list")
    return value[place] if place < len(value) else value[0]


def _truth(value: Value) -> bool:
    """Return a value as a boolean; a switch among the settings is 0 or 1."""
    if isinstance(value, bool):
        return value
    if isinstance(value, float) and value in (0.0, 1.0):
        return value == 1.0
    raise InvalidCondition("what must be true or false is neither")


def _compared(left: _Operand, right: _Operand, compare: Callable[[Any, Any], bool]) -> _Operand:
    """Compare two numbers, or two values as text where one of them is text."""

    def evaluate(settings: Mapping[str, Value]) -> bool:
        a, b = left(settings), right(settings)
        if isinstance(a, list) or isinstance(b, list):
            raise InvalidCondition("a list is compared: it needs an index")
        if isinstance(a, str) or isinstance(b, str):
            return compare(_text(a), _text(b))
        return compare(a, b)

    return evaluate


def _same(a: Any, b: Any) -> bool:
    return a == b if isinstance(a, str) else abs(a - b) < SAME


def _different(a: Any, b: Any) -> bool:
    return not _same(a, b)


_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": _same,
    "!=": _different,
    "<>": _different,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
_EQUALITIES, _ORDERS = ("==", "!=", "<>"), ("<=", ">=", "<", ">")


def _text(value: Value) -> str:
    """Return a value as PrusaSlicer writes it: numbers with at most six digits."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _matched(left: _Operand, sign: str, pattern: str) -> _Operand:
    expression = _compiled(pattern)

    def asked(settings: Mapping[str, Value]) -> bool:
        value = left(settings)
        if not isinstance(value, str) or len(value) > MAX_TEXT_LENGTH:
            raise InvalidCondition(f"{sign} matches texts of at most {MAX_TEXT_LENGTH} characters")
        return (expression.fullmatch(value) is not None) == (sign == "=~")

    return asked


@cache
def _options() -> Any:
    options = re2.Options()
    options.dot_nl = True
    options.max_mem = MATCHER_BYTES
    options.log_errors = False
    return options


def _compiled(pattern: str) -> Any:
    if len(pattern) > MAX_PATTERN_LENGTH or "{" in pattern:
        raise InvalidCondition(
            f"a regular expression is longer than {MAX_PATTERN_LENGTH} characters, or counts"
        )
    try:
        return re2.compile(pattern, options=_options())
    except re2.error as error:
        raise InvalidCondition(f"/{pattern[:100]}/ is no regular expression") from error
