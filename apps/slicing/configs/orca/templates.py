"""G-code templates of OrcaSlicer and Bambu Studio as PrusaSlicer's: a proposal to be read.

Names with a twin are replaced. A value that this platform fixes, or that the printer's profile
names, stands for a name without one, and is listed as assumed. Every other name is left where it
stands and is unresolved: a person must edit its line. Commands are never changed.

A print has one filament here, in the first extruder: so every index of an extruder, a filament or
a nozzle is 0.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from apps.slicing.configs.capabilities import Capabilities
from apps.slicing.configs.extruders import OF_EXTRUDER, OF_FILAMENT
from apps.slicing.configs.orca.converters import plain
from apps.slicing.configs.orca.table import TWINS
from apps.slicing.configs.orca.template_names import ASSUMED, EXPRESSIONS, INDICES, OLDER
from apps.slicing.configs.placeholders import (
    COMPUTED,
    FUNCTIONS,
    KEYWORDS,
    InvalidTemplate,
    Placeholder,
    PlaceholderFault,
    Token,
    placeholders,
)

BRACKETS = re.compile(r"[\[\]{}]+")
COMPARED = frozenset({"==", "!=", "<>", "<", ">", "<=", ">="})
MAX_UNRESOLVED = 200  # of a text that are listed
OF_PRINTER = "From the printer's profile."
# A setting that is translated into one other is that setting.
_RENAMED = {twin.key: twin.to[0] for twin in TWINS if len(twin.to) == 1}


class Assumption(NamedTuple):
    """A value that stands for a placeholder."""

    name: str
    value: str
    reason: str


class TranslatedTemplate(NamedTuple):
    """A G-code of another slicer with PrusaSlicer's placeholders.

    original   : as its maker wrote it
    unresolved : placeholders that PrusaSlicer does not have, by the line of `text`; the first 200
    """

    original: str
    text: str
    unresolved: tuple[PlaceholderFault, ...]
    assumed: tuple[Assumption, ...]


def translate_template(
    original: str, field: str, engine: Capabilities, profile: Mapping[str, str]
) -> TranslatedTemplate:
    """Return a template with PrusaSlicer's placeholders.

    field   : PrusaSlicer's name of the G-code, one of FIELDS
    profile : the settings of the printer, as its maker has them
    """
    original = original.replace("\r\n", "\n").strip("\n")
    translator = _Translator(field, engine, profile)
    parts: list[str] = []
    at, line = 0, 1
    try:
        for each in placeholders(original):
            line += original.count("\n", at, each.start)
            translated = translator.placeholder(each, original, line)
            parts += original[at : each.start], translated
            line += translated.count("\n")
            at = each.end
    except InvalidTemplate as error:
        translator.unresolved.append(error.fault)
    text = "".join(parts) + original[at:]
    assumed = sorted(set(translator.assumed))
    unresolved = tuple(translator.unresolved[:MAX_UNRESOLVED])
    return TranslatedTemplate(original, text, unresolved, tuple(assumed))


class _Translator:
    def __init__(self, field: str, engine: Capabilities, profile: Mapping[str, str]):
        self.engine, self.profile = engine, profile
        self.computed = COMPUTED[field]
        self.unresolved: list[PlaceholderFault] = []
        self.assumed: list[Assumption] = []

    def placeholder(self, each: Placeholder, original: str, line: int) -> str:
        """Return a placeholder in PrusaSlicer's names; as it is where one of them has no twin."""
        assumed = len(self.assumed)
        missing: list[str] = []
        parts = "".join(_spaced(self._translated(each.tokens, missing)))
        if not missing:
            return f"{{{parts}}}"
        del self.assumed[assumed:]
        source = original[each.start : each.end]
        if _is_comment(original, each.start) and each.tokens[0].text not in KEYWORDS:
            return BRACKETS.sub(" ", source).strip()  # only parts for people
        self.unresolved += [
            PlaceholderFault(line, name, f"PrusaSlicer has nothing like {name}.")
            for name in dict.fromkeys(missing)
        ]
        return source

    def _translated(self, tokens: Sequence[Token], missing: list[str]) -> Iterator[str]:
        at = 0
        is_compared = any(one.text in COMPARED for one in tokens)
        while at < len(tokens):
            token = tokens[at]
            at += 1
            if token.kind != "name" or token.text in KEYWORDS or token.text in FUNCTIONS:
                yield token.text
                continue
            end = _end_of_index(tokens, at)
            index, at = tokens[at + 1 : end - 1], end
            twin = self._twin(token.text, index, is_compared=is_compared)
            if twin is None:
                missing.append(token.text)
            else:
                yield twin

    def _twin(self, name: str, index: Sequence[Token], *, is_compared: bool) -> str | None:
        """Return the expression for a name; None where there is none."""
        if name in INDICES:
            return INDICES[name]
        if expression := EXPRESSIONS.get(name):
            place = index[0].text if len(index) == 1 and index[0].kind == "number" else "0"
            return expression.replace("#", place)
        renamed = _RENAMED.get(name, name)
        renamed = renamed if renamed in self.engine else OLDER.get(renamed, renamed)
        if renamed in self.engine:
            return f"{renamed}[0]" if _is_of_extruder(renamed) else renamed
        if name in self.computed:
            return "".join((name, *(f"[{index[0].text}]" if len(index) == 1 else "")))
        if name in ASSUMED:
            value, reason = ASSUMED[name]
        elif name in self.profile and name not in _RENAMED:
            value, reason = _literal(self.profile[name], is_compared=is_compared), OF_PRINTER
        else:
            return None
        self.assumed.append(Assumption(name, value, reason))
        return value


def _end_of_index(tokens: Sequence[Token], at: int) -> int:
    """Return where the tokens go on behind an index that begins at `at`, if one does."""
    depth, end = 0, at
    while end < len(tokens):
        depth += {"[": 1, "]": -1}.get(tokens[end].text, 0)
        if depth == 0:
            return end + 1 if end > at else at
        end += 1
    return at if depth == 0 else end


def _is_of_extruder(setting: str) -> bool:
    of_filament = setting in OF_FILAMENT or setting.startswith("filament_")
    return of_filament or setting in OF_EXTRUDER or setting.startswith("machine_max_")


def _literal(value: str, *, is_compared: bool) -> str:
    """Return a setting's value as PrusaSlicer's expressions have it."""
    if value in ("0", "1") and not is_compared:
        return "true" if value == "1" else "false"
    if plain(value) is not None:
        return value
    return '"{}"'.format(value.replace('"', "").replace("\\", ""))


def _spaced(parts: Iterator[str]) -> Iterator[str]:
    """Yield the parts of an expression with a space between two names or numbers."""
    before = ""
    for word in parts:
        if before and (before[-1].isalnum() or before[-1] in '_"])') and (word[0].isalnum()):
            yield " "
        yield word
        before = word


def _is_comment(text: str, place: int) -> bool:
    """Return whether what stands at a place is behind a semicolon."""
    return ";" in text[text.rfind("\n", 0, place) + 1 : place]
