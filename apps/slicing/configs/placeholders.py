"""Placeholders of PrusaSlicer in custom G-code: parser, and the names that it knows.

    {if layer_num > 0}...{elsif x}...{else}...{endif}   {expression}   [name]

OrcaSlicer and Bambu Studio have the same syntax, with other names. What a version of PrusaSlicer
accepts beside names and nesting, such as types, only a test slice shows.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from apps.slicing.configs.capabilities import Capabilities

FIELDS = ("start_gcode", "before_layer_gcode", "layer_gcode", "end_gcode")

OPENING = re.compile(r"[\[{]")
LEGACY = re.compile(r"\[\s*([A-Za-z_]\w*)\s*(?:\[\s*(\w+)\s*\])?\s*\]")
TOKEN = re.compile(
    r'(?P<text>"(?:[^"\\]|\\.)*")|(?P<number>\d+\.?\d*|\.\d+)|(?P<name>[A-Za-z_]\w*)'
    r"|(?P<pattern>(?<=[=!]~)\s*/(?:[^/\\]|\\.)*/)|(?P<space>\s+)"
    r"|(?P<sign>&&|\|\||[=!]~|[=!<>]=|<>|[-+*/%()\[\],<>!?:])"
)
KEYWORDS = frozenset({"if", "elsif", "else", "endif", "and", "or", "not", "true", "false"})
FUNCTIONS = frozenset({"min", "max", "int", "round", "random", "digits", "zdigits"})
# What PrusaSlicer computes, in every G-code.
EVERYWHERE = frozenset(
    {
        *("initial_tool", "initial_extruder", "current_extruder", "total_layer_count"),
        *("first_layer_print_min", "first_layer_print_max", "first_layer_print_size"),
        *("print_bed_min", "print_bed_max", "print_bed_size", "total_toolchanges"),
        *("has_wipe_tower", "has_single_extruder_multi_material_priming"),
        *("input_filename", "input_filename_base", "timestamp"),
        *("year", "month", "day", "hour", "minute", "second"),
        *("print_preset", "filament_preset", "printer_preset"),
    }
)
OF_LAYERS = frozenset({"layer_num", "layer_z", "max_layer_z"})
COMPUTED: Mapping[str, frozenset[str]] = {
    field: EVERYWHERE if field == "start_gcode" else EVERYWHERE | OF_LAYERS for field in FIELDS
}


class Token(NamedTuple):
    """A part of an expression; `kind` is a group of TOKEN."""

    kind: str
    text: str


class Placeholder(NamedTuple):
    """A placeholder at text[start:end].

    line : of its first character, from 1
    """

    start: int
    end: int
    line: int
    tokens: tuple[Token, ...]


class PlaceholderFault(NamedTuple):
    """What of a text cannot be used, by line; `name` where it is a placeholder's."""

    line: int
    name: str
    title: str


class InvalidTemplate(ValueError):
    """Text that is no valid template; `fault` says where."""

    def __init__(self, fault: PlaceholderFault):
        super().__init__(f"Line {fault.line}: {fault.title}")
        self.fault = fault


def placeholders(text: str) -> Iterator[Placeholder]:
    """Yield the placeholders of a text in their order. Raises InvalidTemplate."""
    line, end = 1, 0
    while opening := OPENING.search(text, end):
        place = opening.start()
        line += text.count("\n", end, place)
        if text[place] == "[":
            match = LEGACY.match(text, place)
            if match is None:
                raise _invalid(line, "A [ must be followed by a name and a ].")
            index = (Token("sign", "["), Token("name", match[2]), Token("sign", "]"))
            tokens = (Token("name", match[1]), *(index if match[2] else ()))
            end = match.end()
        else:
            tokens, end = _expression(text, place + 1, line)
        yield Placeholder(place, end, line, tokens)
        line += text.count("\n", place, end)


def _expression(text: str, place: int, line: int) -> tuple[tuple[Token, ...], int]:
    """Return what stands between braces, and where the text goes on."""
    tokens = []
    while place < len(text) and text[place] != "}":
        match = TOKEN.match(text, place)
        if match is None:
            title = f"{text[place : place + 20]!r} is no part of an expression in braces."
            raise _invalid(line, title)
        if match.lastgroup != "space":
            tokens.append(Token(str(match.lastgroup), match[0].strip()))
        place = match.end()
    if place >= len(text):
        raise _invalid(line, "A { is not closed.")
    if not tokens:
        raise _invalid(line, "There is nothing between { and }.")
    return tuple(tokens), place + 1


def _invalid(line: int, title: str) -> InvalidTemplate:
    return InvalidTemplate(PlaceholderFault(line, "", title))


def faults_of(text: str, field: str, engine: Capabilities) -> list[PlaceholderFault]:
    """Return what PrusaSlicer would refuse in a custom G-code: names and nesting.

    field : one of FIELDS
    """
    faults, open_lines = [], []
    try:
        for each in placeholders(text):
            first = each.tokens[0].text
            if first == "if":
                open_lines.append(each.line)
            elif first in ("elsif", "else", "endif"):
                if not open_lines:
                    faults.append(PlaceholderFault(each.line, first, f"{first} without an if."))
                elif first == "endif":
                    open_lines.pop()
            for token in each.tokens:
                if token.kind == "name" and not _is_name(token.text, field, engine):
                    title = f"PrusaSlicer has no placeholder {token.text} in {field}."
                    faults.append(PlaceholderFault(each.line, token.text, title))
    except InvalidTemplate as error:
        faults.append(error.fault)
    faults += [PlaceholderFault(line, "if", "An if without its endif.") for line in open_lines]
    return faults


def _is_name(name: str, field: str, engine: Capabilities) -> bool:
    return name in KEYWORDS or name in FUNCTIONS or name in COMPUTED[field] or name in engine


def ini_value(text: str) -> str:
    r"""Return a text as a line of an ini file has it, with \n between lines."""
    lines = text.replace("\\", "\\\\").replace("\r\n", "\n").replace("\r", "\n")
    return lines.replace("\n", "\\n")
